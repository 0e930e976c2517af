// Which region lies below which.
#include <analysis/profile/path_index.hpp>

#include "catch.hpp"

using namespace roofmark;

namespace {
std::vector<Region> regions_of(const std::vector<std::vector<std::string>>& paths) {
  std::vector<Region> regions;
  for (const auto& path : paths) {
    regions.emplace_back();
    regions.back().path = path;
  }
  return regions;
}
}  // namespace

TEST_CASE("parents and depths follow the paths, in any order") {
  const PathIndex index(regions_of({{"a", "b"}, {}, {"a"}, {"a", "b", "c"}, {"x", "y"}, {""}}));
  CHECK(index.parent(0) == 2);
  CHECK(index.parent(1) == PathIndex::none);
  CHECK(index.parent(2) == 1);
  CHECK(index.parent(3) == 0);
  CHECK(index.parent(5) == 1);
  CHECK(index.depth(3) == 3);
  CHECK(index.depth(1) == 0);
  CHECK(index.has_children(1));
  CHECK(index.has_children(0));
  CHECK_FALSE(index.has_children(3));
  // x has no row: y is below the whole program.
  CHECK(index.parent(4) == PathIndex::none);
  CHECK(index.nearest_above(4) == 1);
  CHECK(index.depth(4) == 1);
}

TEST_CASE("a path without any row above, and the same path twice") {
  const PathIndex index(regions_of({{"a", "b"}, {"c"}, {"c"}, {"c", "d"}}));
  CHECK(index.nearest_above(0) == PathIndex::none);
  CHECK(index.depth(0) == 0);
  CHECK(index.parent(3) == 2);
  CHECK(index.last_of_path(1) == 2);
  CHECK(index.last_of_path(3) == 3);
  CHECK(index.has_children(1));
}

TEST_CASE("the paths of a deep recursion") {
  std::vector<std::vector<std::string>> paths;
  for (std::size_t depth = 0; depth < 3000; ++depth)
    paths.emplace_back(depth, std::string("visit"));
  const PathIndex index(regions_of(paths));
  CHECK(index.depth(2999) == 2999);
  CHECK(index.parent(2999) == 2998);
}
