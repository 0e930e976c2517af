// A program without regions whose counters are read in the program itself: one region around each
// of its processes, summed.
#pragma once

#include <analysis/join/measured.hpp>
#include <optional>
#include <string>
#include <vector>

namespace roofmark {

/// The library that makes it, beside the runtime, and what it calls the region.
inline constexpr const char* whole_library = "libroofmark-whole.so";
inline constexpr const char* whole_region = "(program)";

struct WholeCounts {
  std::vector<GroupCounts> counts;  ///< of the plan's groups in that pass
  std::size_t processes = 0;        ///< whose counts are in them
  std::optional<Problem> problem;   ///< a part was not counted: then there are no counts
};

/// What the processes of a run left. All or nothing: a sum over some of them is the program's only
/// by chance.
WholeCounts whole_counts(const MeasuredPasses& passes, unsigned pass,
                         const std::vector<RawProcess>& processes);

}  // namespace roofmark
