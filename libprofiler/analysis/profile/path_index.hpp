// Which region of a profile lies below which, by path. Linear in the length of all paths together:
// a recursive function has paths of thousands of names.
#pragma once

#include <cstddef>
#include <roofmark/profile.hpp>
#include <vector>

namespace roofmark {

class PathIndex {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  explicit PathIndex(const std::vector<Region>& regions);

  /// The region whose path is this one's without the last name; of several the last. Or none.
  std::size_t parent(std::size_t region) const { return region_at(above(nodes_of_[region])); }
  /// The region itself, or the last of several that have its path.
  std::size_t last_of_path(std::size_t region) const { return regions_[nodes_of_[region]]; }
  /// The nearest region above, where some between have no row of their own. Or none.
  std::size_t nearest_above(std::size_t region) const;
  /// How many regions are above.
  std::size_t depth(std::size_t region) const { return depths_[region]; }
  bool has_children(std::size_t region) const { return has_children_[nodes_of_[region]]; }

 private:
  std::size_t above(std::size_t node) const { return node == none ? none : parents_[node]; }
  std::size_t region_at(std::size_t node) const { return node == none ? none : regions_[node]; }

  // A node for each prefix of a path; the first is the whole program's.
  std::vector<std::size_t> parents_, regions_;
  std::vector<bool> has_children_;
  // By region.
  std::vector<std::size_t> nodes_of_, depths_;
};

}  // namespace roofmark
