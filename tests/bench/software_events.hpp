// Events that every kernel counts, for benches that read counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectors/perf/flat_plan.hpp"

namespace roofmark::bench {

/// One group of a thread: software events (PERF_COUNT_SW_...) that don't happen in a loop.
inline perf::FlatPlan software_plan(const std::vector<std::uint64_t>& numbers,
                                    std::uint32_t exclude) {
  perf::FlatPlan plan;
  plan.group_count = 1;
  plan.event_count = static_cast<unsigned>(numbers.size());
  plan.groups[0] = {-1, 0, static_cast<std::uint16_t>(numbers.size())};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    plan.events[i] = {1, exclude, 0, numbers[i], 0, 0};
  return plan;
}

}  // namespace roofmark::bench
