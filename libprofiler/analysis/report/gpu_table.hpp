// What regions of the host had done on GPUs: how long any kernel ran, how long none did, what was
// copied, and what the host spent on it.
#pragma once

#include <roofmark/profile.hpp>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "region_row.hpp"

namespace roofmark::report {

/// Empty where no region has anything to do with a GPU.
std::string gpu_text(const Profile& profile, const std::vector<RegionRow>& rows,
                     const TextOptions& options);
std::string gpu_html(const Profile& profile, const std::vector<RegionRow>& rows,
                     const std::vector<std::size_t>& shown);

/// "H100 (GPU-...)", or its uuid alone.
std::string gpu_name(const Profile& profile, const std::string& uuid);

}  // namespace roofmark::report
