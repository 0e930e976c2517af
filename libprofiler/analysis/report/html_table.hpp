// The table of regions as HTML.
#pragma once

#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "absences.hpp"
#include "region_row.hpp"

namespace roofmark::report {

std::string regions_head();
/// <tr> elements; reasons for absent numbers are in their titles and noted in `absences`.
std::string regions_rows(const Profile& profile, const std::vector<RegionRow>& rows,
                         const std::vector<std::size_t>& shown, Absences& absences);

}  // namespace roofmark::report
