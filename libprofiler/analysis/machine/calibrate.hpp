// Measures every ceiling of a machine.
#pragma once

#include <roofmark/machine.hpp>
#include <string>

#include "measure.hpp"
#include "stopwatch.hpp"
#include "topology.hpp"

namespace roofmark {

/// Chase, then one stage per scope. Ends within options.budget_s; what did not fit is in the notes.
Machine calibrate(const MachineLayout& layout, const MeasureOptions& options, Stopwatch& watch,
                  const MeasureProgress& progress);

/// RFC 3339, UTC.
std::string now_text();

}  // namespace roofmark
