// From the windows of a stage to ceilings.
#pragma once

#include <roofmark/machine.hpp>
#include <set>
#include <string>
#include <vector>

#include "plan.hpp"

namespace roofmark {

struct Harvest {
  double clock_hz = 0;  ///< of one core, the fastest seen among the instruction sets; 0: not seen
  std::vector<ComputeCeiling> compute;
  std::vector<BandwidthCeiling> bandwidth;
  std::set<const Kernel*> best_kernels;
};

Harvest harvest_stage(const Plan& plan, const std::string& scope, unsigned threads,
                      double page_bytes);

}  // namespace roofmark
