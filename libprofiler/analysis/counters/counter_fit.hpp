// Which events can be counted at the same time: what does not fit would be multiplexed.
#pragma once

#include <string>
#include <vector>

#include "event_table.hpp"

namespace roofmark {

/// What takes counters away on the running machine.
struct Occupancy {
  bool smt = true;        ///< sibling threads share the core's counters
  bool watchdog = false;  ///< /proc/sys/kernel/nmi_watchdog is 1
};

/// False where counters don't suffice, or an event is not in the table.
bool fit_together(const EventTable& table, const std::vector<std::string>& events,
                  const Occupancy& occupancy);

/// The events in as few groups as taking each into the first group with room gives; an event that
/// fits in no group, not even alone, is in `too_large`.
struct CounterGroups {
  std::vector<std::vector<std::string>> groups;
  std::vector<std::string> too_large;
};
CounterGroups group_events(const EventTable& table, const std::vector<std::string>& events,
                           const Occupancy& occupancy);

}  // namespace roofmark
