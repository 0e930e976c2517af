// A plan of what to count on a chip, and the chips there are, as text and JSON.
#pragma once

#include <cstddef>
#include <string>

#include "metric_plan.hpp"

namespace roofmark::cupti {

struct PlanPage {
  std::size_t width = 80;
  bool utf8 = false;
};

/// The table of chips.
std::string chips_text(const ChipTable& chips, const PlanPage& page);
/// `roofmark-gpu-chips-list/1`
std::string chips_json(const ChipTable& chips);

/// Each run of the program with the quantities that it gives and their metrics.
std::string plan_text(const Chip& chip, const MetricPlan& plan, const std::string& traffic,
                      const PlanPage& page);
/// `roofmark-gpu-plan-list/1`
std::string plan_json(const Chip& chip, const MetricPlan& plan, const std::string& traffic);

}  // namespace roofmark::cupti
