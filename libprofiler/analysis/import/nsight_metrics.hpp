// A launch of Nsight Compute's table as the metrics that CUPTI counts, under CUPTI's names.
#pragma once

#include <map>
#include <optional>
#include <set>
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

/// Whether it has this one so.
bool has_value(const Launch& launch, const std::string& metric);

/// A cell that is not empty and no count: "n/a", below zero, words, a unit that nobody knows.
struct UnusableValue {
  std::string metric;  ///< under the name that it has in the table
  std::string shown;   ///< "`n/a`"
  std::size_t line = 0;
};
/// Why a launch has no value of a metric, where a cell of it is there.
std::optional<UnusableValue> unusable_value(const Launch& launch, const std::string& metric);

/// The most that any metric of tensor units says. Nothing: none of them has a value.
struct TensorUse {
  std::optional<double> most;
  std::optional<UnusableValue> unusable;
};
TensorUse tensor_use(const Launch& launch);

/// What to say of the table's words: `ask`, `traffic`, `device_name`.
std::string nsight_word(const char* key);
/// Interfaces of which tables have bytes.
std::set<std::string> nsight_levels();

}  // namespace roofmark::import
