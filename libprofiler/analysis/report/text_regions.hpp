// The table of regions in a text report.
#pragma once

#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "absences.hpp"
#include "region_row.hpp"

namespace roofmark::report {

/// Indices of the rows to show, in their order: the heaviest by their own time, with their
/// ancestors.
std::vector<std::size_t> heaviest(const Profile& profile, const std::vector<RegionRow>& rows,
                                  std::size_t limit);

/// The table with its key; absent numbers are noted in `absences`.
std::string regions_table(const Profile& profile, const std::vector<RegionRow>& rows,
                          const TextOptions& options, Absences& absences);

}  // namespace roofmark::report
