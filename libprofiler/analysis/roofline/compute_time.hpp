// Time that the compute ceilings alone would need, by class of work.
#pragma once

#include <optional>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

#include "analysis/roofline/evaluation.hpp"

namespace roofmark::model {

struct ComputeParts {
  /// One for each group of classes that share a port: the floating-point pipes, and the divider.
  /// Within a group the times add up; the groups work side by side.
  std::vector<Part> parts;
  double flop_without_ceiling = 0;  ///< of classes that the machine was not measured for
};
ComputeParts compute_parts(const std::vector<ComputeClass>& mix, const Machine& machine,
                           const Setting& setting);

struct ComputeTime {
  std::optional<Part> part;
  std::optional<std::string> no_ceiling;
};
/// All FLOPs of every precision at its topmost peak on `cores` cores, one after the other.
ComputeTime topmost_compute(const Work& work, Source declared_source, const Machine& machine,
                            double cores, std::optional<double> clock_hz = {});

}  // namespace roofmark::model
