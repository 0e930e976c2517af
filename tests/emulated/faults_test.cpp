// Programs that handle faults of their memory.
#include "catch.hpp"
#include "counted_run.hpp"

using namespace counted;

TEST_CASE("a program that handles faults sees its registers, and what it did is counted once") {
  REQUIRE(run_native({program("faults")}).wait_status == 0);
  for (const auto& options : {flop_only(), full(32 << 10, 256 << 10, 1 << 20)}) {
    const Run r = run({program("faults")}, options);
    INFO(r.errors);
    REQUIRE(r.wait_status == 0);
    REQUIRE(r.counts.problems.empty());
    CHECK(sum(r, {"set before"}).flop == 5000);
    CHECK(sum(r, {"around"}).flop == 32000);
    CHECK(sum(r, {"left"}).flop == 16000);
  }
}
