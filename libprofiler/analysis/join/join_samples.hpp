// What the recorder's looks say of each region: how many of its threads were in it at once, and how
// many cores they kept busy.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/join/region_tree.hpp>
#include <optional>
#include <vector>

namespace roofmark {

/// A weighted mean with two standard errors to each side.
struct Observed {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct RegionSamples {
  std::size_t looks = 0;           ///< that found the region open
  std::optional<Observed> depth;   ///< threads in it at once, while there was one
  std::optional<Observed> asleep;  ///< share of its threads that slept, outside MPI calls
  std::optional<Observed> cores;   ///< cores busy with it, while it was open
};

/// With fewer looks than this nothing is said of a region. A program that keeps all cores busy
/// leaves a recorder few of them: a region of 50 ms is seen half a dozen times.
inline constexpr std::size_t fewest_looks = 4;
/// With fewer than this, what they agree in is given a range all the same.
inline constexpr std::size_t many_looks = 8;

/// One entry per region of the tree.
std::vector<RegionSamples> evaluate(const std::vector<PlacementSample>& samples,
                                    const RegionTree& tree);

}  // namespace roofmark
