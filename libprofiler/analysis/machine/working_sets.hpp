// How large the arrays must be for a kernel to live in one level of the hierarchy.
#pragma once

#include <cstddef>
#include <optional>
#include <roofmark/machine.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// Bytes of all arrays of one thread together.
struct WorkingSet {
  std::string level;
  std::size_t bytes = 0;
  bool tight = false;  ///< no size lies well inside this level and well outside the one before it
};

/// One per cache level that `sharers` threads can live in at the same time, innermost first.
/// A level whose share is no larger than the level inside it has none.
std::vector<WorkingSet> cache_working_sets(const Topology& topology, unsigned sharers);

/// The caches as one of `threads` hardware threads of a core has them.
Topology shared_among(Topology topology, unsigned threads);

/// The cache in front of memory as far as it is ours: what a memory stream must exceed.
std::size_t last_level_bytes(const Topology& topology);

/// Memory that all threads together stream over: 4 x the last level, so that steady state is
/// reached and nothing of the previous pass is left; at least 64 MiB.
std::size_t memory_pool_bytes(std::size_t last_level);

}  // namespace roofmark
