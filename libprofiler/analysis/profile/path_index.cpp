#include <algorithm>
#include <analysis/profile/path_index.hpp>
#include <string_view>
#include <unordered_map>

namespace roofmark {

PathIndex::PathIndex(const std::vector<Region>& regions)
    : parents_{none}, regions_{none}, has_children_{false} {
  std::vector<std::unordered_map<std::string_view, std::size_t>> below(1);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    std::size_t node = 0;
    for (const std::string& name : regions[i].path) {
      const auto [at, fresh] = below[node].try_emplace(name, parents_.size());
      const std::size_t next = at->second;
      if (fresh) {
        parents_.push_back(node);
        regions_.push_back(none);
        has_children_.push_back(false);
        below.emplace_back();
      }
      node = next;
    }
    regions_[node] = i;
    nodes_of_.push_back(node);
  }
  for (const std::size_t node : nodes_of_)
    if (parents_[node] != none) has_children_[parents_[node]] = true;
  // A prefix comes before what it begins.
  std::vector<std::size_t> above_node(parents_.size(), 0);
  for (std::size_t node = 1; node < parents_.size(); ++node)
    above_node[node] = above_node[parents_[node]] + (regions_[parents_[node]] != none ? 1 : 0);
  for (const std::size_t node : nodes_of_) depths_.push_back(above_node[node]);
}

std::size_t PathIndex::nearest_above(std::size_t region) const {
  std::size_t node = above(nodes_of_[region]);
  while (node != none && regions_[node] == none) node = parents_[node];
  return region_at(node);
}

}  // namespace roofmark
