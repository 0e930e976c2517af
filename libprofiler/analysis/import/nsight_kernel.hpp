// The launches of one kernel in a table of Nsight Compute, as a region.
#pragma once

#include <roofmark/profile.hpp>
#include <set>
#include <string>
#include <vector>

#include "collectors/cupti/chip_table.hpp"
#include "nsight_table.hpp"

namespace roofmark::import {

/// Whose launches they are, and by which formulas they are read.
struct NsightSource {
  const cupti::Chip& chip;
  const std::string& file;       ///< for messages about single values
  std::set<std::string> levels;  ///< interfaces that have to be counted, or be missing
};

/// Sums over all launches. A metric that one of them lacks, or has no usable value of, is absent
/// for the kernel, with the reason and what to ask ncu for.
Region kernel_of(const std::vector<const Launch*>& launches, const NsightSource& source);

/// "10,000" of 1, 5 blocks: "(65,536, 1, 1)".
std::array<std::uint32_t, 3> shape_of(const std::string& text);

}  // namespace roofmark::import
