#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "counter_plan.hpp"

namespace roofmark {
namespace {

/// One event of one group. Nothing where it was not counted.
using Value =
    std::function<std::optional<std::uint64_t>(const perf::Difference&, std::size_t event)>;

EventCounts sums(const CounterPlan& plan, const std::vector<GroupCounts>& counts, Scope scope,
                 int package, const Value& value_of) {
  // An event that is in two passes was counted if one of them counted it.
  std::map<std::string, std::map<std::pair<std::string, int>, std::optional<std::uint64_t>>> found;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const PlannedGroup& group = plan.groups[g];
    if ((group.cpu >= 0) != (scope == Scope::socket)) continue;
    if (group.cpu >= 0 && package >= 0 && group.package != package) continue;
    const auto read = std::find_if(counts.begin(), counts.end(),
                                   [&](const GroupCounts& entry) { return entry.group == g; });
    const bool there = read != counts.end() && read->counts.count == group.events.size();
    for (std::size_t e = 0; e < group.events.size(); ++e) {
      auto& value = found[group.events[e].name][{group.pmu, group.cpu}];
      if (there && !value) value = value_of(read->counts, e);
    }
  }
  EventCounts result;
  for (const auto& [name, values] : found) {
    // A channel that is missing would make the sum too small.
    if (std::any_of(values.begin(), values.end(), [](const auto& one) { return !one.second; }))
      continue;
    for (const auto& [place, value] : values) result[name] += *value;
  }
  return result;
}

}  // namespace

EventCounts event_counts(const CounterPlan& plan, const std::vector<GroupCounts>& counts,
                         Scope scope, int package) {
  return sums(plan, counts, scope, package,
              [](const perf::Difference& read, std::size_t event) -> std::optional<std::uint64_t> {
                if (read.ran != perf::Ran::whole) return std::nullopt;
                return read.values[event];
              });
}

ScaledCounts scaled_event_counts(const CounterPlan& plan, const std::vector<GroupCounts>& counts,
                                 Scope scope, int package) {
  ScaledCounts result;
  result.counts =
      sums(plan, counts, scope, package,
           [&](const perf::Difference& read, std::size_t event) -> std::optional<std::uint64_t> {
             std::uint64_t scaled = 0;
             double factor = 0;
             if (!perf::scale(read.values[event], read, scaled, factor)) return std::nullopt;
             result.largest_factor = std::max(result.largest_factor, factor);
             return scaled;
           });
  return result;
}

}  // namespace roofmark
