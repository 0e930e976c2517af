// low <= value <= high for every ceiling, whatever makes or changes it.
#include <cmath>
#include <random>
#include <roofmark/roofline.hpp>

#include "analysis/machine/checks.hpp"
#include "analysis/machine/machine_json.hpp"
#include "analysis/machine/scaled.hpp"
#include "analysis/machine/statistics.hpp"
#include "analysis/machine/within_range.hpp"
#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/projection.hpp"
#include "catch.hpp"

namespace roofmark {
namespace {

class AnyMachine {
 public:
  explicit AnyMachine(unsigned seed) : random_(seed) {}

  Machine make() {
    Machine machine;
    machine.topology.cores = machine.topology.threads = 4;
    machine.topology.caches = {{"L1", 32 << 10, 8, 64, 1, {}, {}},
                               {"L2", 1 << 20, 8, 64, 2, {}, {}}};
    for (const unsigned threads : {1U, 2U, 4U}) {
      for (const char* level : {"L1", "L2", "DRAM"})
        for (const char* pattern : {"read", "copy", "triad", "write"})
          for (const double page_bytes : {4096.0, 2097152.0})
            machine.bandwidth.push_back(bandwidth(level, pattern, threads, page_bytes));
      for (const Operation operation : {Operation::fma, Operation::add, Operation::div})
        for (const bool sustained : {false, true})
          machine.compute.push_back(compute(operation, threads, sustained));
    }
    return machine;
  }

 private:
  double rate() { return std::exp2(20 + double(random_() % 1000) / 50); }

  /// As windows give it: any quantile of any samples.
  Spread spread() {
    std::vector<double> samples;
    for (std::size_t n = random_() % 30 + 1; samples.size() < n;) samples.push_back(rate());
    constexpr double ranks[] = {0.02, 0.5, 0.9, 0.99};
    return spread_of(samples, ranks[random_() % 4]);
  }

  BandwidthCeiling bandwidth(const char* level, const char* pattern, unsigned threads,
                             double page_bytes) {
    const Spread seen = spread();
    BandwidthCeiling made;
    made.level = level;
    made.pattern = pattern;
    made.isa = random_() % 2 == 0 ? "avx2" : "avx512";
    made.threads = threads;
    made.scope = threads == 1 ? "core" : threads == 2 ? "llc" : "machine";
    made.interface_bytes_per_s = seen.value;
    made.program_bytes_per_s = seen.value / 1.5;
    made.low = seen.low;
    made.high = seen.high;
    made.page_bytes = page_bytes;
    return made;
  }

  ComputeCeiling compute(Operation operation, unsigned threads, bool sustained) {
    const Spread seen = spread();
    ComputeCeiling made;
    made.isa = "avx2";
    made.width_bits = 256;
    made.operation = operation;
    made.threads = threads;
    made.scope = threads == 1 ? "core" : threads == 2 ? "llc" : "machine";
    made.flop_per_s = seen.value;
    made.flop_per_cycle = 4.0 * threads;
    made.low = seen.low;
    made.high = seen.high;
    made.sustained = sustained;
    return made;
  }

  std::mt19937_64 random_;
};

void require_within(double value, double low, double high) {
  INFO(low << " <= " << value << " <= " << high);
  REQUIRE(low <= value * (1 + 1e-12));
  REQUIRE(value <= high * (1 + 1e-12));
}

void require_within(const Machine& machine) {
  for (const ComputeCeiling& one : machine.compute)
    require_within(one.flop_per_s, one.low, one.high);
  for (const BandwidthCeiling& one : machine.bandwidth)
    require_within(one.interface_bytes_per_s, one.low, one.high);
}

void require_within(const std::optional<Ceiling>& ceiling) {
  REQUIRE(ceiling);
  require_within(ceiling->per_s, ceiling->low, ceiling->high);
}

TEST_CASE("every ceiling lies within its own range, whatever changed it") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    Machine machine = AnyMachine(seed).make();
    require_within(machine);
    check_machine(machine);
    require_within(machine);
    const Result<Machine> read = machine_from_json(to_json(machine), "m.json");
    REQUIRE(read);
    require_within(*read);
    for (const std::uint64_t parts : {2, 3, 4, 100}) {
      require_within(share_of(machine, parts));
      require_within(of_nodes(machine, parts));
    }
    const auto faster = scaled(machine, {{"DRAM", 4}, {"peak", 0.5}});
    REQUIRE(faster);
    require_within(faster->machine);
    // What the model makes of them.
    for (const double cores : {1.0, 1.3, 2.0, 3.7, 4.0}) {
      for (const double read_share : {0.0, 0.4, 0.6, 0.7, 1.0})
        for (const double large_share : {0.0, 0.3, 1.0}) {
          model::TrafficMix mix{read_share, false, 0, 0};
          mix.large_page_share = large_share;
          require_within(model::bandwidth_ceiling(machine, "DRAM", mix, cores));
          require_within(model::declared_bandwidth(machine, "DRAM", cores, large_share));
        }
      for (const Operation operation : {Operation::fma, Operation::mul, Operation::sqrt})
        require_within(model::compute_ceiling(machine, Precision::f64, 256, operation, cores, 2e9));
      require_within(model::topmost_peak(machine, Precision::f64, cores));
    }
    for (const char* level : {"L1", "L2", "DRAM"})
      require_within(model::topmost_bandwidth(machine, level));
  }
}

TEST_CASE("a file whose value lies outside of its range is read with the range widened") {
  Machine machine = AnyMachine(1).make();
  machine.compute.resize(1);
  machine.bandwidth.resize(2);
  machine.compute[0].low = machine.compute[0].high = 2 * machine.compute[0].flop_per_s;
  machine.bandwidth[0].low = 2 * machine.bandwidth[0].interface_bytes_per_s;
  machine.bandwidth[0].high = 3 * machine.bandwidth[0].interface_bytes_per_s;
  machine.bandwidth[1].high = machine.bandwidth[1].low = 1;
  GpuCeiling gpu{"bytes.HBM", "copy", 3e12, 0, 1e12, 2e12, Source::measured, {}};
  machine.gpus.push_back({});
  machine.gpus[0].uuid = "GPU-0";
  machine.gpus[0].ceilings = {gpu};
  const Result<Machine> read = machine_from_json(to_json(machine), "m.json");
  REQUIRE(read);
  require_within(*read);
  CHECK(read->bandwidth[0].low == read->bandwidth[0].interface_bytes_per_s);
  CHECK(read->bandwidth[0].high == Approx(3 * read->bandwidth[0].interface_bytes_per_s));
  CHECK(read->bandwidth[1].low == 1);
  CHECK(read->gpus[0].ceilings[0].high == 3e12);
  CHECK(read->gpus[0].ceilings[0].low == 1e12);
}

}  // namespace
}  // namespace roofmark
