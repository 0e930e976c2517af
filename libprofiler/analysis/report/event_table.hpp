// Counts that the user named, one column each, below the table of regions.
#pragma once

#include <cstddef>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "absences.hpp"
#include "region_row.hpp"

namespace roofmark::report {

/// All that some region has or misses, in the order of their names.
std::vector<std::string> event_names(const Profile& profile);

/// Where the counts of an event come from: "papi, measured, of the thread".
std::string event_origin(const Profile& profile, const std::string& name);

/// Empty where there are no events.
std::string events_text(const Profile& profile, const std::vector<RegionRow>& rows,
                        const TextOptions& options, Absences& absences);
std::string events_html(const Profile& profile, const std::vector<RegionRow>& rows,
                        const std::vector<std::size_t>& shown, bool self, Absences& absences);

}  // namespace roofmark::report
