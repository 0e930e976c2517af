#include "counter_fit.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace roofmark {
namespace {

/// Counters as bits: those that `event` takes when it starts at `first`.
std::uint64_t counters_from(const CounterEvent& event, unsigned first) {
  return (event.takes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << event.takes) - 1) << first;
}

/// Gives each event its counters, from `index` on; the order of attempts is small, since a core has
/// at most a dozen counters.
bool place(const std::vector<const CounterEvent*>& events, std::size_t index, unsigned general,
           std::uint64_t taken) {
  if (index == events.size()) return true;
  const CounterEvent& event = *events[index];
  for (unsigned first = 0; first + event.takes <= general; ++first) {
    if (!event.only.empty() &&
        std::find(event.only.begin(), event.only.end(), first) == event.only.end())
      continue;
    const std::uint64_t wanted = counters_from(event, first);
    if ((taken & wanted) == 0 && place(events, index + 1, general, taken | wanted)) return true;
  }
  return false;
}

bool within_limits(const EventTable& table, const std::map<std::string, unsigned>& used) {
  return std::all_of(used.begin(), used.end(), [&](const auto& entry) {
    const auto limit = table.counters.limits.find(entry.first);
    return limit == table.counters.limits.end() || entry.second <= limit->second;
  });
}

bool has_fixed_watchdog(const EventTable& table) {
  return std::any_of(table.events.begin(), table.events.end(),
                     [](const CounterEvent& event) { return event.fixed && event.watchdog; });
}

}  // namespace

bool fit_together(const EventTable& table, const std::vector<std::string>& events,
                  const Occupancy& occupancy) {
  std::vector<const CounterEvent*> on_general;
  std::map<std::string, unsigned> used;
  for (const std::string& name : events) {
    const CounterEvent* const event = table.event(name);
    if (event == nullptr) return false;
    for (const std::string& resource : event->uses) ++used[resource];
    if (!event->pmu.empty())
      ++used[event->pmu];
    else if (event->type == EventType::raw || event->type == EventType::hardware)
      if (!event->fixed || (event->watchdog && occupancy.watchdog)) on_general.push_back(event);
  }
  if (!within_limits(table, used)) return false;
  unsigned general = occupancy.smt ? table.counters.general : table.counters.general_without_smt;
  // Where it has no counter of its own to take, the watchdog takes a general one.
  if (occupancy.watchdog && !has_fixed_watchdog(table) && general > 0) --general;
  // The choosy ones first: the others take what is left.
  std::stable_sort(on_general.begin(), on_general.end(),
                   [](const CounterEvent* a, const CounterEvent* b) {
                     const auto choices = [](const CounterEvent* event) {
                       return event->only.empty() ? std::size_t{64} : event->only.size();
                     };
                     return choices(a) < choices(b);
                   });
  return on_general.size() <= general && place(on_general, 0, general, 0);
}

CounterGroups group_events(const EventTable& table, const std::vector<std::string>& events,
                           const Occupancy& occupancy) {
  CounterGroups result;
  for (const std::string& event : events) {
    const auto joins = [&](std::vector<std::string>& group) {
      group.push_back(event);
      if (fit_together(table, group, occupancy)) return true;
      group.pop_back();
      return false;
    };
    if (std::any_of(result.groups.begin(), result.groups.end(), joins)) continue;
    if (fit_together(table, {event}, occupancy))
      result.groups.push_back({event});
    else
      result.too_large.push_back(event);
  }
  return result;
}

}  // namespace roofmark
