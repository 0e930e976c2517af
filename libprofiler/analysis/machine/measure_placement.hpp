// Measures one placement: memory of its own, bound to its nodes and looked for there.
#pragma once

#include <cstddef>
#include <optional>
#include <roofmark/machine.hpp>
#include <roofmark/result.hpp>
#include <set>
#include <string>
#include <vector>

#include "placement.hpp"
#include "plan.hpp"
#include "stage.hpp"

namespace roofmark {

struct PlacementSetting {
  const Topology& topology;  ///< whose caches the chase has confirmed
  const std::vector<const Kernel*>& kernels;
  const std::set<const Kernel*>& chosen;
  std::size_t stream_bytes = 0;  ///< that all threads together stream over
  std::size_t warm_bytes = 0;    ///< the same of the last cache
  std::size_t room_bytes = 0;    ///< that may be taken at most
  double touch_s = 1;            ///< that page faults may take
  StageLimits limits = {};
};

struct PlacementCeilings {
  std::vector<ComputeCeiling> compute;
  std::vector<BandwidthCeiling> bandwidth;
  bool bound = true;        ///< each thread to its hardware thread
  bool small_pool = false;  ///< less memory than asked for
};

/// Or why it can't be measured: memory that can't be had there is no ceiling of that memory.
Result<PlacementCeilings> measure_placement(const Placement& placement,
                                            const PlacementSetting& setting,
                                            const Stopwatch& watch);

}  // namespace roofmark
