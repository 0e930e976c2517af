// Which of a machine's many ceilings a chart shows.
#pragma once

#include <roofmark/machine.hpp>
#include <roofmark/report.hpp>
#include <set>
#include <string>
#include <vector>

namespace roofmark::report {

/// The machine's own roof (emphasised) for each precision, the rungs below its peak that can be
/// told apart on paper, and what one core alone reaches.
std::vector<ChartCeiling> chart_ceilings(const Machine& machine,
                                         const std::set<Precision>& precisions);

/// With the number of cores that a line holds for where the lines of the chart differ in it.
std::string name_of(const Chart& chart, const ChartCeiling& ceiling);

}  // namespace roofmark::report
