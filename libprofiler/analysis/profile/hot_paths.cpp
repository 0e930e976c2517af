#include <algorithm>
#include <analysis/profile/hot_paths.hpp>
#include <analysis/profile/region_tree.hpp>

namespace roofmark {

HotPaths hot_paths(const JoinInput& native) {
  constexpr double enough = 0.8;
  constexpr std::size_t most = 12;
  RegionTree tree;
  // As their own program: the emulator knows the names without the executable's behind them.
  for (const RawProcess& process : native.native) tree.add(process, native, process.executable);
  std::vector<std::size_t> order;
  double all_s = 0;
  for (std::size_t i = 1; i < tree.regions().size(); ++i) {
    all_s += tree[i].self_thread_s;
    if (tree[i].self_thread_s > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return tree[a].self_thread_s > tree[b].self_thread_s;
  });
  HotPaths hot;
  for (const std::size_t region : order) {
    if (hot.paths.size() == most || hot.share >= enough) break;
    hot.paths.push_back(tree.path(region));
    hot.share += tree[region].self_thread_s / all_s;
  }
  return hot;
}

}  // namespace roofmark
