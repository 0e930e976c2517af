// The call tree as an icicle: the run's time from left to right, callers above what they enter.
#pragma once

#include <cstddef>
#include <roofmark/profile.hpp>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

namespace roofmark::report {

/// One region: as wide as its share of the run.
struct IcicleSlab {
  std::size_t region = 0;   ///< index into Profile::regions
  std::size_t depth = 0;    ///< 0: the whole program
  double from = 0, to = 1;  ///< share of the run's time
};

struct Icicle {
  std::vector<IcicleSlab> slabs;  ///< parents first
  std::size_t depth = 0;          ///< of the deepest, + 1
  std::size_t left_out = 0;       ///< narrower than `least`, or deeper than is drawn
};

/// Children that together take longer than the region around them ran at the same time: they share
/// its width. Siblings stand in the order of the profile.
Icicle icicle_of(const Profile& profile, double least);

/// The drawing, without an XML declaration; empty where no region has a time.
std::string icicle_svg(const Profile& profile, double width, const std::string& id);

}  // namespace roofmark::report
