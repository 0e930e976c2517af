// The work that a program declares of its regions.
#pragma once

#include <analysis/join/region_tree.hpp>
#include <optional>
#include <roofmark/profile.hpp>
#include <vector>

namespace roofmark {

/// Of a region: its own, or what its children declared.
struct Declared {
  double flop = 0, bytes = 0;
};

/// One entry per region of the tree.
std::vector<Declared> declared_work(const RegionTree& tree);

/// Nothing: none was declared, or more than can be counted.
std::optional<Count> declared_count(double value);

}  // namespace roofmark
