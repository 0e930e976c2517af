// Nsight Compute's raw tables, in both of their forms.
#pragma once

#include <map>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark::import {

/// Writes what is read here.
inline constexpr const char* nsight_command =
    "ncu -i REPORT.ncu-rep --csv --page raw --print-units base --print-fp > FILE.csv";

struct Cell {
  std::string text, unit;
  std::size_t line = 0;
  std::string other = {};  ///< where it stands twice, and not alike
};

/// One launch of a kernel.
struct Launch {
  std::string process, id, kernel, device, compute_capability, grid, block;
  std::map<std::string, Cell> metrics;
};

/// The wide form (a column a metric, a row of units) and the long one (a row a metric), with a
/// program's output before and behind. A Problem where there is no such table, or no launch in it.
Result<std::vector<Launch>> read_nsight(std::string_view text, const std::string& name);

}  // namespace roofmark::import
