// A random pointer chase: the latency of each level, and how much of a cache is really ours (a
// virtual machine may report a cache that it shares with others).
#pragma once

#include <cstddef>
#include <functional>
#include <roofmark/machine.hpp>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "stopwatch.hpp"

namespace roofmark {

struct ChasePoint {
  std::size_t bytes = 0;
  double latency_s = 0;
};

/// Latency over size, from 8 KiB to `most_bytes`, on the calling thread. Touches the buffer as far
/// as it needs to; ends early after `limit_s` or when `interrupted`.
std::vector<ChasePoint> chase_latencies(Buffer& buffer, std::size_t most_bytes, double limit_s,
                                        const Stopwatch& watch,
                                        const std::function<bool()>& interrupted = {});

/// Fills confirmed_bytes and latency_s of each cache from the measured curve; returns one sentence
/// for each level where chase and topology disagree. A level beyond the end of the curve stays
/// unconfirmed.
std::vector<std::string> confirm_caches(std::vector<CacheLevel>& caches,
                                        const std::vector<ChasePoint>& measured);

}  // namespace roofmark
