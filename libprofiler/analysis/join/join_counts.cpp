#include <algorithm>
#include <analysis/join/join_counts.hpp>
#include <analysis/join/sampling_error.hpp>
#include <analysis/profile/count_sum.hpp>
#include <cmath>

namespace roofmark {
namespace {

void add(std::vector<ComputeClass>& mix, const ComputeClass& part) {
  for (ComputeClass& known : mix) {
    if (known.precision != part.precision || known.width_bits != part.width_bits ||
        known.operation != part.operation)
      continue;
    known.flop += part.flop;
    return;
  }
  mix.push_back(part);
}

void add(CountRange& sum, const CountRange& part) {
  sum.value += part.value;
  sum.low += part.low;
  sum.high += part.high;
}

/// Brings counts from the visits of the counted pass to those of the native pass.
class Scaling {
 public:
  /// `unfinished`: native visits that did only some of their work, and whose counted ones did all.
  Scaling(const SelfCounts& counts, std::uint64_t native_visits, std::uint64_t unfinished) {
    if (counts.visits == 0 || native_visits == 0) return;  // it was only passed through
    // A visit that the pass did not see the end of did some of its work.
    const double open = static_cast<double>(counts.open_visits);
    const double most = static_cast<double>(counts.visits);
    const double native = static_cast<double>(native_visits);
    const double ended_early = static_cast<double>(std::min(unfinished, native_visits));
    const bool complete = counts.open_visits == 0 && unfinished == 0;
    if (complete && counts.visits == native_visits) return;
    exact_ = false;
    factor_ = (native - ended_early / 2) / (most - open / 2);
    low_ = std::min(1.0, (native - ended_early) / most);
    high_ = std::max(1.0, native / std::max(most - open, 0.5));
    visits_differ_ = counts.visits != native_visits;
  }

  bool exact() const { return exact_; }
  bool visits_differ() const { return visits_differ_; }
  std::uint64_t value(std::uint64_t count) const { return times(count, factor_); }
  std::uint64_t low(std::uint64_t count) const { return times(count, low_); }
  std::uint64_t high(std::uint64_t count) const { return times(count, high_); }

 private:
  std::uint64_t times(std::uint64_t count, double factor) const {
    if (exact_) return count;
    return static_cast<std::uint64_t>(
        std::llround(static_cast<long double>(count) * static_cast<long double>(factor)));
  }

  bool exact_ = true, visits_differ_ = false;
  double factor_ = 1, low_ = 1, high_ = 1;
};

struct Labels {
  std::string collector;
  std::string sampling;
  std::map<std::string, std::string> caches;  ///< modelled smaller than reported
};

/// The range of a sample is one of its value and of what the sets left out may have done otherwise.
CountRange widened(CountRange range, const DirectionError& error) {
  const auto value = static_cast<double>(range.value);
  if (range.value > 0 && !(error.relative > 0)) return range;
  const auto low = static_cast<std::uint64_t>(std::max(0.0, value * (1 - error.relative)));
  const auto high = static_cast<std::uint64_t>(std::ceil(value * (1 + error.relative)));
  const std::uint64_t most = std::max({range.high, high, error.least_high_bytes});
  return {range.value, std::min(range.low, low), most};
}

Count count_of(const CountRange& modelled, Source source, const Scaling& scaling,
               const Labels& labels, const DirectionError& sampling_error = {},
               bool sampled = false) {
  const CountRange range = widened(modelled, sampling_error);
  Count count;
  count.value = scaling.value(range.value);
  count.source = source;
  count.collector = labels.collector;
  count.scope = Scope::process;
  const std::uint64_t low = scaling.low(range.low);
  const std::uint64_t high = scaling.high(range.high);
  if (low != high) {
    count.low = low;
    count.high = high;
  }
  if (modelled.low != modelled.high) count.caveats.push_back("replacement policy");
  if (scaling.visits_differ()) count.caveats.push_back("visits differ");
  if (sampled && !labels.sampling.empty()) count.caveats.push_back(labels.sampling);
  return count;
}

Count count_of(std::uint64_t value, const Scaling& scaling, const Labels& labels) {
  return count_of(CountRange{value, value, value}, Source::counted, scaling, labels);
}

/// What comes from a level depends on how large the caches before it are.
bool lies_beyond(const std::string& level, const std::string& cache) {
  return level.front() != 'L' || level > cache;
}

void fill(Work& work, const SelfCounts& counts, const Scaling& scaling, const Labels& labels) {
  // What executes no instruction of a precision has counted zero of it: that is known.
  std::map<Precision, std::uint64_t> flop{
      {Precision::f64, 0}, {Precision::f32, 0}, {Precision::x87, 0}};
  for (const ComputeClass& part : counts.mix) {
    flop[part.precision] += part.flop;
    ComputeClass scaled = part;
    scaled.flop = scaling.value(part.flop);
    work.mix.push_back(scaled);
  }
  for (const auto& [precision, value] : flop)
    work.flop[precision] = count_of(value, scaling, labels);
  for (const auto& [name, value] : counts.operations)
    work.operations[name] = count_of(value, scaling, labels);
  const auto errors = sampling_errors(counts.bytes, labels.sampling);
  for (const auto& [level, traffic] : counts.bytes) {
    const Source source = level == "L1" ? Source::counted : Source::modelled;
    // All that L1 lets through is simulated.
    const bool sampled = level != "L1" && level != "L2";
    const auto found = errors.find(level);
    const SamplingError error = found == errors.end() ? SamplingError{} : found->second;
    Traffic& bytes = work.bytes[level];
    bytes = {count_of(traffic.read, source, scaling, labels, error.read, sampled),
             count_of(traffic.write, source, scaling, labels, error.write, sampled)};
    for (const auto& [cache, reduced] : labels.caches)
      if (lies_beyond(level, cache))
        for (Count* count : {&*bytes.read, &*bytes.write}) count->caveats.push_back(reduced);
  }
}

void add(Count& sum, const Count& part) {
  add_values(sum, part);
  for (const std::string& caveat : part.caveats)
    if (std::find(sum.caveats.begin(), sum.caveats.end(), caveat) == sum.caveats.end())
      sum.caveats.push_back(caveat);
}

template <class Key>
void add(std::map<Key, Count>& sums, const std::map<Key, Count>& parts) {
  for (const auto& [key, part] : parts) {
    const auto [found, is_new] = sums.try_emplace(key, part);
    if (!is_new) add(found->second, part);
  }
}

void add(RegionWork& parent, const RegionWork& child) {
  add(parent.work.flop, child.work.flop);
  add(parent.work.operations, child.work.operations);
  for (const ComputeClass& part : child.work.mix) add(parent.work.mix, part);
  for (const auto& [level, traffic] : child.work.bytes) {
    const auto [found, is_new] = parent.work.bytes.try_emplace(level, traffic);
    if (is_new) continue;
    add(*found->second.read, *traffic.read);
    add(*found->second.write, *traffic.write);
  }
}

bool has_work(const SelfCounts& counts, const MergedRegion& region) {
  return counts.seen || region.visits > 0;
}

}  // namespace

std::vector<std::string> interfaces(const CountedPass* pass) {
  std::vector<std::string> names{"L1"};
  if (pass != nullptr)
    for (const ProcessCounts& process : pass->processes) {
      if (process.geometry.empty()) continue;
      for (std::size_t i = 1; i < process.geometry.size(); ++i)
        names.push_back(process.geometry[i].name);
      names.push_back("DRAM");
      return names;
    }
  return {"L1", "L2", "L3", "DRAM"};
}

std::size_t region_of(const RegionCounts& row, const ProcessCounts& process,
                      const std::string& main_executable, RegionTree& tree) {
  std::vector<std::string> path = row.path;
  // Code is the same in whichever program it runs.
  if (base_name(process.exe) != base_name(main_executable) && !path.empty() &&
      !tree.is_found(path.front()))
    path.front() = foreign_name(path.front(), process.exe);
  const bool other = path.size() == 1 &&
                     std::find(row.flags.begin(), row.flags.end(), "truncated") != row.flags.end();
  return other ? tree.other(path.front()) : tree.region(path);
}

std::vector<SelfCounts> collect(const CountedPass& pass, const std::string& main_executable,
                                const std::set<std::size_t>& left_out, RegionTree& tree) {
  std::vector<SelfCounts> counts(tree.regions().size());
  for (std::size_t i = 0; i < pass.processes.size(); ++i) {
    if (left_out.count(i) != 0) continue;
    const ProcessCounts& process = pass.processes[i];
    for (const RegionCounts& row : process.regions) {
      const std::size_t region = region_of(row, process, main_executable, tree);
      if (counts.size() < tree.regions().size()) counts.resize(tree.regions().size());
      SelfCounts& sum = counts[region];
      sum.seen = true;
      sum.visits += row.visits;
      for (const std::string& flag : row.flags) {
        if (flag == "unclosed") {
          ++sum.open_visits;
          sum.left_open = sum.left_open || (pass.left_running && process.pid != pass.main_pid);
        } else if (flag == "passed_over")
          sum.passed_over = true;
        else if (flag == "partial")
          sum.partial = true;
        else
          sum.flags.insert(flag);
      }
      for (const ComputeClass& part : row.mix) add(sum.mix, part);
      for (const auto& [name, value] : row.operations) sum.operations[name] += value;
      for (const auto& [level, traffic] : row.bytes) {
        add(sum.bytes[level].read, traffic.read);
        add(sum.bytes[level].write, traffic.write);
      }
    }
  }
  return counts;
}

std::vector<RegionWork> counted_work(const CountedPass& pass, const std::vector<SelfCounts>& counts,
                                     const RegionTree& tree) {
  const std::size_t size = tree.regions().size();
  const std::vector<std::string> levels = interfaces(&pass);
  Labels labels{pass.collector, "", pass.reduced_caches};
  for (const ProcessCounts& process : pass.processes)
    if (labels.sampling.empty()) labels.sampling = process.sampling;

  std::vector<RegionWork> result(size);
  for (std::size_t i = size; i-- > 0;) {
    RegionWork& region = result[i];
    const SelfCounts& own = counts[i];
    const MergedRegion& merged = tree[i];
    // An end that did not come natively either is no reason to doubt the counts, but that of what
    // went on behind the program's: nobody knows how far it was in the timed run.
    const bool cut_short =
        own.left_open ||
        (own.open_visits > 0 &&
         (pass.problem || (pass.other_end && own.open_visits > merged.open_visits)));
    SelfCounts scaled = own;
    if (!cut_short) scaled.open_visits = 0;
    const std::uint64_t unfinished =
        merged.open_visits > own.open_visits ? merged.open_visits - own.open_visits : 0;
    const bool nothing_closed = cut_short && own.visits <= own.open_visits && i != RegionTree::root;
    const Scaling scaling(scaled, i == RegionTree::root ? 0 : merged.visits, unfinished);
    region.flags = own.flags;
    if (scaling.visits_differ()) region.flags.insert("visits_differ");

    // What is known per visit is no sum without the timed run's visits.
    const bool can_scale = i == RegionTree::root || merged.found || merged.visits > 0;
    if (!own.seen && merged.visits > 0)
      region.flop_gap = Gap::not_entered;
    else if (own.partial || (own.passed_over && (own.visits == 0 || !can_scale)))
      region.flop_gap = Gap::passed_over;
    // Outside of regions, and in functions that are told by their code, there are no visits to hold
    // the two runs against each other by.
    else if (nothing_closed || ((i == RegionTree::root || merged.found) && pass.doubt()))
      region.flop_gap = Gap::cut_short;
    if (region.flop_gap == Gap::none) fill(region.self, own, scaling, labels);
    for (const std::string& level : levels)
      if (region.flop_gap != Gap::none)
        region.bytes_gap[level] = region.flop_gap;
      else if (region.self.bytes.count(level) == 0 && has_work(own, merged))
        region.bytes_gap[level] = Gap::not_simulated;

    const bool has_modelled = region.self.bytes.size() > region.self.bytes.count("L1");
    if (has_modelled && !labels.sampling.empty()) region.flags.insert("sampled");

    // Children come after their parents, so theirs are complete.
    RegionWork inclusive;
    inclusive.work = region.self;
    for (const std::size_t child : merged.children) {
      add(inclusive, result[child]);
      // The mix of a region is that of all that runs inside it.
      for (const char* of_all : {"isa_differs", "sampled"})
        if (result[child].flags.count(of_all) != 0) region.flags.insert(of_all);
      // Code that did not run in the counted run did nothing there.
      if (tree[child].found) continue;
      if (result[child].flop_gap != Gap::none && region.flop_gap == Gap::none)
        region.flop_gap = Gap::child;
      for (const auto& [level, gap] : result[child].bytes_gap)
        region.bytes_gap.try_emplace(level, Gap::child);
    }
    region.work = std::move(inclusive.work);
    if (region.flop_gap != Gap::none) {
      region.work.flop.clear();
      region.work.mix.clear();
      region.work.operations.clear();
    }
    for (const auto& [level, gap] : region.bytes_gap) region.work.bytes.erase(level);
  }
  return result;
}

}  // namespace roofmark
