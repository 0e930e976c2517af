// A comparison on the chart: each region where it is, with an arrow from where it was.
#pragma once

#include <roofmark/report.hpp>

#include "comparison.hpp"

namespace roofmark::comparison {

/// Under the ceilings of this run, one of those after. A region that did not move beyond the noise
/// has no arrow.
Chart chart_of(const Comparison& comparison, const Profile& after);

}  // namespace roofmark::comparison
