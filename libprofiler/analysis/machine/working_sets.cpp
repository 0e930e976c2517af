#include "working_sets.hpp"

#include <algorithm>
#include <cmath>

namespace roofmark {
namespace {

std::size_t ours(const CacheLevel& cache) {
  return static_cast<std::size_t>(cache.confirmed_bytes.value_or(cache.bytes));
}

}  // namespace

// Fractions: a set should fill at most half of its level (other lines and imperfect replacement
// take their part) and be at least twice the level inside it.
std::vector<WorkingSet> cache_working_sets(const Topology& topology, unsigned sharers) {
  std::vector<WorkingSet> sets;
  double inner = 0;
  for (const CacheLevel& cache : topology.caches) {
    const unsigned users = std::clamp(std::min(sharers, cache.shared_by), 1U, ~0U);
    const double share = static_cast<double>(ours(cache)) / users;
    if (share <= inner || share <= 0) continue;
    const double most = 0.5 * share;
    double wanted = inner == 0 ? most : std::max(std::sqrt(inner * share), 0.25 * share);
    if (inner > 0 && share > 16 * inner)
      wanted = 4 * inner;  // far below its end latency is the same
    WorkingSet set;
    set.level = cache.name;
    set.bytes = static_cast<std::size_t>(std::min(wanted, most));
    set.tight = inner > 0 && static_cast<double>(set.bytes) < 2 * inner;
    if (set.tight) set.bytes = static_cast<std::size_t>(std::max(most, 0.5 * (inner + share)));
    sets.push_back(set);
    inner = static_cast<double>(cache.bytes);
  }
  return sets;
}

Topology shared_among(Topology topology, unsigned threads) {
  for (CacheLevel& cache : topology.caches) {
    cache.bytes /= threads;
    if (cache.confirmed_bytes) *cache.confirmed_bytes /= threads;
  }
  return topology;
}

std::size_t last_level_bytes(const Topology& topology) {
  std::size_t most = 0;
  for (const CacheLevel& cache : topology.caches) most = std::max(most, ours(cache));
  return most;
}

std::size_t memory_pool_bytes(std::size_t last_level) {
  return std::max(4 * last_level, std::size_t{64} << 20);
}

}  // namespace roofmark
