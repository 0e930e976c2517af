// Regions under several roofs, as a table.
#pragma once

#include <analysis/roofline/projection.hpp>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// The heaviest regions by their own time: how fast each could be under each roof, and what would
/// bound it there. The first roof is the profile's own.
std::string projection_text(const Profile& profile, const std::vector<NamedRoof>& roofs,
                            const TextOptions& options);

/// The chart with the roofs of other machines beside its own.
void add_roofs(Chart& chart, const Profile& profile, const std::vector<NamedRoof>& roofs);

}  // namespace roofmark
