#include "measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/text/quantities.hpp"
#include "core_kinds.hpp"
#include "event_sums.hpp"
#include "region_clock.hpp"

namespace roofmark {
namespace {

/// Half the width of the range around a value: two thirds of the scatter lie in one of these.
constexpr double deviations = 2;
/// A count that the markers' scatter leaves uncertain by more than this share is flagged.
constexpr double certain_enough = 0.1;

const char* direction_word(std::string_view quantity) {
  return quantity.size() > 5 && quantity.substr(quantity.size() - 5) == ".read" ? "read" : "write";
}

/// "L3" of "bytes.L3.read".
std::string level_of(const std::string& quantity) {
  const std::size_t first = quantity.find('.') + 1;
  return quantity.substr(first, quantity.find('.', first) - first);
}

class Evaluation {
 public:
  Evaluation(const MeasuredPasses& passes, const RegionSums& sums) : passes_(passes), sums_(sums) {
    for (std::size_t g = 0; g < sums.size(); ++g) {
      scaled_.push_back({g, difference(sums[g], false)});
      unscaled_.push_back({g, difference(sums[g], true)});
    }
  }

  Result<Count> count(const Formula& formula) const {
    const std::vector<std::pair<const Lack*, double>> lacking = lacks(formula);
    for (const auto& [lack, share] : lacking)
      if (share > seldom_there) return tl::unexpected(not_there(*lack, share, formula));
    const auto value = evaluate(formula, events(formula.scope, scaled_), passes_.variables);
    const std::vector<const GroupSums*> groups = groups_of(formula);
    if (!value) {
      for (const GroupSums* group : groups)
        if (!group->complete()) return tl::unexpected(why_absent(*group, formula));
      return tl::unexpected(value.error());
    }
    Count count;
    count.value = *value;
    count.source = Source::measured;
    count.collector = passes_.collector;
    count.scope = formula.scope == Scope::socket ? Scope::socket : Scope::process;
    label_bound(count, formula);
    label_visits(count, formula);
    label_coverage(count, groups, formula);
    label_kinds(count, groups, lacking);
    label_scatter(count, formula, groups);
    count.caveats.insert(count.caveats.end(), formula.caveats.begin(), formula.caveats.end());
    return count;
  }

  /// Nothing of the formula was visited here: 0 would be made up.
  bool has_visits(const Formula& formula) const {
    const auto groups = groups_of(formula);
    return std::any_of(groups.begin(), groups.end(),
                       [](const GroupSums* group) { return group->visits != 0; });
  }

 private:
  /// The kernel's view of a group's visits together. Without visits nothing was missed.
  perf::Difference difference(const GroupSums& group, bool unscaled) const {
    perf::Difference made;
    made.count = static_cast<unsigned>(group.events.size());
    made.enabled_ns = rounded(group.enabled);
    made.running_ns = rounded(group.running);
    for (std::size_t e = 0; e < group.events.size(); ++e)
      made.values[e] = rounded(unscaled ? group.events[e].unscaled : group.events[e].value);
    if (group.complete() || group.whole != 0)
      made.ran = perf::Ran::whole;
    else
      made.ran = perf::Ran::not_at_all;
    if (passes_.multiplexed && group.part + group.missed != 0 && made.running_ns != 0)
      made.ran = made.running_ns < made.enabled_ns ? perf::Ran::part : perf::Ran::whole;
    return made;
  }

  static std::uint64_t rounded(long double value) {
    return value > 0 ? static_cast<std::uint64_t>(std::roundl(value)) : 0;
  }

  EventCounts events(Scope scope, const std::vector<GroupCounts>& counts) const {
    if (passes_.multiplexed) return scaled_event_counts(passes_.plan, counts, scope).counts;
    return event_counts(passes_.plan, counts, scope);
  }

  /// The groups that count the formula's events, one pass for each event.
  std::vector<const GroupSums*> groups_of(const Formula& formula) const {
    std::vector<const GroupSums*> groups;
    for_terms(formula, [&](const FormulaTerm&, std::size_t g, std::size_t) {
      if (std::find(groups.begin(), groups.end(), &sums_[g]) == groups.end())
        groups.push_back(&sums_[g]);
    });
    return groups;
  }

  template <class Visit>
  void for_terms(const Formula& formula, const Visit& visit) const {
    for (const FormulaTerm& term : formula.sum) {
      std::set<std::pair<std::string, int>> seen;  // an event may be in two passes
      for (std::size_t g = 0; g < sums_.size(); ++g) {
        const PlannedGroup& planned = passes_.plan.groups[g];
        if ((planned.cpu >= 0) != (formula.scope == Scope::socket)) continue;
        for (std::size_t e = 0; e < planned.events.size(); ++e)
          if (planned.events[e].name == term.event &&
              seen.insert({planned.pmu, planned.cpu}).second)
            visit(term, g, e);
      }
    }
  }

  Problem refused(const GroupSums& group) const {
    if (group.refusal && passes_.explain) return passes_.explain(*group.refusal, pass_of(group));
    return {"its counters could not be read", "", "roofmark check"};
  }
  unsigned pass_of(const GroupSums& group) const {
    return passes_.plan.groups[static_cast<std::size_t>(&group - sums_.data())].pass;
  }

  Problem why_incomplete(const GroupSums& group) const {
    if (group.unclosed != 0)
      return {"the program ended inside a visit", "", "let it end by itself"};
    if (group.unread != 0) return refused(group);
    return {"others had the counters for a part of the time", "",
            "end other users of the counters (`perf`, a debugger), or --multiplex"};
  }

  Problem why_absent(const GroupSums& group, const Formula& formula) const {
    Problem problem = why_incomplete(group);
    if (group.unread == 0 && group.part == 0)
      problem = {"its counters did not run in any visit: others had them", "",
                 "end other users of the counters (`perf`, a debugger)"};
    problem.where = formula.quantity;
    return problem;
  }

  /// Kinds of cores that can't count it and on which threads were, with the share of the time.
  std::vector<std::pair<const Lack*, double>> lacks(const Formula& formula) const {
    std::vector<std::pair<const Lack*, double>> all;
    const auto known = passes_.plan.lacks.find(&formula);
    if (known == passes_.plan.lacks.end()) return all;
    for (const Lack& lack : known->second)
      if (const auto share = share_on(passes_.plan, sums_, formula, lack.kind); share && *share > 0)
        all.emplace_back(&lack, *share);
    return all;
  }

  Problem not_there(const Lack& lack, double share, const Formula& formula) const {
    return {fmt::format("on {}, where its threads were for {} of the time, it can't be counted: {}",
                        passes_.plan.kinds[lack.kind].words, text::percent_text(share),
                        lack.problem.reason),
            formula.quantity, lack.problem.remedy};
  }

  /// What was counted on other kinds of cores than these is a lower bound.
  void label_kinds(Count& count, const std::vector<const GroupSums*>& groups,
                   const std::vector<std::pair<const Lack*, double>>& lacking) const {
    for (const auto& [lack, share] : lacking) {
      count.source = Source::estimated;
      count.low = count.value;
      count.caveats.push_back(
          fmt::format("lower bound: {} of the time was on {}, where it can't be counted",
                      text::percent_text(share), passes_.plan.kinds[lack->kind].words));
    }
    double least = 1;
    for (const GroupSums* group : groups)
      if (group->complete()) least = std::min(least, group->ran_share);
    if (least < 1 - unnoticed_loss)
      widen(count, count.value,
            rounded(static_cast<long double>(count.value) / static_cast<long double>(least)));
  }

  static void label_bound(Count& count, const Formula& formula) {
    if (formula.bound == Bound::exact) return;
    if (formula.bound == Bound::lower) count.low = count.value;
    if (formula.bound == Bound::upper) count.high = count.value;
    count.caveats.push_back(formula.bound == Bound::lower   ? "lower bound"
                            : formula.bound == Bound::upper ? "upper bound"
                                                            : "estimate");
  }

  void label_visits(Count& count, const Formula& formula) const {
    const auto groups = groups_of(formula);
    if (std::none_of(groups.begin(), groups.end(),
                     [](const GroupSums* group) { return group->visits_differ; }))
      return;
    const auto other = evaluate(formula, events(formula.scope, unscaled_), passes_.variables);
    if (!other) return;
    widen(count, std::min(count.value, *other), std::max(count.value, *other));
    count.caveats.push_back("visits differ");
  }

  void label_coverage(Count& count, const std::vector<const GroupSums*>& groups,
                      const Formula& formula) const {
    const GroupSums* worst = nullptr;
    for (const GroupSums* group : groups)
      if (!group->complete() && (worst == nullptr || group->whole < worst->whole)) worst = group;
    if (worst != nullptr && passes_.multiplexed && worst->unread == 0) {
      const double factor =
          scaled_event_counts(passes_.plan, scaled_, formula.scope).largest_factor;
      count.source = Source::estimated;
      count.caveats.push_back(fmt::format("multiplexed: scaled by up to {:.3g}", factor));
    } else if (worst != nullptr) {
      count.source = Source::estimated;
      count.low = count.value;
      count.caveats.push_back(fmt::format("lower bound: counted in {} of {} visits ({})",
                                          worst->whole, worst->visits,
                                          why_incomplete(*worst).reason));
    }
    for (const GroupSums* group : groups)
      if (group->blind != 0 && formula.scope != Scope::socket) {
        count.source = Source::estimated;
        count.low = count.value;
        count.caveats.push_back(
            "lower bound: threads without regions of their own could not be read");
        break;
      }
  }

  /// What the markers themselves count is taken out; how much that scatters is what remains.
  void label_scatter(Count& count, const Formula& formula,
                     const std::vector<const GroupSums*>& groups) const {
    long double variance = 0;
    for_terms(formula, [&](const FormulaTerm& term, std::size_t g, std::size_t e) {
      variance += term.weight * term.weight * sums_[g].events[e].variance;
    });
    const auto spread = static_cast<std::uint64_t>(std::llround(deviations * std::sqrt(variance)));
    if (spread == 0) return;
    widen(count, count.value - std::min(count.value, spread), count.value + spread);
    const double value = static_cast<double>(count.value), wide = static_cast<double>(spread);
    std::uint64_t visits = 0;
    for (const GroupSums* group : groups) visits = std::max(visits, group->visits);
    if (wide <= certain_enough * value || visits == 0) return;
    const std::string start =
        fmt::format("reading the counters counts too, \302\261{} here", spread);
    if (count.value == 0) {
      count.caveats.push_back(start);
      return;
    }
    // The work grows with the visits, the scatter with their root.
    const double more = wide / (certain_enough * value);
    count.caveats.push_back(fmt::format("{}: {:.0f} visits would give 10 %", start,
                                        std::ceil(static_cast<double>(visits) * more * more)));
  }

  static void widen(Count& count, std::uint64_t low, std::uint64_t high) {
    count.low = std::min(count.low.value_or(low), low);
    count.high = std::max(count.high.value_or(high), high);
  }

  const MeasuredPasses& passes_;
  const RegionSums& sums_;
  std::vector<GroupCounts> scaled_, unscaled_;
};

/// Counts of one quantity, by scope.
struct Candidates {
  std::optional<Count> process, socket;
};

bool is_uncertain(const Count& count) {
  return count.low && count.high && *count.high > *count.low && count.value != 0 &&
         static_cast<double>(*count.high - *count.low) >
             2 * certain_enough * static_cast<double>(count.value);
}

class Filler {
 public:
  Filler(const MeasuredPasses& passes, const MergedRegion& region, MeasuredRegion& result)
      : passes_(passes), region_(region), result_(result) {}

  void fill(Work& work, const RegionSums& sums, bool tell) {
    const Evaluation evaluation(passes_, sums);
    std::map<std::string, std::map<std::string, Candidates>> bytes;  // level, direction
    for (const Formula* formula : passes_.plan.formulas) {
      if (!evaluation.has_visits(*formula)) {
        if (tell && formula->scope == Scope::socket && region_.visits != 0)
          missing(formula->quantity, {"a socket's counters are read at the main thread's regions",
                                      "", "see the region around it"});
        continue;
      }
      auto count = evaluation.count(*formula);
      if (!count) {
        if (tell) missing(formula->quantity, count.error());
        continue;
      }
      if (is_uncertain(*count)) result_.flags.insert("uncertain_counts");
      put(work, bytes, *formula, std::move(*count));
    }
    for (auto& [level, directions] : bytes) choose(work.bytes[level], level, directions);
    for (auto at = work.bytes.begin(); at != work.bytes.end();)
      at = !at->second.read && !at->second.write ? work.bytes.erase(at) : std::next(at);
  }

  void missing(const std::string& quantity, const Problem& problem) {
    const auto same = [&](const Missing& other) { return other.quantity == quantity; };
    if (std::any_of(result_.missing.begin(), result_.missing.end(), same)) return;
    result_.missing.push_back({quantity, problem.reason, problem.remedy});
  }

 private:
  void put(Work& work, std::map<std::string, std::map<std::string, Candidates>>& bytes,
           const Formula& formula, Count count) {
    const std::string& quantity = formula.quantity;
    if (quantity.rfind("flop.", 0) == 0) {
      const auto precision = parse_word<Precision>(quantity.substr(5));
      if (precision) work.flop.insert_or_assign(*precision, std::move(count));
    } else if (quantity.rfind("bytes.", 0) == 0) {
      Candidates& both = bytes[level_of(quantity)][direction_word(quantity)];
      (formula.scope == Scope::socket ? both.socket : both.process) = std::move(count);
    } else {
      work.operations.insert_or_assign(quantity, std::move(count));
    }
  }

  /// A direction of the process beside one of the socket makes no sum: both of one scope where that
  /// is to be had, the socket's where the program has it to itself.
  void choose(Traffic& traffic, const std::string& level,
              std::map<std::string, Candidates>& directions) {
    Candidates& read = directions["read"];
    Candidates& write = directions["write"];
    const bool of_process = read.process && write.process;
    const bool of_socket = read.socket && write.socket;
    const bool own = of_socket && owns_socket(level, *read.socket, *write.socket);
    if (own && !of_process) result_.flags.insert("owns_socket");
    const bool take_socket = !of_process && of_socket;
    const auto pick = [&](Candidates& from) -> std::optional<Count> {
      if (take_socket || (!from.process && from.socket)) return std::move(from.socket);
      return std::move(from.process);
    };
    traffic = {pick(read), pick(write)};
    if (!take_socket) return;
    for (Count* count : {&*traffic.read, &*traffic.write})
      count->caveats.insert(count->caveats.begin(),
                            own ? "whole socket, which the program had to itself"
                                : "whole socket: all programs on it together");
  }

  bool owns_socket(const std::string& level, const Count& read, const Count& write) const {
    const SocketWitness& witness = passes_.socket;
    if (!witness.others_cpu_share || *witness.others_cpu_share > own_socket_share) return false;
    double others = 0;
    for (const char* direction : {".read", ".write"}) {
      const auto found = witness.others_per_s.find("bytes." + level + direction);
      if (found == witness.others_per_s.end()) return false;
      others += found->second * region_.window_s;
    }
    return others <= own_socket_share * static_cast<double>(read.value + write.value);
  }

  const MeasuredPasses& passes_;
  const MergedRegion& region_;
  MeasuredRegion& result_;
};

}  // namespace

std::vector<MeasuredRegion> measured_work(const MeasuredPasses& passes,
                                          const std::vector<RawProcess>& native,
                                          const std::string& main_executable,
                                          const TimeFacts& times, RegionTree& tree) {
  std::vector<RegionSums> self = self_sums(passes, native, main_executable, tree);
  std::vector<RegionSums> inclusive = inclusive_sums(self, tree);
  for (std::size_t i = 0; i < self.size(); ++i) {
    settle_kinds(passes.plan, self[i]);
    settle_kinds(passes.plan, inclusive[i]);
  }
  std::vector<MeasuredRegion> all(self.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    Filler filler(passes, tree[i], all[i]);
    if (i == RegionTree::root) {
      RegionSums program = program_sums(passes);
      settle_kinds(passes.plan, program);
      filler.fill(all[i].work, program, true);
      all[i].clock_hz = region_clock(passes, program, times);
      const bool is_told =
          std::any_of(passes.absent.begin(), passes.absent.end(),
                      [](const Missing& absent) { return absent.quantity.rfind("flop.", 0) == 0; });
      if (passes.program.empty() && !(native.empty() && is_told)) {
        const Problem reason =
            native.empty() ? Problem{"the program as a whole was not counted in a run of its own",
                                     "", "leave out --once, or annotate it"}
                           : Problem{"hardware counters are read where regions begin and end", "",
                                     "see the regions, or enclose the program in one"};
        filler.missing("flop", reason);
        for (const char* level : {"L2", "L3", "DRAM"})
          filler.missing(std::string("bytes.") + level, reason);
      }
      for (const Missing& absent : passes.absent)
        filler.missing(absent.quantity, {absent.reason, "", absent.fix});
      continue;
    }
    filler.fill(all[i].work, inclusive[i], true);
    filler.fill(all[i].self, self[i], false);
    all[i].clock_hz = region_clock(passes, inclusive[i], times);
    for (const GroupSums& group : inclusive[i])
      if (group.visits_differ) all[i].flags.insert("visits_differ");
    for (const Missing& absent : passes.absent)
      filler.missing(absent.quantity, {absent.reason, "", absent.fix});
  }
  return all;
}

std::optional<Problem> flop_lack(const JoinInput& input) {
  if (!input.measured || input.measured->plan.lacks.empty()) return std::nullopt;
  RegionTree tree;
  const std::string executable = main_executable(input);
  for (const RawProcess& process : input.native) tree.add(process, input, executable);
  tree.finish();
  for (const MeasuredRegion& region :
       measured_work(*input.measured, input.native, executable, {}, tree))
    for (const auto& [formula, kinds] : input.measured->plan.lacks)
      for (const Missing& missing : region.missing)
        if (missing.quantity == formula->quantity && region.work.flop.empty() &&
            missing.quantity.rfind("flop.", 0) == 0)
          return Problem{missing.reason, missing.quantity, missing.fix};
  return std::nullopt;
}

double measured_coverage(const MeasuredPasses& passes, unsigned pass,
                         const std::vector<RawProcess>& processes) {
  double whole = 0, all = 0;
  for (const RawProcess& process : processes)
    for (const RawThread& thread : process.threads)
      for (const RawNode& node : thread.nodes) {
        all += static_cast<double>(node.visits);
        whole += static_cast<double>(whole_visits(passes.plan, pass, node));
      }
  return all > 0 ? whole / all : 1.0;
}

std::vector<std::string> measured_notes(const MeasuredPasses& passes,
                                        const std::vector<RawProcess>& native) {
  std::vector<std::string> notes;
  std::uint64_t shared = 0;
  double shared_s = 0;
  for (const RawProcess& process : native) {
    const std::string name =
        fmt::format("Process {} ({}): ", process.pid, base_name(process.executable));
    if (!process.counting_refusal.empty())
      notes.push_back(name + "nothing was counted, " + process.counting_refusal + ".");
    if (process.refused_threads != 0 && passes.explain)
      notes.push_back(fmt::format("{}in {} thread{} not every counter could be opened: {}.", name,
                                  process.refused_threads, process.refused_threads == 1 ? "" : "s",
                                  to_line(passes.explain(process.first_refusal, 0))));
    const double rate = process.ticks_per_second().value_or(0);
    for (const RawThread& thread : process.threads)
      for (const RawNode& node : thread.nodes) {
        if (!node.events) continue;
        shared += node.events->shared_visits;
        if (rate > 0) shared_s += static_cast<double>(node.events->shared_ticks) / rate;
      }
  }
  if (shared != 0)
    notes.push_back(
        fmt::format("Work of threads without regions of their own was added to {} visit{} of the "
                    "threads that made them; reading it took {:.2g} s, which no region's time "
                    "holds.",
                    shared, shared == 1 ? "" : "s", shared_s));
  return notes;
}

}  // namespace roofmark
