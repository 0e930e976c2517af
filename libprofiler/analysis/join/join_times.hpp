// How long a region lasted: its wall and thread time by its visits and by what the recorder saw,
// with a range where visits overlap or have no known end, and what of it was waiting.
#pragma once

#include <analysis/join/join_counts.hpp>
#include <analysis/join/join_samples.hpp>
#include <analysis/join/region_tree.hpp>
#include <roofmark/profile.hpp>
#include <vector>

namespace roofmark {

/// Between two bounds: a value where they are close, else a range around `best`.
Measure between(double low, double high, double best);

/// Of a region that the timed run visited.
void set_times(Region& row, const MergedRegion& region, const RegionSamples& samples);

/// Of a function whose calls the timed run could not see.
void set_counted_visits(Region& row, const SelfCounts& counts);

/// What a job slept: where its outermost regions did. Outside of them nobody looked.
void set_sleep_of_job(std::vector<Region>& rows);

/// MPI time of a mean rank, beside the region's wall time; sleep from the recorder's looks.
void set_waiting(Region& row, const MergedRegion& region, const RegionSamples& samples);

}  // namespace roofmark
