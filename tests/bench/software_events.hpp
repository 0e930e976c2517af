// Groups of events, for benches that read counters; of software events every kernel has some.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectors/perf/flat_plan.hpp"

namespace roofmark::bench {

/// One group of a thread, of events of one type (PERF_TYPE_...).
inline perf::FlatPlan group_plan(std::uint32_t type, const std::vector<std::uint64_t>& numbers,
                                 std::uint32_t exclude, std::uint64_t config1 = 0) {
  perf::FlatPlan plan;
  plan.group_count = 1;
  plan.event_count = static_cast<unsigned>(numbers.size());
  plan.groups[0] = {-1, 0, static_cast<std::uint16_t>(numbers.size())};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    plan.events[i] = {type, exclude, 0, numbers[i], config1, 0};
  return plan;
}

/// Software events (PERF_COUNT_SW_...) that don't happen in a loop.
inline perf::FlatPlan software_plan(const std::vector<std::uint64_t>& numbers,
                                    std::uint32_t exclude) {
  return group_plan(PERF_TYPE_SOFTWARE, numbers, exclude);
}

}  // namespace roofmark::bench
