#include <fmt/format.h>

#include <algorithm>
#include <analysis/profile/concurrency.hpp>
#include <analysis/profile/join.hpp>
#include <analysis/profile/join_counts.hpp>
#include <analysis/profile/join_found.hpp>
#include <analysis/profile/join_ranks.hpp>
#include <analysis/profile/join_samples.hpp>
#include <analysis/profile/join_shares.hpp>
#include <analysis/profile/measured.hpp>
#include <analysis/profile/region_tree.hpp>
#include <cmath>
#include <limits>
#include <string_view>

namespace roofmark {
namespace {

/// Between two bounds: a value where they are close, else a range around `best`.
Measure between(double low, double high, double best) {
  Measure measure;
  measure.source = Source::measured;
  high = std::max(low, high);
  measure.value = std::clamp(best, low, high);
  if (high > low * (1 + exact_enough)) {
    measure.low = low;
    measure.high = high;
  }
  return measure;
}

/// How long a path was open on any thread: at least as long as on its longest, at most the sum, and
/// not longer than from the first entry to the last exit. Looks narrow that down: the sum divided
/// by the number of threads in it at once.
Measure wall_of(double longest_s, double sum_s, double window_s,
                const std::optional<Observed>& depth) {
  double low = longest_s;
  double high = std::max(low, std::min(sum_s, window_s));
  if (!depth || high <= low * (1 + exact_enough) || depth->value <= 0)
    return between(low, high, (low + high) / 2);
  const double best = std::clamp(sum_s / depth->value, low, high);
  if (depth->low > 0) high = std::clamp(sum_s / depth->low, best, high);
  low = std::clamp(sum_s / depth->high, low, best);
  return between(low, high, best);
}

/// What may have lasted for longer than it was seen.
Measure until_unknown_end(const Measure& seen, double unknown_s, double most_s) {
  if (!(unknown_s > 0)) return seen;
  const double low = seen.low.value_or(seen.value), high = seen.high.value_or(seen.value);
  const double last = std::max(high, std::min(high + unknown_s, most_s));
  Measure made = between(low, last, (low + last) / 2);
  if (made.high) made.source = Source::estimated;
  return made;
}

VisitTimes visit_times(const MergedRegion& region) {
  const double closed = static_cast<double>(region.closed_visits);
  // The markers inside a visit are known on average.
  const double marker_s = region.marker_s / std::max(1.0, static_cast<double>(region.visits));
  const auto without = [&](double time_s) { return std::max(0.0, time_s - marker_s); };
  VisitTimes times;
  times.min = without(region.min_s);
  times.max = without(region.max_s);
  times.first = without(region.first_s);
  const double mean_s = region.sum_s / closed;
  // A mean has in it what a forked child spent in a visit that its parent began: more than any
  // visit of its own.
  times.median = without(mean_s);
  if (const auto ticks = region.histogram.quantile(0.5); ticks && region.closed_visits > 1)
    times.median = without(*ticks / region.ticks_per_second);
  times.median = std::clamp(times.median, times.min, std::max(times.min, times.max));
  times.stddev = std::sqrt(std::max(0.0, region.sum_of_squares / closed - mean_s * mean_s));
  return times;
}

/// The declared work of a region: its own, or what its children declared.
struct Declared {
  double flop = 0, bytes = 0;
};
std::vector<Declared> declared_work(const RegionTree& tree) {
  std::vector<Declared> result(tree.regions().size());
  for (std::size_t i = result.size(); i-- > 0;) {
    const MergedRegion& region = tree[i];
    for (const std::size_t child : region.children) {
      result[i].flop += result[child].flop;
      result[i].bytes += result[child].bytes;
    }
    if (region.declared_flop > 0) result[i].flop = region.declared_flop;
    if (region.declared_bytes > 0) result[i].bytes = region.declared_bytes;
  }
  return result;
}

std::optional<Count> declared_count(double value) {
  if (!(value > 0) || value >= 1.8e19) return std::nullopt;
  Count count;
  count.value = static_cast<std::uint64_t>(std::llround(static_cast<long double>(value)));
  count.source = Source::declared;
  return count;
}

void set_times(Region& row, const MergedRegion& region, const RegionSamples& samples) {
  if (region.ticks_per_second == 0 && region.open_visits == 0) {
    row.missing.push_back({"time.wall", "the clock of this process could not be calibrated",
                           "record a run of more than a few milliseconds"});
    return;
  }
  const double window_s = region.last_possible_exit_s - region.first_entry_s;
  const auto no_limit = std::numeric_limits<double>::infinity();
  const auto set = [&](Work& work, double longest_s, double thread_s, double unknown_s) {
    work.wall_s = until_unknown_end(wall_of(longest_s, thread_s, region.window_s, samples.depth),
                                    unknown_s, window_s);
    work.thread_s =
        until_unknown_end(Measure{thread_s, Source::measured, {}, {}}, unknown_s, no_limit);
  };
  set(row.work, region.longest_s, region.thread_s, region.unknown_end_s);
  set(row.self, region.longest_self_s, region.self_thread_s, region.self_unknown_end_s);
  row.marker_s = region.marker_s;
  if (region.closed_visits > 0) row.visit_s = visit_times(region);
  const double mean_closed_s =
      region.closed_visits > 0 ? region.sum_s / static_cast<double>(region.closed_visits) : 0;
  if (row.visit_s && row.visit_s->stddev > noisy_scatter * mean_closed_s) row.flags.insert("noisy");
  row.ranks = region.ranks;
  if (region.ranks && region.ranks->mean_s > 0)
    row.imbalance = region.ranks->max_s / region.ranks->mean_s;
  else if (region.threads > 1 && region.thread_s > 0)
    row.imbalance = region.longest_s / (region.thread_s / static_cast<double>(region.threads));
  const double mean_visit_s =
      (region.thread_s + region.unknown_end_s) / static_cast<double>(region.visits);
  if (mean_visit_s < too_small_markers * region.marker_cost_s) row.flags.insert("too_small");
}

/// Of a function whose calls the timed run could not see.
void set_counted_visits(Region& row, const SelfCounts& counts) {
  row.missing.push_back({"time.wall", "the timed run could not see its calls", ""});
  if (counts.seen && !counts.passed_over && !counts.partial) {
    row.visits = counts.visits;
    row.visits_source = Source::counted;
  } else {
    row.missing.push_back(
        {"visits", "the counted run did not see all of them", "a longer --budget"});
  }
}

/// What no region can have kept busy more of: the processors of a known machine, and threads, where
/// all that there were are known.
struct CoresThatThereAre {
  double processors = std::numeric_limits<double>::infinity();
  double threads = std::numeric_limits<double>::infinity();

  double most_for(const Region& row) const {
    return std::max(1.0, std::min(processors, std::max(threads, static_cast<double>(row.threads))));
  }
};

void set_cores(Region& row, const RegionSamples& samples, const WholeProgram& whole,
               const CoresThatThereAre& there_are) {
  if (samples.cores) {
    const double most = std::max(samples.cores->value, there_are.processors);
    row.cores_used = Measure{samples.cores->value, Source::measured, samples.cores->low,
                             std::min(samples.cores->high, most)};
    return;
  }
  if (!row.work.wall_s || !(row.work.wall_s->value > 0) || !(whole.wall_s > 0)) return;
  // Too short to have been looked at often: its own threads at least, and at most as many as would
  // have used all of the program's processor time in it.
  const double most = there_are.most_for(row);
  const double own = std::min(row.work.thread_s->value / row.work.wall_s->value, most);
  const double all = (whole.user_s + whole.system_s) / row.work.wall_s->value;
  row.cores_used = Measure{own, Source::estimated, own, std::clamp(all, own, most)};
}

/// MPI time of a mean rank, beside the region's wall time; sleep from the recorder's looks.
void set_waiting(Region& row, const MergedRegion& region, const RegionSamples& samples) {
  if (!region.mpi_s.empty()) {
    std::vector<RankTime> times;
    double sum_s = 0;
    // A rank that made no call there has waited for none.
    std::set<unsigned> ranks;
    for (const ProcessShare& share : region.shares) ranks.insert(share.rank.value_or(0));
    for (const auto& [rank, time_s] : region.mpi_s) ranks.insert(rank);
    for (const unsigned rank : ranks) {
      const auto found = region.mpi_s.find(rank);
      times.push_back({rank, found != region.mpi_s.end() ? found->second : 0});
      sum_s += times.back().time_s;
    }
    row.mpi_s = Measure{sum_s / static_cast<double>(times.size()), Source::measured, {}, {}};
    row.mpi_ranks = spread_of(std::move(times));
  }
  if (samples.asleep && row.work.wall_s && samples.asleep->high > 0) {
    const double wall_s = *mean_rank_s(row);
    row.off_cpu_s =
        Measure{samples.asleep->value * wall_s, Source::estimated, samples.asleep->low * wall_s,
                std::min(1.0, samples.asleep->high) * wall_s};
  }
}

/// Why a pass may have left out what the timed run did.
std::optional<Problem> early_end(const CountedPass& pass) {
  return pass.problem ? pass.problem : pass.other_end;
}

Problem gap_reason(Gap gap, const JoinInput& input) {
  const std::optional<Problem> early = input.counted ? early_end(*input.counted) : std::nullopt;
  const Problem ended = early ? *early
                              : Problem{"the counted run did not enter this region", "",
                                        "make the program take the same path in both runs"};
  switch (gap) {
    case Gap::not_entered:
      return early ? Problem{ended.reason + ", before this region was reached", ended.where,
                             ended.remedy}
                   : ended;
    case Gap::cut_short:
      return {ended.reason + ", inside this region", ended.where, ended.remedy};
    case Gap::passed_over:
    case Gap::not_simulated: {
      const bool simulated = gap == Gap::not_simulated;
      const std::string what =
          simulated ? "its cache accesses were not simulated" : "it was passed over";
      if (input.counted && input.counted->hot_only)
        return {what + ": " + input.counted->hot_only->reason, "", input.counted->hot_only->remedy};
      return {what, "", "--full-cache"};
    }
    case Gap::child:
      return {"a region inside it was not counted", "", "see the regions below it"};
    case Gap::none:
      break;
  }
  return {};
}

void add_missing(Region& row, const std::string& quantity, const Problem& problem) {
  const std::string where = problem.where.empty() ? "" : problem.where + ": ";
  row.missing.push_back({quantity, where + problem.reason, problem.remedy});
}

void set_counts(Region& row, const RegionWork& counted) {
  const auto take = [](Work& to, const Work& from) {
    to.flop = from.flop;
    to.bytes = from.bytes;
    to.operations = from.operations;
    to.mix = from.mix;
  };
  take(row.work, counted.work);
  take(row.self, counted.self);
  row.flags.insert(counted.flags.begin(), counted.flags.end());
}

bool is_whole(const Traffic& traffic) {
  return traffic.read && traffic.write;
}

/// What hardware counted comes first, quantity by quantity; what it could not may have been counted
/// or modelled in another pass.
void take_measured(Work& to, const Work& from) {
  if (!from.flop.empty()) {
    to.flop = from.flop;
    to.mix.clear();  // whose FLOPs these are is not known by class
  }
  for (const auto& [name, count] : from.operations) to.operations.insert_or_assign(name, count);
  for (const auto& [level, traffic] : from.bytes) {
    Traffic& known = to.bytes[level];
    if (is_whole(traffic) || !is_whole(known)) known = traffic;
  }
}

void set_measured(Region& row, const MeasuredRegion& measured, bool also_counted,
                  const std::vector<std::string>& levels) {
  take_measured(row.work, measured.work);
  take_measured(row.self, measured.self);
  row.clock_hz = measured.clock_hz;
  row.flags.insert(measured.flags.begin(), measured.flags.end());
  std::erase_if(row.missing, [&](const Missing& missing) {
    return missing.quantity == "flop" && !row.work.flop.empty();
  });
  for (const Missing& missing : measured.missing) {
    const bool flop = missing.quantity.rfind("flop", 0) == 0;
    if (also_counted && flop && !row.work.flop.empty()) continue;
    bool known = false;
    for (const std::string& level : levels) {
      const auto bytes = row.work.bytes.find(level);
      if (bytes == row.work.bytes.end()) continue;
      known = known || (missing.quantity == "bytes." + level + ".read" && bytes->second.read) ||
              (missing.quantity == "bytes." + level + ".write" && bytes->second.write);
    }
    if (!known) row.missing.push_back(missing);
  }
}

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

/// Threads that could work at this look. A process that only waits for its children, as a shell
/// does for its commands, is not one of them.
std::size_t working_threads(const PlacementSample& sample, const std::set<std::int64_t>& ranks) {
  std::set<std::int64_t> parents, running;
  for (const PlacementSample::Thread& thread : sample.threads) {
    parents.insert(thread.parent_pid);
    if (thread.running) running.insert(thread.pid);
  }
  return static_cast<std::size_t>(std::count_if(
      sample.threads.begin(), sample.threads.end(), [&](const PlacementSample::Thread& thread) {
        if (!ranks.empty()) return ranks.count(thread.pid) != 0;
        return parents.count(thread.pid) == 0 || running.count(thread.pid) != 0;
      }));
}

/// Threads of all processes, where the runtime recorded each from its first instruction: it does so
/// where it counts. Otherwise it knows those alone that entered a region, and the recorder's looks
/// miss threads that live between two of them.
std::optional<std::size_t> all_threads(const std::vector<RawProcess>& processes) {
  std::size_t threads = 0;
  for (const RawProcess& process : processes) {
    if (!process.counting || process.truncated || process.lost_visits > 0) return std::nullopt;
    for (const RawThread& thread : process.threads)
      threads += thread.folded ? thread.ended_threads : 1;
  }
  return threads > 0 ? std::optional(threads) : std::nullopt;
}

CoresThatThereAre cores_that_there_are(const JoinInput& input, const Machine& machine) {
  CoresThatThereAre made;
  const Topology& topology = machine.topology;
  // Of a machine that was not measured nothing is known, not even that it has one core.
  if (!topology.caches.empty() || !machine.compute.empty() || !machine.bandwidth.empty())
    made.processors = static_cast<double>(std::max({1U, topology.cores, topology.threads}));
  if (const auto threads = all_threads(input.native)) {
    std::size_t most = *threads;
    for (const PlacementSample& sample : input.samples)
      most = std::max(most, working_threads(sample, {}));
    made.threads = static_cast<double>(most);
  }
  return made;
}

/// Each look stands for the time until the next one, the last for what is left.
std::uint64_t threads_at_once(const std::vector<PlacementSample>& samples,
                              const std::set<std::int64_t>& ranks, double wall_s) {
  std::vector<double> time_with;
  double seen_s = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double end_s = i + 1 < samples.size() ? samples[i + 1].time_s : wall_s;
    const double lasted_s = std::max(0.0, end_s - samples[i].time_s);
    const std::size_t threads = working_threads(samples[i], ranks);
    if (time_with.size() <= threads) time_with.resize(threads + 1, 0.0);
    time_with[threads] += lasted_s;
    seen_s += lasted_s;
  }
  return most_that_lasted(time_with, seen_s);
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

double coverage(const RegionTree& tree, const std::vector<SelfCounts>& counts) {
  double seen = 0, all = 0;
  for (std::size_t i = 1; i < tree.regions().size(); ++i) {
    if (tree[i].found) continue;  // nobody knows how often it was entered
    all += static_cast<double>(tree[i].visits);
    if (i < counts.size()) seen += static_cast<double>(std::min(tree[i].visits, counts[i].visits));
  }
  return all > 0 ? seen / all : 1.0;
}

/// Times are wall times: what the program waited for a core is in them. Of the time that its
/// threads could have run, summed over them.
std::optional<double> waited_share(const WholeProgram& whole) {
  const double could_run_s = whole.waited_s + whole.user_s + whole.system_s;
  // None at all may be a kernel that does not tell.
  return whole.waited_s > 0 ? std::optional(whole.waited_s / could_run_s) : std::nullopt;
}
bool waited_much(const WholeProgram& whole) {
  return waited_share(whole).value_or(0) > noisy_waiting;
}

void note_waiting(const WholeProgram& whole, Profile& profile) {
  if (waited_much(whole))
    profile.notes.push_back(
        fmt::format("The program's threads, taken together, were ready to run for {:.2g} s without "
                    "getting a core "
                    "and ran for {:.2g} s: its times are longer for it. Others used the machine, "
                    "or the program "
                    "has more threads than there are cores. Record again on a quiet machine.",
                    whole.waited_s, whole.user_s + whole.system_s));
}

std::string counted_noun(std::uint64_t count, const char* one, const char* several) {
  return std::to_string(count) + ' ' + (count == 1 ? one : several);
}

bool has_open_visit(const RawProcess& process) {
  for (const RawThread& thread : process.threads)
    for (const RawNode& node : thread.nodes)
      if (node.open_since) return true;
  return false;
}

void note_processes(const JoinInput& input, Profile& profile) {
  for (const RawProcess& process : input.native) {
    const std::string name =
        "Process " + std::to_string(process.pid) + " (" + base_name(process.executable) + "): ";
    if (process.truncated)
      profile.notes.push_back(name + "the recording had no room for all regions (" +
                              process.truncated_reason + "); what is missing is in `(other)`.");
    if (process.lost_visits > 0)
      profile.notes.push_back(name + counted_noun(process.lost_visits, "visit was", "visits were") +
                              " not recorded for want of room.");
    if (process.stale_exits > 0)
      profile.notes.push_back(
          name + counted_noun(process.stale_exits, "region was", "regions were") + " left that " +
          (process.stale_exits == 1 ? "was" : "were") + " not open any more.");
    if (process.pid != input.whole.pid && !process.ended && has_open_visit(process))
      profile.notes.push_back(
          name +
          "it ended inside a region by a signal or exec, and nobody saw when: what "
          "was open has a range of times, up to the program's end.");
    for (const std::string& damage : process.damage) profile.notes.push_back(name + damage);
  }
}

void note_counts(const JoinInput& input, const std::set<std::size_t>& launching, Profile& profile) {
  std::set<std::string> notes;
  const auto& processes = input.counted->processes;
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (launching.count(i) == 0) notes.insert(processes[i].notes.begin(), processes[i].notes.end());
  if (std::string note = launcher_note(*input.counted, launching); !note.empty())
    notes.insert(std::move(note));
  profile.notes.insert(profile.notes.end(), notes.begin(), notes.end());
}

/// Hot paths first: what was not counted, with its share of the run.
void note_not_reached(const JoinInput& input, const RegionTree& tree,
                      const std::vector<RegionWork>& work, Profile& profile) {
  const std::optional<Problem> early = early_end(*input.counted);
  if (!early || !(input.whole.wall_s > 0)) return;
  std::vector<std::size_t> gaps;
  for (std::size_t i = 1; i < work.size(); ++i)
    if (work[i].flop_gap == Gap::not_entered || work[i].flop_gap == Gap::cut_short ||
        work[i].flop_gap == Gap::passed_over)
      gaps.push_back(i);
  // Another end need not have cost any counts.
  if (gaps.empty() && !input.counted->problem) return;
  std::sort(gaps.begin(), gaps.end(), [&](std::size_t a, std::size_t b) {
    return tree[a].self_thread_s > tree[b].self_thread_s;
  });
  constexpr std::size_t named = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(named, gaps.size()); ++i) {
    std::string name;
    for (const std::string& part : tree.path(gaps[i])) name += (name.empty() ? "" : "/") + part;
    list += (i > 0 ? ", " : "") + name;
  }
  if (gaps.size() > named) list += " and " + std::to_string(gaps.size() - named) + " more";
  const Problem& problem = *early;
  profile.notes.push_back("Counts are incomplete: " + problem.reason +
                          (list.empty() ? "" : "; not counted, the slowest first: " + list) +
                          (problem.remedy.empty() ? "." : ". What helps: " + problem.remedy + "."));
}

/// Where nothing was counted, a region stands at what was declared inside it, which need not be
/// all.
void note_declared_inside(Profile& profile) {
  for (const Region& region : profile.regions) {
    const Work& work = region.work;
    if (!work.declared_flop || region.self.declared_flop || !work.flop.empty()) continue;
    profile.notes.push_back(
        "Regions that were not counted and declare nothing themselves (" +
        (region.path.empty() ? std::string("the whole program") : "`" + region.path.back() + "`") +
        ", for one) have the FLOPs and bytes that were declared inside them: what else they did is "
        "not in them.");
    return;
  }
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
  profile.program.large_page_share = input.whole.large_page_share;
  profile.program.memory_kind = input.whole.memory_kind;
  profile.program.remote_memory_share = input.whole.remote_memory_share;
  profile.program.waited_share = waited_share(input.whole);
  if (!profile.program.ranks) profile.program.ranks = job_of(input.native);
  RegionTree tree;
  const std::string executable = main_executable(input);
  for (const RawProcess& process : input.native) tree.add(process, input, executable);
  tree.finish();
  std::vector<const FoundCode*> found;
  if (input.found) {
    found = plant(*input.found, tree);
    profile.sampling =
        Sampling{input.found->means, input.found->samples, input.found->frequency_hz};
    profile.notes.insert(profile.notes.end(), input.found->notes.begin(), input.found->notes.end());
  }

  std::vector<SelfCounts> counts;
  std::vector<RegionWork> work;
  std::set<std::size_t> launching;
  if (input.counted) {
    launching = launchers(*input.counted, input.native);
    counts = collect(*input.counted, executable, launching, tree);
    counts.resize(tree.regions().size());
    if (input.found) settle_found(*input.counted, found, tree, counts);
    work = counted_work(*input.counted, counts, tree);
    note_counts(input, launching, profile);
    note_not_reached(input, tree, work, profile);
    for (Pass& pass : profile.passes)
      if (pass.purpose == "counts") pass.coverage = coverage(tree, counts);
  }
  std::vector<MeasuredRegion> measured;
  if (input.measured) {
    measured = measured_work(*input.measured, input.native, executable, time_facts(input), tree);
    for (std::string& note : measured_notes(*input.measured, input.native))
      profile.notes.push_back(std::move(note));
    counts.resize(tree.regions().size());
    if (input.counted) work.resize(tree.regions().size());
  }
  const std::vector<RegionSamples> samples = evaluate(input.samples, tree);
  const CoresThatThereAre there_are = cores_that_there_are(input, profile.machine);
  const std::vector<Declared> declared = declared_work(tree);
  const std::vector<std::string> levels = interfaces(input.counted ? &*input.counted : nullptr);
  const Problem not_counted =
      input.not_counted.value_or(Problem{"no counted run was made", "", "--counters auto"});

  const std::vector<std::size_t> rows = reading_order(tree);
  for (const std::size_t i : rows) {
    const MergedRegion& region = tree[i];
    const bool is_root = i == RegionTree::root;
    const bool visited = region.visits > 0;
    Region row = is_root ? whole_program_row(input, tree) : Region{};
    const FoundCode* const code = i < found.size() ? found[i] : nullptr;
    if (code != nullptr) {
      row.path = tree.path(i);
      set_found(row, *code);
    } else if (!is_root) {
      row.path = tree.path(i);
      row.visits = region.visits;
      row.threads = region.threads;
      row.flags = region.flags;
      if (visited) {
        set_times(row, region, samples[i]);
        set_cores(row, samples[i], input.whole, there_are);
        set_waiting(row, region, samples[i]);
      } else if (input.only_counted.contains(region.name)) {
        set_counted_visits(row, i < counts.size() ? counts[i] : SelfCounts());
      } else if (i < counts.size() && counts[i].visits > 0) {
        row.missing.push_back({"time.wall", "only the counted run entered it",
                               "make the program take the same path in both runs"});
        row.flags.insert("visits_differ");
      } else {
        row.missing.push_back({"time.wall", "no visit of it was seen, only regions inside it", ""});
      }
    }
    row.work.declared_flop = declared_count(declared[i].flop);
    row.work.declared_bytes = declared_count(declared[i].bytes);
    row.self.declared_flop = declared_count(region.declared_flop);
    row.self.declared_bytes = declared_count(region.declared_bytes);
    if (!work.empty()) {
      set_counts(row, work[i]);
      const auto reason = [&](Gap gap) {
        return code != nullptr && gap != Gap::not_simulated ? found_gap_reason(*code, gap, input)
                                                            : gap_reason(gap, input);
      };
      if (work[i].flop_gap != Gap::none) add_missing(row, "flop", reason(work[i].flop_gap));
      for (const auto& [level, gap] : work[i].bytes_gap)
        add_missing(row, "bytes." + level, reason(gap));
    } else if (measured.empty()) {
      add_missing(row, "flop", not_counted);
      for (const std::string& level : levels) add_missing(row, "bytes." + level, not_counted);
    }
    if (!measured.empty() && code == nullptr) set_measured(row, measured[i], !work.empty(), levels);
    if (!measured.empty() && code != nullptr && work.empty())
      add_missing(row, "flop",
                  {"hardware counters counted the program as a whole", "",
                   input.not_counted ? input.not_counted->remedy : "--counters emulated"});
    if (waited_much(input.whole)) row.flags.insert("noisy");
    profile.regions.push_back(std::move(row));
  }
  if (input.counted)
    add_thread_shares(*input.counted, input.native, executable, launching, rows, tree, profile);
  note_waiting(input.whole, profile);
  note_processes(input, profile);
  note_declared_inside(profile);
}

}  // namespace roofmark
