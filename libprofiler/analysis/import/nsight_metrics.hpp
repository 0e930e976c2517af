// A launch of Nsight Compute's table as the metrics that CUPTI counts, under CUPTI's names.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "collectors/cupti/chip_table.hpp"
#include "nsight_table.hpp"

namespace roofmark::import {

/// The chip whose formulas are for this compute capability, with a sentence where it is another's.
struct ChipOfTable {
  const cupti::Chip* chip = nullptr;
  std::string note;
};
ChipOfTable chip_for(const std::string& compute_capability);

/// Seconds of one launch.
std::optional<double> time_of(const Launch& launch);

/// Every metric of the chip that the table has, by its own name or another of its names, or that
/// follows from what it has in a cycle or a second. In CUPTI's units.
std::map<std::string, double> values_of(const Launch& launch, const cupti::Chip& chip);

/// What to say of the table's words: `ask`, `traffic`, `device_name`.
std::string nsight_word(const char* key);
/// Levels of the chip's formulas as the profile names them: "HBM" is "DRAM".
std::map<std::string, std::string> nsight_levels();

}  // namespace roofmark::import
