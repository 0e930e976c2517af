// Names of functions in paths, as the source has them, and never two paths made one.
#include <analysis/record/function_names.hpp>

#include "catch.hpp"

using namespace roofmark;
using Paths = std::vector<std::vector<std::string>>;

namespace {

Paths named(const Paths& paths) {
  std::vector<Region> regions(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) regions[i].path = paths[i];
  name_functions(regions);
  Paths result;
  for (const Region& region : regions) result.push_back(region.path);
  return result;
}

}  // namespace

TEST_CASE("a function's name in the source, wherever it stands") {
  CHECK(named({{}, {"main"}, {"main", "_ZN4grid6Solver4stepEi"}, {"_ZN4grid6Solver4stepEi"}}) ==
        Paths{{}, {"main"}, {"main", "grid::Solver::step(int)"}, {"grid::Solver::step(int)"}});
}

TEST_CASE("overloads keep their parameters") {
  CHECK(named({{"_Z4stepi"}, {"_Z4stepd"}}) == Paths{{"step(int)"}, {"step(double)"}});
}

TEST_CASE("what is somebody else's name is not given") {
  CHECK(named({{"step"}, {"_Z4stepi"}}) == Paths{{"step"}, {"step(int)"}});
  CHECK(named({{"step"}, {"step(int)"}, {"_Z4stepi"}}) ==
        Paths{{"step"}, {"step(int)"}, {"_Z4stepi"}});
  // Two constructors of one class, for the complete object and for a base.
  CHECK(named({{"_ZN1AC1Ev"}, {"_ZN1AC2Ev"}}) == Paths{{"_ZN1AC1Ev"}, {"_ZN1AC2Ev"}});
}

TEST_CASE("what is no name of a compiler's stays") {
  CHECK(named({{"_Z"}, {"_Znonsense"}, {"a _Z4stepi"}, {"_Z not mangled"}}) ==
        Paths{{"_Z"}, {"_Znonsense"}, {"a _Z4stepi"}, {"_Z not mangled"}});
}
