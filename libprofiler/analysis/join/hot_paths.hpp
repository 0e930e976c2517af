// Which regions of a native run a counted run with little time should serve first.
#pragma once

#include <analysis/join/join.hpp>
#include <string>
#include <vector>

namespace roofmark {

struct HotPaths {
  std::vector<std::vector<std::string>> paths;  ///< the slowest first
  double share = 0;  ///< of the working time in regions, that they have to themselves
};

/// The paths that most of the time in regions went to, without their children, MPI calls and sleep:
/// there is no work to count in those. Not more than a dozen. Names are those of the program's
/// regions, whichever executable they belong to.
HotPaths hot_paths(const JoinInput& native);

}  // namespace roofmark
