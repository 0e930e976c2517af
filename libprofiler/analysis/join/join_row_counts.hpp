// The counts of a row: of the counted pass, of hardware, which comes first, and why some are
// absent.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/join/join_counts.hpp>
#include <analysis/join/measured.hpp>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// Why a marked region has no counts, or not all.
Problem gap_reason(Gap gap, const JoinInput& input);

void add_missing(Region& row, const std::string& quantity, const Problem& problem);

/// What the counted pass counted.
void set_counts(Region& row, const RegionWork& counted);

/// What hardware counted, after set_counts().
void set_measured(Region& row, const MeasuredRegion& measured, bool also_counted,
                  const std::vector<std::string>& levels);

}  // namespace roofmark
