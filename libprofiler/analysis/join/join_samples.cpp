#include <algorithm>
#include <analysis/join/join_ranks.hpp>
#include <analysis/join/join_samples.hpp>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace roofmark {
namespace {

struct Sums {
  double weight = 0, weight_squared = 0;
  double value = 0, square = 0;

  void add(double w, double v) {
    weight += w;
    weight_squared += w * w;
    value += w * v;
    square += w * v * v;
  }
  Observed observed(std::size_t looks) const {
    const double mean = value / weight;
    const double variance = std::max(0.0, square / weight - mean * mean);
    double error = std::sqrt(variance * weight_squared) / weight;
    // Few looks that agree may have agreed by chance: as if one of them had seen half as much.
    if (looks < many_looks) error = std::max(error, 0.25 * mean / static_cast<double>(looks));
    return {mean, std::max(0.0, mean - 2 * error), mean + 2 * error};
  }
};

struct LookSums {
  std::size_t looks = 0;
  Sums depth, cores, asleep;
};

/// Time that a look stands for: half the way to its neighbours. The looks are not evenly spaced.
double weight_of(const std::vector<PlacementSample>& samples, std::size_t i) {
  const double before = i > 0 ? samples[i - 1].time_s : samples[i].time_s;
  const double after = i + 1 < samples.size() ? samples[i + 1].time_s : samples[i].time_s;
  return std::max(after - before, 1e-6);
}

struct Seen {
  double depth = 0, asleep = 0;
  std::unordered_set<int> processors;  ///< with a thread of it that runs
};

/// The regions that are open at this look, with their ancestors. A thread without a region of its
/// own works for the region that its process's first thread has open.
std::unordered_map<std::size_t, Seen> regions_at(const PlacementSample& sample,
                                                 const RegionTree& tree) {
  std::unordered_map<std::int64_t, std::size_t> open_in_process;
  for (const PlacementSample::Thread& thread : sample.threads)
    if (thread.pid == thread.tid && thread.open_path != 0)
      if (const auto region = tree.find(thread.pid, thread.open_path))
        open_in_process[thread.pid] = *region;
  std::unordered_map<std::size_t, Seen> seen;
  for (const PlacementSample::Thread& thread : sample.threads) {
    std::optional<std::size_t> region;
    const bool own = thread.open_path != 0;
    if (own)
      region = tree.find(thread.pid, thread.open_path);
    else if (const auto found = open_in_process.find(thread.pid); found != open_in_process.end())
      region = found->second;
    if (!region) continue;
    bool in_mpi = false;
    for (std::size_t at = *region; at != RegionTree::root; at = tree[at].parent)
      in_mpi = in_mpi || is_mpi_call(tree[at].name);
    for (std::size_t at = *region; at != RegionTree::root; at = tree[at].parent) {
      if (own) seen[at].depth += 1;
      if (own && !thread.running && !in_mpi) seen[at].asleep += 1;
      if (thread.running) seen[at].processors.insert(thread.processor);
    }
  }
  return seen;
}

}  // namespace

std::vector<RegionSamples> evaluate(const std::vector<PlacementSample>& samples,
                                    const RegionTree& tree) {
  std::vector<LookSums> sums(tree.regions().size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double weight = weight_of(samples, i);
    for (const auto& [region, seen] : regions_at(samples[i], tree)) {
      ++sums[region].looks;
      if (seen.depth > 0) {
        sums[region].depth.add(weight, seen.depth);
        sums[region].asleep.add(weight, seen.asleep / seen.depth);
      }
      sums[region].cores.add(weight, static_cast<double>(seen.processors.size()));
    }
  }
  std::vector<RegionSamples> result(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    result[i].looks = sums[i].looks;
    if (sums[i].looks < fewest_looks) continue;
    if (sums[i].depth.weight > 0) {
      result[i].depth = sums[i].depth.observed(sums[i].looks);
      result[i].asleep = sums[i].asleep.observed(sums[i].looks);
    }
    result[i].cores = sums[i].cores.observed(sums[i].looks);
  }
  return result;
}

}  // namespace roofmark
