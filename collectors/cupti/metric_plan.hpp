// What to count on a chip, split into runs of the program: by CUPTI's host half where it is
// installed (it needs no GPU), else by the splits that it made when the table was generated.
#pragma once

#include <filesystem>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "chip_table.hpp"

namespace roofmark::cupti {

struct PlanOptions {
  /// Types of tensor operations to count; empty: the chip's usual ones.
  std::vector<std::string> tensor;
  bool all_tensor = false;
  /// Whose definition of bytes at L1 and L2: "interface" (what multiprocessors ask of L2),
  /// "nersc", "ncu".
  std::string traffic = "interface";
  std::filesystem::path tables;  ///< folder of chips.json and passes.json; empty: the installed
  bool use_host_api = true;
};

/// Metrics that are counted in one and the same run.
struct MetricSet {
  std::string name;  ///< "sass", "hw", "hw.2", "tensor.bf16", ...
  std::vector<std::string> metrics;
  int passes = 1;  ///< above 1: a plain run can't count it; kernel or application replay can
  /// Only where a run of `hw` saw work of the tensor units.
  bool only_if_tensor = false;
};

struct MetricPlan {
  std::string chip;
  std::vector<MetricSet> sets;
  bool planned_by_host_api = false;
  std::string planned_by;  ///< "CUPTI 13.0.85's host API", or "the table, ..."
};

Result<MetricPlan> plan_metrics(std::string_view chip, const PlanOptions& options = {});

}  // namespace roofmark::cupti
