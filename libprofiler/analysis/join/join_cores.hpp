// How many cores a region and the program kept busy, and what none can have kept busy more of.
#pragma once

#include <algorithm>
#include <analysis/join/join.hpp>
#include <analysis/join/join_samples.hpp>
#include <cstdint>
#include <limits>
#include <roofmark/profile.hpp>
#include <set>
#include <vector>

namespace roofmark {

/// What no region can have kept busy more of: the processors of a known machine, and threads, where
/// all that there were are known.
struct CoresThatThereAre {
  double processors = std::numeric_limits<double>::infinity();
  double threads = std::numeric_limits<double>::infinity();
  /// How much of the time in which looks found a thread ready on a processor it ran there: others
  /// may have run. 1 where hardly any was waited for.
  double got = 1;

  double most_for(const Region& row) const {
    return std::max(1.0, std::min(processors, std::max(threads, static_cast<double>(row.threads))));
  }
};

/// Of a region whose times are set.
void set_cores(Region& row, const RegionSamples& samples, const WholeProgram& whole,
               const CoresThatThereAre& there_are);

CoresThatThereAre cores_that_there_are(const JoinInput& input, const Machine& machine);

/// Threads of the program (of a job: of its ranks) that ran side by side for long.
std::uint64_t threads_at_once(const std::vector<PlacementSample>& samples,
                              const std::set<std::int64_t>& ranks, double wall_s);

}  // namespace roofmark
