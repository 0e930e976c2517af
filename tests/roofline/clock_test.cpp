// Compute ceilings at the clock of a region, from closed forms; memory's stay.
#include <roofmark/roofline.hpp>

#include "analysis/roofline/ceilings.hpp"
#include "catch.hpp"
#include "test_machine.hpp"

namespace roofmark {
namespace {

using test::RegionMaker;

/// Ceilings of 2.5 GHz; 20 GFLOP/s of f64 AVX2 FMA a core.
Region fused(double wall_s, std::optional<Measure> clock_hz) {
  Region region = RegionMaker()
                      .wall(wall_s)
                      .flop(20e9)
                      .bytes("L1", 1e9, 0, Source::counted)
                      .bytes("L2", 1e6, 0)
                      .bytes("L3", 1e6, 0)
                      .bytes("DRAM", 1e6, 0);
  region.clock_hz = clock_hz;
  return region;
}

Measure measured(double hz) {
  return {hz, Source::measured, {}, {}};
}

bool says_clock(const Roofline& roofline) {
  for (const std::string& note : roofline.notes)
    if (note.find("scaled to its clock") != std::string::npos) return true;
  return false;
}

TEST_CASE("the roof as written follows the region's clock, the machine's does not") {
  const Machine machine = test::two_cores();
  const Roofline without = judge(fused(2, std::nullopt), machine);
  const Roofline slow = judge(fused(2, measured(1.25e9)), machine);
  const Roofline fast = judge(fused(2, measured(5e9)), machine);
  REQUIRE(*without.fraction_as_written == Approx(0.5));
  REQUIRE(*slow.fraction_as_written == Approx(1));
  REQUIRE(*fast.fraction_as_written == Approx(0.25));
  REQUIRE(*slow.roof_as_written_flop_per_s == Approx(10e9));
  REQUIRE(*slow.roof_flop_per_s == *without.roof_flop_per_s);
  REQUIRE(*fast.fraction == *without.fraction);
  REQUIRE_FALSE(says_clock(without));
  REQUIRE(says_clock(slow));
}

TEST_CASE("memory's ceilings do not follow a clock") {
  const Machine machine = test::two_cores();
  Region triad = test::triad(1e8, 32e8 / 20e9);
  const Roofline without = judge(triad, machine);
  triad.clock_hz = measured(2.4e9);
  const Roofline with = judge(triad, machine);
  REQUIRE(*with.fraction_as_written == *without.fraction_as_written);
  REQUIRE(with.verdict == without.verdict);
}

TEST_CASE("without the mix, the placement of the cores that were used follows the clock") {
  Region region = fused(2, measured(1.25e9));
  region.work.mix.clear();
  const Roofline slow = judge(region, test::two_cores());
  REQUIRE(slow.verdict != Verdict::latency);
  REQUIRE(says_clock(slow));
  region.clock_hz.reset();
  REQUIRE_FALSE(says_clock(judge(region, test::two_cores())));
}

TEST_CASE("a ceiling's own clock comes before the machine's") {
  Machine machine = test::two_cores();
  // The widest registers lower the clock: these were measured at 2 GHz.
  for (ComputeCeiling& ceiling : machine.compute)
    if (ceiling.width_bits == 256) ceiling.flop_per_cycle = ceiling.flop_per_s / 2e9;
  const auto at = [&](unsigned width, double hz) {
    return model::compute_ceiling(machine, Precision::f64, width, Operation::fma, 1, hz)->per_s;
  };
  REQUIRE(at(256, 2e9) == Approx(20e9));
  REQUIRE(at(256, 1e9) == Approx(10e9));
  REQUIRE(at(0, 2.5e9) == Approx(10e9));
  REQUIRE(at(0, 2e9) == Approx(8e9));
}

TEST_CASE("a clock that is not known well enough, or has nothing to be held to, changes nothing") {
  Machine machine = test::two_cores();
  const Roofline without = judge(fused(2, std::nullopt), machine);
  const auto same = [&](const Measure& clock) {
    return judge(fused(2, clock), machine) == without;
  };
  REQUIRE(same({1.25e9, Source::estimated, 1.25e9, {}}));
  REQUIRE(same({1.25e9, Source::estimated, 1.25e9, 1.39e9}));
  REQUIRE_FALSE(same({1.25e9, Source::estimated, 1.25e9, 1.36e9}));
  REQUIRE(same(measured(0)));
  REQUIRE(same(measured(std::numeric_limits<double>::quiet_NaN())));
  machine.clock_hz.reset();
  REQUIRE(same(measured(1.25e9)));
}

}  // namespace
}  // namespace roofmark
