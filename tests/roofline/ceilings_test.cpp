#include "analysis/roofline/ceilings.hpp"

#include <algorithm>
#include <tuple>

#include "catch.hpp"
#include "test_machine.hpp"

namespace roofmark::model {
namespace {

double compute(const Machine& machine, Precision precision, unsigned width, Operation op,
               double cores) {
  const auto ceiling = compute_ceiling(machine, precision, width, op, cores);
  return ceiling ? ceiling->per_s : 0;
}

double bandwidth(const Machine& machine, const char* level, double read_share, double cores = 1,
                 bool non_temporal = false, double bytes_per_access = 0) {
  const auto ceiling = bandwidth_ceiling(
      machine, level, {read_share, non_temporal, bytes_per_access, bytes_per_access}, cores);
  return ceiling ? ceiling->per_s : 0;
}

TEST_CASE("a class is set against its own ceiling") {
  const Machine machine = test::two_cores();
  REQUIRE(compute(machine, Precision::f64, 0, Operation::add, 1) == 5e9);
  REQUIRE(compute(machine, Precision::f64, 0, Operation::div, 1) == 0.5e9);
  REQUIRE(compute(machine, Precision::f64, 256, Operation::fma, 2) == 40e9);
  REQUIRE(compute(machine, Precision::f32, 256, Operation::fma, 1) == 40e9);
}

TEST_CASE("between measured core counts a ceiling is linear, outside it ends") {
  const Machine machine = test::two_cores();
  REQUIRE(compute(machine, Precision::f64, 256, Operation::fma, 1.5) == Approx(30e9));
  REQUIRE(compute(machine, Precision::f64, 256, Operation::fma, 0.1) == 20e9);
  REQUIRE(compute(machine, Precision::f64, 256, Operation::fma, 64) == 40e9);
  REQUIRE(bandwidth(machine, "DRAM", 0.75, 1.5) == Approx(25e9));
}

TEST_CASE("what only one core was measured for: private caches scale, shared memory does not") {
  Machine machine = test::two_cores();
  std::erase_if(machine.bandwidth, [](const auto& ceiling) { return ceiling.threads == 2; });
  std::erase_if(machine.compute, [](const auto& ceiling) { return ceiling.threads == 2; });
  REQUIRE(bandwidth(machine, "L2", 1, 2) == 140e9);
  REQUIRE(bandwidth(machine, "L3", 1, 2) == 50e9);
  REQUIRE(bandwidth(machine, "DRAM", 1, 2) == 16e9);
  const auto scaled = compute_ceiling(machine, Precision::f64, 256, Operation::fma, 2);
  REQUIRE(scaled->per_s == 40e9);
  REQUIRE(scaled->source == Source::theoretical);
}

TEST_CASE("pages that were measured on few cores alone are not lost among others on all") {
  // Large pages on one core, small ones on both: a busy machine left no time for the rest.
  Machine machine = test::two_cores();
  std::erase_if(machine.bandwidth, [](const auto& one) { return one.level == "DRAM"; });
  const auto add = [&](double page_bytes, unsigned threads, double bytes_per_s) {
    for (const char* pattern : {"read", "triad", "copy"}) {
      test::add_bandwidth(machine, "DRAM", pattern, "avx2", threads, bytes_per_s);
      machine.bandwidth.back().page_bytes = page_bytes;
    }
  };
  add(2 << 20, 1, 60e9);
  add(4096, 1, 20e9);
  add(4096, 2, 25e9);
  // Both cores can do what one can.
  REQUIRE(topmost_bandwidth(machine, "DRAM")->per_s == 60e9);
  REQUIRE(bandwidth(machine, "DRAM", 1, 2) == 60e9);
  REQUIRE(declared_bandwidth(machine, "DRAM", 2)->per_s == 60e9);
  // A program in small pages is held against those alone.
  TrafficMix mix{1, false, 0, 0};
  mix.large_page_share = 0;
  REQUIRE(bandwidth_ceiling(machine, "DRAM", mix, 2)->per_s == 25e9);
  // With large pages on both cores their own ceiling stands.
  add(2 << 20, 2, 70e9);
  REQUIRE(topmost_bandwidth(machine, "DRAM")->per_s == 70e9);
  REQUIRE(bandwidth(machine, "DRAM", 1, 1.5) == Approx(65e9));
}

TEST_CASE("memory is held against the pages it is in") {
  Machine machine = test::two_cores();
  const double large = bandwidth(machine, "DRAM", 1);
  const double cache = bandwidth(machine, "L3", 1);
  const auto with = [&](const char* level, std::optional<double> share) {
    TrafficMix mix{1, false, 0, 0};
    mix.large_page_share = share;
    const auto found = bandwidth_ceiling(machine, level, mix, 1);
    return found ? found->per_s : 0;
  };
  // Measured in pages of one size: all that there is.
  REQUIRE(with("DRAM", 0) == large);
  test::add_small_pages(machine, 0.5);
  REQUIRE(with("DRAM", 1) == large);
  REQUIRE(with("DRAM", 0) == Approx(large / 2));
  REQUIRE(with("DRAM", std::nullopt) == large);  // not seen: the better pages
  // Half of the bytes take twice the time of the others.
  REQUIRE(with("DRAM", 0.5) == Approx(large / 1.5));
  REQUIRE(with("L3", 0) == cache);  // not measured apart
  REQUIRE(topmost_bandwidth(machine, "DRAM")->per_s ==
          topmost_bandwidth(test::two_cores(), "DRAM")->per_s);
  const double declared = declared_bandwidth(machine, "DRAM", 1)->per_s;
  REQUIRE(declared_bandwidth(machine, "DRAM", 1, 0)->per_s == Approx(declared / 2));
}

TEST_CASE("hyper-threads are apart: one thread a core is the peak") {
  Machine machine = test::two_cores();
  machine.topology.threads = 4;
  test::add_compute(machine, Precision::f64, {"avx2", 256}, Operation::fma, 50e9, 4);
  REQUIRE(topmost_peak(machine, Precision::f64, 2)->per_s == 40e9);
}

TEST_CASE("a sustained clock comes before a burst") {
  Machine machine = test::two_cores();
  test::add_compute(machine, Precision::f64, {"avx2", 256}, Operation::fma, 18e9, 2);
  machine.compute.back().sustained = true;
  REQUIRE(compute(machine, Precision::f64, 256, Operation::fma, 2) == 36e9);
  REQUIRE(compute(machine, Precision::f64, 256, Operation::fma, 1) == 20e9);
}

TEST_CASE("the read/write mix chooses between the patterns of an interface") {
  const Machine machine = test::two_cores();
  REQUIRE(bandwidth(machine, "DRAM", 1) == 16e9);
  REQUIRE(bandwidth(machine, "DRAM", 0.75) == 20e9);
  REQUIRE(bandwidth(machine, "DRAM", 2.0 / 3) == Approx(18e9));
  REQUIRE(bandwidth(machine, "DRAM", 0.5) == 15e9);
  // Half-way the time per byte is the mean of the two.
  REQUIRE(bandwidth(machine, "DRAM", 0.875) == Approx(2 / (1 / 16e9 + 1 / 20e9)));
  // More writes than reads can only be stores that bypass the caches, or the pattern nearest.
  REQUIRE(bandwidth(machine, "DRAM", 0.2) == 15e9);
  REQUIRE(bandwidth(machine, "DRAM", 0, 1, true) == 25e9);
  REQUIRE(bandwidth(machine, "DRAM", 2.0 / 3, 1, true) == Approx(19e9));
  REQUIRE(bandwidth(machine, "DRAM", 1, 1, true) == 16e9);
  // At L1 program bytes count: a store is one write and no read.
  REQUIRE(bandwidth(machine, "L1", 0) == 40e9);
  REQUIRE(bandwidth(machine, "L1", 0.5) == 80e9);
}

TEST_CASE("narrow loads have a lower L1 roof") {
  const Machine machine = test::two_cores();
  REQUIRE(bandwidth(machine, "L1", 1, 1, false, 8) == 20e9);
  REQUIRE(bandwidth(machine, "L1", 1, 1, false, 4) == Approx(10e9));
  REQUIRE(bandwidth(machine, "L1", 1, 1, false, 32) == 80e9);
  REQUIRE(bandwidth(machine, "L1", 1, 1, false, 20) == Approx(50e9));
  REQUIRE(bandwidth(machine, "L2", 1, 1, false, 8) == 70e9);
}

// A core of 1 GHz with two loads and one store a cycle of up to 32 bytes, three accesses in all;
// one of 64 bytes takes two cycles.
Machine three_ports() {
  Machine machine;
  machine.topology.cores = machine.topology.threads = 1;
  for (const auto& [isa, bytes, cycles] :
       {std::tuple{"scalar", 8, 1}, std::tuple{"avx2", 32, 1}, std::tuple{"avx512", 64, 2}}) {
    const double per_s = 1e9 * bytes / cycles;
    test::add_bandwidth(machine, "L1", "read", isa, 1, 2 * per_s);
    test::add_bandwidth(machine, "L1", "copy", isa, 1, 2 * per_s);
    test::add_bandwidth(machine, "L1", "triad", isa, 1, 3 * per_s);
    test::add_bandwidth(machine, "L1", "write", isa, 1, per_s);
  }
  return machine;
}

TEST_CASE("L1's roof knows the loads' width and the stores' own") {
  const Machine machine = three_ports();
  struct Accesses {
    double loads, load_bytes, stores, store_bytes;
  };
  // Cycles that the ports need for n loads and m stores of given sizes; 64 bytes count twice.
  const auto cycles = [](const Accesses& one) {
    const double loads = one.loads * (one.load_bytes > 32 ? 2 : 1);
    const double stores = one.stores * (one.store_bytes > 32 ? 2 : 1);
    return std::max({loads / 2, stores, (loads + stores) / 3});
  };
  const auto roof = [&](const Accesses& one) {
    const double read = one.loads * one.load_bytes, written = one.stores * one.store_bytes;
    const TrafficMix mix{read / (read + written), false, one.load_bytes, one.store_bytes};
    const auto ceiling = bandwidth_ceiling(machine, "L1", mix, 1);
    REQUIRE(ceiling);
    CHECK(ceiling->low <= ceiling->per_s);
    CHECK(ceiling->per_s <= ceiling->high);
    return (read + written) / ceiling->per_s * 1e9;  // in cycles
  };
  for (const Accesses& one : std::vector<Accesses>{{1, 8, 512, 32},      // a vectorised fill
                                                   {1, 8, 512, 64},      // and a wider one
                                                   {512, 32, 1, 8},      // a sum
                                                   {512, 64, 1, 8},      //
                                                   {256, 16, 256, 32},   // a widening loop
                                                   {256, 32, 256, 16},   // a narrowing one
                                                   {256, 8, 256, 8},     // scalar copy
                                                   {256, 64, 256, 64},   // the widest
                                                   {512, 32, 256, 32},   // triad
                                                   {768, 32, 128, 32},   // more loads than that
                                                   {100, 4, 300, 4}}) {  // floats one by one
    INFO(one.loads << " x " << one.load_bytes << " B, " << one.stores << " x " << one.store_bytes);
    CHECK(roof(one) == Approx(cycles(one)));
  }
  // Wide loads beside narrow stores: never more than the ports need, and no less than either side.
  const Accesses uneven{256, 64, 256, 8};
  CHECK(roof(uneven) <= cycles(uneven) * (1 + 1e-9));
  CHECK(roof(uneven) >= 256);
  // What is known of one side alone says nothing against the other.
  for (const TrafficMix& mix : {TrafficMix{0.01, false, 8, 0}, TrafficMix{0.99, false, 0, 8},
                                TrafficMix{0.01, false, 0, 0}}) {
    const double ports = mix.read_share < 0.5 ? 32e9 / 0.99 : 64e9 / 0.99;
    CHECK(bandwidth_ceiling(machine, "L1", mix, 1)->per_s == Approx(ports).epsilon(0.02));
  }
  // General registers have more ports than one lane of a vector register here, and hold as much.
  Machine general = machine;
  test::add_bandwidth(general, "L1", "write", "gpr", 1, 16e9);
  CHECK(bandwidth_ceiling(general, "L1", {0, false, 0, 8}, 1)->per_s == Approx(16e9));
  CHECK(bandwidth_ceiling(general, "L1", {0, false, 0, 4}, 1)->per_s == Approx(8e9));
  CHECK(bandwidth_ceiling(general, "L1", {0, false, 0, 32}, 1)->per_s == Approx(32e9));
  // Where the width of what was measured isn't known it holds for every size.
  Machine unnamed = machine;
  std::erase_if(unnamed.bandwidth, [](const auto& one) { return one.isa != "avx2"; });
  for (BandwidthCeiling& one : unnamed.bandwidth) one.isa.clear();
  CHECK(bandwidth_ceiling(unnamed, "L1", {0, false, 0, 8}, 1)->per_s == Approx(32e9));
}

TEST_CASE("what was not measured is stood for by something at least as fast") {
  Machine machine = test::two_cores();
  std::erase_if(machine.compute, [](const auto& c) {
    return c.operation != Operation::fma && c.operation != Operation::div;
  });
  const auto add = compute_ceiling(machine, Precision::f64, 256, Operation::add, 1);
  REQUIRE(add->per_s == 10e9);
  REQUIRE(add->source == Source::theoretical);
  REQUIRE(compute(machine, Precision::f64, 256, Operation::sqrt, 1) == 1e9);
  REQUIRE(compute(machine, Precision::f64, 512, Operation::fma, 1) == Approx(80e9));  // by lanes
  REQUIRE(compute(machine, Precision::x87, 0, Operation::add, 1) == Approx(5e9));
  REQUIRE(!compute_ceiling(machine, Precision::bf16, 256, Operation::fma, 1));
}

TEST_CASE("the machine roof is the topmost of every ceiling") {
  const auto roof = machine_roof(test::two_cores(), Precision::f64);
  REQUIRE(roof);
  REQUIRE(roof->peak.per_s == 40e9);
  REQUIRE(roof->levels.size() == 4);
  REQUIRE(roof->levels[0].level == "L1");
  REQUIRE(roof->levels[0].bandwidth.per_s == 160e9);
  REQUIRE(roof->levels[3].level == "DRAM");
  REQUIRE(roof->levels[3].bandwidth.per_s == 30e9);
  REQUIRE(!machine_roof(Machine{}, Precision::f64));
  REQUIRE(!machine_roof(test::two_cores(), Precision::fp8));
}

}  // namespace
}  // namespace roofmark::model
