// A ceiling's value lies within its own range, whatever changed either of them: a value outside
// reads as a spread that can't be, and takes part in every uncertainty.
#pragma once

#include <algorithm>
#include <roofmark/machine.hpp>

namespace roofmark {

/// Widens the range as far as the value needs.
inline void hold_within_range(double value, double& low, double& high) {
  low = std::min(low, value);
  high = std::max(high, value);
}
inline void hold_within_range(ComputeCeiling& ceiling) {
  hold_within_range(ceiling.flop_per_s, ceiling.low, ceiling.high);
}
inline void hold_within_range(BandwidthCeiling& ceiling) {
  hold_within_range(ceiling.interface_bytes_per_s, ceiling.low, ceiling.high);
}
/// Of a GPU a range that is 0 is none.
inline void hold_within_range(GpuCeiling& ceiling) {
  if (ceiling.low > 0) ceiling.low = std::min(ceiling.low, ceiling.per_s);
  if (ceiling.high > 0) ceiling.high = std::max(ceiling.high, ceiling.per_s);
}

}  // namespace roofmark
