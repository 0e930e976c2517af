// The key below a chart in characters: which letter stands for which points.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace roofmark::report {

/// Points that are drawn in one place, by their index, heaviest first.
using PointGroups = std::vector<std::vector<std::size_t>>;

struct ChartKey {
  std::vector<std::string> lines;                   ///< "A solve, dot   B spmv"
  std::vector<std::optional<std::size_t>> letters;  ///< of each point; nothing for '*'
};

struct KeyRoom {
  std::size_t columns = 80, lines = 4, names = 12;  ///< at most
};

/// A letter for each group that there is room for, with the names of its points.
ChartKey key_of(const PointGroups& groups, const std::vector<std::string>& names,
                const KeyRoom& room);

std::string letter_of(std::size_t group);

}  // namespace roofmark::report
