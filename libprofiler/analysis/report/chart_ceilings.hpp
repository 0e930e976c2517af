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

/// Every ceiling of the machine that is of one of these precisions or a bandwidth, as it was
/// measured: by level, then by precision, the highest first.
std::vector<ChartCeiling> every_ceiling(const Machine& machine,
                                        const std::set<Precision>& precisions);

/// The roof of a GPU, whose machine machine_of() made: with its matrix units' peaks for the types
/// that kernels used.
std::vector<ChartCeiling> gpu_chart_ceilings(const Machine& gpu,
                                             const std::set<Precision>& precisions,
                                             const std::set<std::string>& tensor);

/// "21 GB/s": no digit that its spread does not carry.
std::string rate_of(const ChartCeiling& ceiling);

/// With the number of cores that a line holds for where the lines of the chart differ in it.
std::string name_of(const Chart& chart, const ChartCeiling& ceiling);

}  // namespace roofmark::report
