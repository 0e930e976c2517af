// What stands behind a branch is counted when it is executed.
#include "catch.hpp"
#include "counted_run.hpp"

using namespace counted;

TEST_CASE("loops of few turns and conditions of two parts count what they executed") {
  const Run r = run({program("turns")}, flop_only());
  REQUIRE(r.wait_status == 0);
  std::uint64_t instructions = 0;
  for (std::uint64_t turns = 1; turns <= 9; ++turns) {
    CAPTURE(turns);
    Sum s = sum(r, {"turns " + std::to_string(turns)});
    CHECK(s.flop == 100 * turns);
    // Three instructions more for each turn.
    if (turns > 1) CHECK(s.operations["instructions"] == instructions + 300);
    instructions = s.operations["instructions"];
  }
  CHECK(sum(r, {"if 0 and 0"}).flop == 0);
  CHECK(sum(r, {"if 1 and 0"}).flop == 100);
  CHECK(sum(r, {"if 0 and 1"}).flop == 0);
  CHECK(sum(r, {"if 1 and 1"}).flop == 200);
}
