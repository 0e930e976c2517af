// How many processes of the target share a cache at a time: each is simulated by itself.
#pragma once

#include <analysis/join/join.hpp>
#include <vector>

namespace roofmark {

/// Processes with a thread that ran or was ready to, but no more than `cpus`, as the mean over the
/// time in which there was any; 1 where nothing was seen. One that waits for its children is none
/// of them, and those that take turns on a core have the cache in turns as well.
unsigned processes_at_once(const std::vector<PlacementSample>& looks, unsigned cpus);

}  // namespace roofmark
