// What `perf stat` printed for machines: separated values (-x) and JSON lines (-j).
#pragma once

#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark::import {

/// Writes what is read here.
inline constexpr const char* perf_command =
    "perf stat -x, -o FILE.csv -e duration_time,task-clock,EVENTS -- ./app";

/// One event at one processor, socket, thread or interval.
struct PerfRow {
  std::string event, unit;
  std::optional<double> value;  ///< in `unit`; nothing: see `absent`
  std::string absent;           ///< "not counted", "not supported"
  double running = 1;           ///< share of the time in which it was counted; the value is scaled
  std::string where;            ///< "CPU0", "S0-D0-C1", "make-4711"; empty: all together
  std::optional<double> interval_end_s;
  std::optional<double> variance;  ///< relative, of the mean of several runs
  std::string metric_unit;         ///< "CPUs utilized"
  std::optional<double> metric;
  int metric_digits = 0;  ///< behind its point
};

/// A program's output before, between and behind is no matter. A Problem where there is no row.
Result<std::vector<PerfRow>> read_perf_stat(std::string_view text, const std::string& name);

}  // namespace roofmark::import
