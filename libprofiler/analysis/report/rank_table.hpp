// How the ranks of a parallel job differ in each region, below the table of regions.
#pragma once

#include <cstddef>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "region_row.hpp"

namespace roofmark::report {

/// "4 of 8 ranks on 2 nodes", "rank 3 of 8"; empty where it is no parallel job.
std::string job_text(const Program& program);

/// "5.6 ms (rank 0) to 16.7 ms (rank 3), median 11 ms, mean 11.2 ms"
std::string spread_text(const RankSpread& spread);

/// Empty where no region has several ranks.
std::string ranks_text(const Profile& profile, const std::vector<RegionRow>& rows,
                       const TextOptions& options);
std::string ranks_html(const Profile& profile, const std::vector<RegionRow>& rows,
                       const std::vector<std::size_t>& shown);

/// Time in MPI calls and asleep, and the share of the roof with and without it; empty where no MPI
/// call was seen.
std::string waiting_text(const Profile& profile, const std::vector<RegionRow>& rows,
                         const TextOptions& options);
std::string waiting_html(const Profile& profile, const std::vector<RegionRow>& rows,
                         const std::vector<std::size_t>& shown);

}  // namespace roofmark::report
