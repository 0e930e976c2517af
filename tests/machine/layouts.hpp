// Layouts of machines that nobody here owns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/machine/topology.hpp"
#include "catch.hpp"

namespace roofmark::test {

inline MachineLayout layout_of(const TopologySource& source) {
  const Result<MachineLayout> layout = discover_layout(source);
  REQUIRE(layout.has_value());
  return *layout;
}

/// In hwloc's words: "pack:2 numa:1 core:4 pu:2".
inline MachineLayout synthetic(const std::string& description,
                               std::optional<std::vector<unsigned>> allowed = {}) {
  return layout_of({{}, description, std::move(allowed)});
}

/// Of a file in topologies/.
inline MachineLayout recorded(const std::string& name,
                              std::optional<std::vector<unsigned>> allowed = {}) {
  return layout_of({std::string(ROOFMARK_TOPOLOGIES) + "/" + name, {}, std::move(allowed)});
}

}  // namespace roofmark::test
