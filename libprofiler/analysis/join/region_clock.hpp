// The core clock at which a region ran: cycles that hardware counted, by time.
#pragma once

#include <analysis/join/event_sums.hpp>
#include <optional>

namespace roofmark {

/// By cycles at a constant rate where they are counted beside the others: both leave out the
/// kernel. Else by the time that the counters ran, in which the kernel's part is not known: a
/// range, `estimated` where it is wide. Nothing where cycles were not counted in every visit, on
/// several kinds of cores, or where the markers' own cycles leave it uncertain.
std::optional<Measure> region_clock(const MeasuredPasses& passes, const RegionSums& sums,
                                    const TimeFacts& facts);

}  // namespace roofmark
