// Loads, stores and their bytes of single instructions against what their definition says.
#include "catch.hpp"
#include "counted_run.hpp"

using namespace counted;

namespace {

struct Operand {
  const char* name;
  std::uint64_t loads;
  std::uint64_t load_bytes;
  std::uint64_t stores;
  std::uint64_t store_bytes;
};

constexpr Operand operands[] = {
#define OPERAND(name, loads, load_bytes, stores, store_bytes, instructions) \
  {name, loads, load_bytes, stores, store_bytes},
#include "programs/operands.inc"
#undef OPERAND
};
constexpr std::uint64_t times = 1000;

}  // namespace

TEST_CASE("an instruction asks for its memory operand once, however the emulator translates it") {
  const Run r = run({program("operands")}, flop_only());
  REQUIRE(r.wait_status == 0);
  REQUIRE(r.counts.problems.empty());
  // The marker's own share is that of a region that does nothing.
  Sum none = sum(r, {"none"});
  for (const Operand& operand : operands) {
    Sum s = sum(r, {operand.name});
    CAPTURE(operand.name);
    REQUIRE(s.visits == 1);
    const auto of = [&](const char* count) { return s.operations[count] - none.operations[count]; };
    CHECK(of("loads") == times * operand.loads);
    CHECK(of("stores") == times * operand.stores);
    CHECK(s.bytes["L1"].read.value - none.bytes["L1"].read.value == times * operand.load_bytes);
    CHECK(s.bytes["L1"].write.value - none.bytes["L1"].write.value == times * operand.store_bytes);
  }
}
