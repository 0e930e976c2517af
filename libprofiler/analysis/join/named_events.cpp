#include <algorithm>
#include <analysis/join/named_events.hpp>
#include <analysis/join/region_tree.hpp>
#include <analysis/profile/count_sum.hpp>
#include <cmath>
#include <collectors/papi/events.hpp>
#include <map>
#include <memory>
#include <optional>
#include <roofmark/result.hpp>

namespace roofmark {
namespace {

/// One event in one region, over threads and processes.
struct Sum {
  std::uint64_t work = 0, self = 0;
  std::uint64_t visits = 0;  ///< those that were open included
  bool open = false;         ///< a visit had not ended
  std::optional<Problem> problem;
};

/// What an event counted at one node of a thread, with its children in this thread and without.
struct NodeCount {
  double work = 0, self = 0;
  std::optional<Problem> problem;
};

class Gathering {
 public:
  Gathering(const RawProcess& process, const papi::Plan& plan, const std::string& main_executable,
            std::map<std::vector<std::string>, std::map<std::string, Sum>>& sums)
      : process_(process),
        plan_(plan),
        foreign_(base_name(process.executable) != base_name(main_executable)),
        sums_(sums) {}

  void gather() {
    for (const RawThread& thread : process_.threads) {
      std::vector<std::vector<std::string>> paths(thread.nodes.size());
      for (std::size_t i = 0; i < thread.nodes.size(); ++i) {
        paths[i] = thread.path(i);
        if (foreign_ && !paths[i].empty())
          paths[i].front() = foreign_name(paths[i].front(), process_.executable);
      }
      const std::vector<std::uint64_t> below = thread.descendant_visits();
      for (unsigned group = 0; group < plan_.group_count; ++group)
        for (unsigned value = 0; value < plan_.groups[group].count; ++value)
          gather(thread, paths, below, group, value);
    }
  }

 private:
  bool of_thread(unsigned group) const {
    return plan_.groups[group].extent == papi::Extent::thread;
  }

  void gather(const RawThread& thread, const std::vector<std::vector<std::string>>& paths,
              const std::vector<std::uint64_t>& below, unsigned group, unsigned value) {
    // One thread reads what belongs to all: the others' regions are no part of its counts.
    if (!of_thread(group) && !thread.main) return;
    std::vector<NodeCount> counts(thread.nodes.size());
    for (std::size_t i = thread.nodes.size(); i-- > 0;) {
      const RawNode& node = thread.nodes[i];
      NodeCount& count = counts[i];
      const bool visited = node.visits > 0 || node.open_since;
      if (visited) {
        const double children = count.work;  // they have added theirs
        count.work = value_of(node, below[i], group, value);
        count.self = std::max(0.0, count.work - children);
        if (auto problem = why_not(thread, node, group, value)) count.problem = std::move(problem);
      }
      if (node.parent == RawNode::no_parent) continue;
      counts[node.parent].work += count.work;
      if (count.problem && !counts[node.parent].problem)
        counts[node.parent].problem = count.problem;
    }
    const std::string event = plan_.events[plan_.groups[group].first + value];
    for (std::size_t i = 0; i < thread.nodes.size(); ++i) {
      const RawNode& node = thread.nodes[i];
      // A node that was only passed through stands for the regions of this thread below it.
      const bool visited = node.visits > 0 || node.open_since;
      if (!visited && counts[i].work <= 0 && !counts[i].problem) continue;
      Sum& sum = sums_[paths[i]][event];
      sum.work += rounded_count(counts[i].work);
      sum.self += rounded_count(counts[i].self);
      sum.visits += node.visits + (node.open_since && !node.inherited ? 1 : 0);
      sum.open = sum.open || node.open_since.has_value() || node.unclosed;
      if (counts[i].problem && !sum.problem) sum.problem = counts[i].problem;
    }
  }

  /// Without what the markers themselves count.
  double value_of(const RawNode& node, std::uint64_t below, unsigned group, unsigned value) const {
    if (!node.events || group >= node.events->groups.size()) return 0;
    const RawEventGroup& counted = node.events->groups[group];
    if (value >= counted.values.size()) return 0;
    const auto cost = [&](const std::vector<std::vector<double>>& of_marker) {
      const std::size_t place = 2 + value;  // enabled and running come first
      return group < of_marker.size() && place < of_marker[group].size() ? of_marker[group][place]
                                                                         : 0.0;
    };
    const double markers = cost(process_.counting->inner) * static_cast<double>(node.visits) +
                           cost(process_.counting->whole) * static_cast<double>(below);
    return std::max(0.0, static_cast<double>(counted.values[value]) - std::max(0.0, markers));
  }

  std::optional<Problem> why_not(const RawThread& thread, const RawNode& node, unsigned group,
                                 unsigned value) const {
    const std::string event = plan_.events[plan_.groups[group].first + value];
    if (node.visits == 0 && !node.inherited)
      return Problem{"its only visit had not ended", "", "let the program end the region"};
    if (!node.events || group >= node.events->groups.size())
      return Problem{"the recording had no room for its counts", "", "fewer regions"};
    const RawEventGroup& counted = node.events->groups[group];
    if (counted.unread > 0 || counted.missed > 0) {
      for (const RawRefusal& refusal : {thread.refusal, process_.first_refusal})
        if (refusal.error != 0 && refusal.group == group)
          return without_place(papi::explain_in_program(refusal.error, event));
      if (std::string(plan_.groups[group].component) == "sde")
        return Problem{"no library of the program had defined the event when a region began", "",
                       "check the name; enter regions after the library's start"};
      return Problem{std::to_string(counted.unread + counted.missed) +
                         " of its visits were not "
                         "counted: the event was not open in their thread",
                     "", "ask for fewer events at once"};
    }
    if (of_thread(group) && node.events->blind_visits > 0)
      return Problem{"threads worked for it whose counters PAPI can't read from another thread", "",
                     "open a region in each thread"};
    // A count that fell is none; the sum would be near 2^64.
    if (value < counted.values.size() && counted.values[value] > (std::uint64_t{1} << 63))
      return Problem{"the event went backwards", "", "ask for another event"};
    return std::nullopt;
  }

  static Problem without_place(Problem problem) {
    problem.where.clear();  // the quantity names the event
    return problem;
  }

  const RawProcess& process_;
  const papi::Plan& plan_;
  bool foreign_;
  std::map<std::vector<std::string>, std::map<std::string, Sum>>& sums_;
};

Count count_of(std::uint64_t value, Scope scope, bool open) {
  Count count;
  count.value = value;
  count.source = Source::measured;
  count.collector = "papi";
  count.scope = scope;
  if (open) count.caveats.push_back("without a visit that had not ended");
  return count;
}

/// For the visits of the timed run: the other run's count per visit, as a range.
void bring_to_visits(std::uint64_t timed, std::uint64_t counted, Count& count) {
  const long double factor = static_cast<long double>(timed) / static_cast<long double>(counted);
  const std::uint64_t before = count.value;
  count.value = static_cast<std::uint64_t>(std::llround(factor * static_cast<long double>(before)));
  count.low = std::min(before, count.value);
  count.high = std::max(before, count.value);
  count.caveats.push_back("visits differ");
}

void add_missing_event(Region& region, const std::string& event, const Problem& problem) {
  const std::string where = problem.where.empty() ? "" : problem.where + ": ";
  region.missing.push_back({"events." + event, where + problem.reason, problem.remedy});
}

}  // namespace

void add_absent_event(const std::string& event, const Problem& problem, Profile& profile) {
  Problem reason = problem;
  if (reason.where == event) reason.where.clear();
  for (Region& region : profile.regions)
    if (region.visits > 0) add_missing_event(region, event, reason);
}

void add_named_events(const std::vector<RawProcess>& processes, const std::string& main_executable,
                      const NamedEvents& events, Profile& profile) {
  std::map<std::vector<std::string>, std::map<std::string, Sum>> sums;
  std::map<std::string, Scope> scopes;
  const auto plan = std::make_unique<papi::Plan>();
  for (const RawProcess& process : processes) {
    if (!process.counting || !papi::read_plan(process.counting->plan, *plan)) continue;
    for (unsigned group = 0; group < plan->group_count; ++group)
      for (unsigned i = 0; i < plan->groups[group].count; ++i) {
        const std::string name = plan->events[plan->groups[group].first + i];
        if (std::find(events.names.begin(), events.names.end(), name) != events.names.end())
          scopes[name] = papi::scope_of(plan->groups[group].extent);
      }
    Gathering(process, *plan, main_executable, sums).gather();
  }
  for (Region& region : profile.regions) {
    const auto found = sums.find(region.path);
    for (const auto& [event, scope] : scopes) {
      if (region.path.empty() || region.visits == 0) continue;
      const bool counted = found != sums.end() && found->second.contains(event);
      if (!counted) {
        add_missing_event(
            region, event,
            scope == Scope::thread
                ? Problem{"the process that entered it counted nothing", "", ""}
                : Problem{"the event counts more than one thread, and only regions of the "
                          "main thread read it",
                          "", "open a region around it in the main thread"});
        continue;
      }
      const Sum& sum = found->second.at(event);
      if (sum.problem) {
        add_missing_event(region, event, *sum.problem);
        continue;
      }
      Count& work = region.work.events[event] = count_of(sum.work, scope, sum.open);
      Count& self = region.self.events[event] = count_of(sum.self, scope, sum.open);
      // What belongs to all threads is read in the main thread's visits alone.
      const bool differ = events.of_another_run && scope == Scope::thread && sum.visits != 0 &&
                          sum.visits != region.visits;
      if (!differ) continue;
      region.flags.insert("visits_differ");
      bring_to_visits(region.visits, sum.visits, work);
      bring_to_visits(region.visits, sum.visits, self);
    }
  }
}

}  // namespace roofmark
