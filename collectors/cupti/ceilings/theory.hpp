// A GPU's ceilings without a measurement: from the maker's tables, and from what its own metrics
// state per cycle. Pure.
#pragma once

#include <map>
#include <optional>
#include <roofmark/machine.hpp>
#include <string>
#include <vector>

#include "collectors/cupti/chip_table.hpp"

namespace roofmark::cupti {

/// Per multiprocessor and cycle times the device's multiprocessors and its highest clock; memory by
/// its bus and clock, two transfers a cycle. What is not known gives no ceiling.
struct DeviceFacts {
  unsigned multiprocessors = 0;
  std::optional<double> sm_clock_hz, memory_clock_hz;  ///< the highest
  unsigned memory_bus_bits = 0;
  bool integrated = false;
};
std::vector<GpuCeiling> theoretical_ceilings(const Chip& chip, const DeviceFacts& facts);

/// `.peak_sustained` metrics times the clocks that were counted with them: `estimated`, at those
/// clocks. Of two for one quantity the higher.
std::vector<GpuCeiling> derived_ceilings(const Chip& chip,
                                         const std::map<std::string, double>& values);

/// For each quantity measured ceilings first, the highest before the others, then derived, then
/// theoretical ones. A measured one above what the tables allow is flagged `above_theory`, one far
/// below `below_theory`.
std::vector<GpuCeiling> in_order(std::vector<GpuCeiling> measured,
                                 const std::vector<GpuCeiling>& derived,
                                 const std::vector<GpuCeiling>& theoretical);

/// Sentences about the theoretical ceilings that a card of this chip may not reach.
std::vector<std::string> theory_notes(const Chip& chip);

}  // namespace roofmark::cupti
