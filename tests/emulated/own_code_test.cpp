// What Roofmark's own libraries do inside a region is not the program's work.
#include "catch.hpp"
#include "counted_run.hpp"

using namespace counted;

TEST_CASE("code of libroofmark-*.so is not counted, that of any other library is") {
  const Run r = run({program("own_code"), program("libwork.so"), program("libroofmark-work.so")},
                    flop_only());
  INFO(r.errors);
  REQUIRE(r.wait_status == 0);
  REQUIRE(r.counts.problems.empty());
  CHECK(sum(r, {"others"}).flop == 1000);
  CHECK(sum(r, {"own"}).visits == 1);
  CHECK(sum(r, {"own"}).flop == 0);
  // The other library may lie where Roofmark's lay.
  CHECK(sum(r, {"others again"}).flop == 1000);
  // What is left of the own region is the call and what surrounds it.
  CHECK(sum(r, {"own"}).operations.at("instructions") <
        sum(r, {"others"}).operations.at("instructions") - 3000);
}
