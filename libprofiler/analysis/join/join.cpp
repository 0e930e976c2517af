#include <algorithm>
#include <analysis/join/declared_work.hpp>
#include <analysis/join/join.hpp>
#include <analysis/join/join_cores.hpp>
#include <analysis/join/join_counts.hpp>
#include <analysis/join/join_found.hpp>
#include <analysis/join/join_notes.hpp>
#include <analysis/join/join_ranks.hpp>
#include <analysis/join/join_row_counts.hpp>
#include <analysis/join/join_samples.hpp>
#include <analysis/join/join_shares.hpp>
#include <analysis/join/join_times.hpp>
#include <analysis/join/measured.hpp>
#include <analysis/join/region_tree.hpp>

namespace roofmark {
namespace {

/// Cycles at a constant rate are those of the clock that markers read, where that is the
/// processor's own.
TimeFacts time_facts(const JoinInput& input) {
  TimeFacts facts;
  facts.system_s = input.whole.system_s;
  for (const RawProcess& process : input.native) {
    if (process.calibration.clock == "monotonic_raw") continue;
    facts.reference_hz = process.ticks_per_second();
    if (!facts.reference_hz) facts.reference_hz = input.ticks_per_second;
    if (facts.reference_hz) break;
  }
  return facts;
}

Region whole_program_row(const JoinInput& input, const RegionTree& tree) {
  Region row;
  row.visits = 1;
  const WholeProgram& whole = input.whole;
  const double cpu_s = whole.user_s + whole.system_s;
  row.work.wall_s = Measure{whole.wall_s, Source::measured, {}, {}};
  row.work.thread_s = Measure{cpu_s, Source::measured, {}, {}};
  if (whole.wall_s > 0) row.cores_used = Measure{cpu_s / whole.wall_s, Source::measured, {}, {}};
  std::set<std::int64_t> ranks;  // of a job: its launcher's threads do none of its work
  for (const RawProcess& process : input.native)
    if (process.rank && process.ranks > 1) ranks.insert(process.pid);
  row.threads = threads_at_once(input.samples, ranks, whole.wall_s);
  // Outside of every region: what the outermost regions leave of the run.
  double regions_s = 0, unknown_s = 0;
  for (const std::size_t child : tree[RegionTree::root].children) {
    const MergedRegion& region = tree[child];
    regions_s += region.longest_s;
    unknown_s += region.unknown_end_s;
    row.marker_s += region.marker_s;
  }
  const double outside_s = std::max(0.0, whole.wall_s - regions_s);
  row.self.wall_s = between(std::max(0.0, outside_s - unknown_s), outside_s, outside_s);
  if (input.found) {
    row.self.wall_s = waiting_of(*input.found, whole.wall_s);
    return row;
  }
  if (input.no_markers) add_missing(row, "regions", *input.no_markers);
  if (input.not_found) add_missing(row, "functions", *input.not_found);
  set_waiting(row, tree[RegionTree::root], {});
  return row;
}

/// The share of the timed run's visits that was counted. `withheld`: what was counted is no
/// region's.
double coverage(const RegionTree& tree, const std::vector<SelfCounts>& counts, bool withheld) {
  double seen = 0, all = 0;
  for (std::size_t i = 1; i < tree.regions().size(); ++i) {
    if (tree[i].found) continue;  // nobody knows how often it was entered
    all += static_cast<double>(tree[i].visits);
    if (i < counts.size()) seen += static_cast<double>(std::min(tree[i].visits, counts[i].visits));
  }
  if (all > 0) return seen / all;
  return withheld ? 0.0 : 1.0;
}

/// Depth first, so that a region's parts follow it, in the order in which they were first seen.
std::vector<std::size_t> reading_order(const RegionTree& tree) {
  std::vector<std::size_t> order, waiting{RegionTree::root};
  while (!waiting.empty()) {
    const std::size_t region = waiting.back();
    waiting.pop_back();
    order.push_back(region);
    const std::vector<std::size_t>& children = tree[region].children;
    waiting.insert(waiting.end(), children.rbegin(), children.rend());
  }
  return order;
}

/// One recording on its way to rows: the passes first, then a row for each region of the tree.
class Joining {
 public:
  Joining(const JoinInput& input, Profile& profile)
      : input_(input), profile_(profile), executable_(main_executable(input)) {}

  void join() {
    set_program();
    for (const RawProcess& process : input_.native) tree_.add(process, input_, executable_);
    tree_.finish();
    if (input_.found) read_found(*input_.found);
    if (input_.counted) read_counted(*input_.counted);
    if (input_.measured) read_measured(*input_.measured);
    samples_ = evaluate(input_.samples, tree_);
    there_are_ = cores_that_there_are(input_, profile_.machine);
    declared_ = declared_work(tree_);
    levels_ = interfaces(input_.counted ? &*input_.counted : nullptr);

    const std::vector<std::size_t> rows = reading_order(tree_);
    for (const std::size_t i : rows) profile_.regions.push_back(row_of(i));
    set_sleep_of_job(profile_.regions);
    if (input_.counted)
      add_thread_shares(*input_.counted, input_.native, executable_, launching_, rows, tree_,
                        profile_);
    note_waiting(input_.whole, profile_);
    note_processes(input_, profile_);
    note_declared_inside(profile_);
  }

 private:
  void set_program() {
    Program& program = profile_.program;
    program.large_page_share = input_.whole.large_page_share;
    program.memory_kind = input_.whole.memory_kind;
    program.remote_memory_share = input_.whole.remote_memory_share;
    program.waited_share = waited_share(input_.whole);
    if (!program.ranks) program.ranks = job_of(input_.native);
  }

  void read_found(const FoundProgram& found) {
    found_ = plant(found, tree_);
    profile_.sampling = Sampling{found.means, found.samples, found.frequency_hz};
    profile_.notes.insert(profile_.notes.end(), found.notes.begin(), found.notes.end());
  }

  void read_counted(const CountedPass& pass) {
    launching_ = launchers(pass, input_.native);
    counts_ = collect(pass, executable_, launching_, tree_);
    counts_.resize(tree_.regions().size());
    if (input_.found) settle_found(pass, found_, tree_, counts_);
    work_ = counted_work(pass, counts_, tree_);
    note_counts(input_, launching_, profile_);
    note_not_reached(input_, tree_, work_, profile_);
    for (Pass& made : profile_.passes)
      if (made.purpose == "counts")
        made.coverage = coverage(tree_, counts_, work_[RegionTree::root].flop_gap != Gap::none);
  }

  void read_measured(const MeasuredPasses& passes) {
    measured_ = measured_work(passes, input_.native, executable_, time_facts(input_), tree_);
    for (std::string& note : measured_notes(passes, input_.native))
      profile_.notes.push_back(std::move(note));
    // What these passes alone entered.
    counts_.resize(tree_.regions().size());
    if (input_.counted) work_.resize(tree_.regions().size());
  }

  Region row_of(std::size_t i) {
    const FoundCode* const code = i < found_.size() ? found_[i] : nullptr;
    Region row;
    if (i == RegionTree::root) {
      row = whole_program_row(input_, tree_);
    } else {
      row.path = tree_.path(i);
      if (code == nullptr) set_visits(row, i);
    }
    if (code != nullptr) set_found(row, *code);
    row.work.declared_flop = declared_count(declared_[i].flop);
    row.work.declared_bytes = declared_count(declared_[i].bytes);
    row.self.declared_flop = declared_count(tree_[i].declared_flop);
    row.self.declared_bytes = declared_count(tree_[i].declared_bytes);
    set_work(row, i, code);
    if (waited_much(input_.whole)) row.flags.insert("noisy");
    return row;
  }

  /// Visits and times of a marked region.
  void set_visits(Region& row, std::size_t i) const {
    const MergedRegion& region = tree_[i];
    row.visits = region.visits;
    row.threads = region.threads;
    row.flags = region.flags;
    const SelfCounts counts = i < counts_.size() ? counts_[i] : SelfCounts();
    if (region.visits > 0) {
      set_times(row, region, samples_[i]);
      set_cores(row, samples_[i], input_.whole, there_are_);
      set_waiting(row, region, samples_[i]);
    } else if (input_.only_counted.contains(region.name)) {
      set_counted_visits(row, counts);
    } else if (counts.visits > 0) {
      row.missing.push_back({"time.wall", "only the counted run entered it",
                             "make the program take the same path in both runs"});
      row.flags.insert("visits_differ");
    } else {
      row.missing.push_back({"time.wall", "no visit of it was seen, only regions inside it", ""});
    }
  }

  /// What was counted of a region, or why nothing was. `code`: what sampling found it by.
  void set_work(Region& row, std::size_t i, const FoundCode* code) const {
    if (!work_.empty()) {
      set_counts(row, work_[i]);
      add_gaps(row, work_[i], code);
    } else if (measured_.empty()) {
      const Problem reason =
          input_.not_counted.value_or(Problem{"no counted run was made", "", "--counters auto"});
      add_missing(row, "flop", reason);
      for (const std::string& level : levels_) add_missing(row, "bytes." + level, reason);
    }
    if (measured_.empty()) return;
    if (code == nullptr)
      set_measured(row, measured_[i], !work_.empty(), levels_);
    else if (work_.empty())
      add_missing(row, "flop",
                  {"hardware counters counted the program as a whole", "",
                   input_.not_counted ? input_.not_counted->remedy : "--counters emulated"});
  }

  void add_gaps(Region& row, const RegionWork& work, const FoundCode* code) const {
    const auto reason = [&](Gap gap) {
      return code != nullptr && gap != Gap::not_simulated ? found_gap_reason(*code, gap, input_)
                                                          : gap_reason(gap, input_);
    };
    if (work.flop_gap != Gap::none) add_missing(row, "flop", reason(work.flop_gap));
    for (const auto& [level, gap] : work.bytes_gap) add_missing(row, "bytes." + level, reason(gap));
  }

  const JoinInput& input_;
  Profile& profile_;
  const std::string executable_;
  RegionTree tree_;
  // By region of the tree; empty: no such pass, and shorter: the rest came with a later one.
  std::vector<const FoundCode*> found_;
  std::vector<SelfCounts> counts_;
  std::vector<RegionWork> work_;
  std::vector<MeasuredRegion> measured_;
  std::vector<RegionSamples> samples_;
  std::vector<Declared> declared_;
  std::set<std::size_t> launching_;  ///< processes of the counted pass that belong to no rank
  CoresThatThereAre there_are_;
  std::vector<std::string> levels_;
};

}  // namespace

std::string main_executable(const JoinInput& input) {
  for (const RawProcess& process : input.native)
    if (process.pid == input.whole.pid) return process.executable;
  for (const RawProcess& process : input.native)
    if (process.rank && process.ranks > 1) return process.executable;
  if (!input.native.empty()) return input.native.front().executable;
  if (input.counted && !input.counted->processes.empty())
    return input.counted->processes.front().exe;
  return "";
}

void join(const JoinInput& input, Profile& profile) {
  Joining(input, profile).join();
}

}  // namespace roofmark
