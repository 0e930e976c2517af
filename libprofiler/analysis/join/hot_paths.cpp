#include <algorithm>
#include <analysis/join/hot_paths.hpp>
#include <analysis/join/join_ranks.hpp>
#include <analysis/join/join_samples.hpp>
#include <analysis/join/region_tree.hpp>

namespace roofmark {
namespace {

/// Each region's time without its children's, as far as there is work in it to count: without what
/// it slept, and none of MPI calls, in which ranks poll for one another.
std::vector<double> working_times(const JoinInput& native, const RegionTree& tree) {
  const std::vector<RegionSamples> samples = evaluate(native.samples, tree);
  std::vector<double> times(tree.regions().size(), 0);
  std::vector<bool> in_mpi(times.size(), false);
  for (std::size_t i = 1; i < times.size(); ++i) {  // parents come before their children
    const MergedRegion& region = tree[i];
    in_mpi[i] = in_mpi[region.parent] || is_mpi_call(region.name);
    if (in_mpi[i]) continue;
    const double asleep = samples[i].asleep ? std::min(samples[i].asleep->value, 1.0) : 0;
    times[i] = region.self_thread_s * (1 - asleep);
  }
  return times;
}

}  // namespace

HotPaths hot_paths(const JoinInput& native) {
  constexpr double enough = 0.8;
  constexpr std::size_t most = 12;
  RegionTree tree;
  // As their own program: the emulator knows the names without the executable's behind them.
  for (const RawProcess& process : native.native) tree.add(process, native, process.executable);
  const std::vector<double> work_s = working_times(native, tree);
  std::vector<std::size_t> order;
  double all_s = 0;
  for (std::size_t i = 1; i < tree.regions().size(); ++i) {
    all_s += work_s[i];
    if (work_s[i] > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return work_s[a] > work_s[b]; });
  HotPaths hot;
  for (const std::size_t region : order) {
    if (hot.paths.size() == most || hot.share >= enough) break;
    hot.paths.push_back(tree.path(region));
    hot.share += work_s[region] / all_s;
  }
  return hot;
}

}  // namespace roofmark
