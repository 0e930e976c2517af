// The pure parts: statistics, sizes, instruction sets, plausibility, chase, probes.
#include "analysis/machine/chase.hpp"
#include "analysis/machine/checks.hpp"
#include "analysis/machine/cpu_features.hpp"
#include "analysis/machine/plan.hpp"
#include "analysis/machine/probes.hpp"
#include "analysis/machine/statistics.hpp"
#include "analysis/machine/working_sets.hpp"
#include "catch.hpp"

using namespace roofmark;

namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;

CacheLevel cache(const char* name, std::size_t bytes, unsigned shared_by = 1) {
  CacheLevel level;
  level.name = name;
  level.bytes = bytes;
  level.shared_by = shared_by;
  return level;
}

bool has(const std::vector<std::string>& flags, const std::string& flag) {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

ComputeCeiling fma(const char* scope, unsigned threads, double flop_per_s, double per_cycle) {
  ComputeCeiling ceiling;
  ceiling.isa = "avx2";
  ceiling.width_bits = 256;
  ceiling.scope = scope;
  ceiling.threads = threads;
  ceiling.flop_per_s = flop_per_s;
  ceiling.flop_per_cycle = per_cycle;
  return ceiling;
}

BandwidthCeiling read(const char* level, double bytes_per_s) {
  BandwidthCeiling ceiling;
  ceiling.level = level;
  ceiling.pattern = "read";
  ceiling.interface_bytes_per_s = ceiling.program_bytes_per_s = bytes_per_s;
  return ceiling;
}

}  // namespace

TEST_CASE("quantiles interpolate between sorted samples") {
  const double samples[] = {4, 1, 3, 2, 5};
  CHECK(quantile(samples, 0) == 1);
  CHECK(quantile(samples, 0.5) == 3);
  CHECK(quantile(samples, 1) == 5);
  CHECK(quantile(samples, 0.9) == Approx(4.6));
  CHECK(quantile(std::span<const double>{}, 0.5) == 0);
}

TEST_CASE("neither a spell of a higher clock nor disturbed windows move the value") {
  std::vector<double> samples(100, 10.0);
  for (std::size_t i = 0; i < 60; ++i) samples[i] = 3 + static_cast<double>(i % 7);
  samples[99] = samples[98] = samples[97] = 12;  // 3 % of boosted windows
  const Spread spread = spread_of(samples);
  CHECK(spread.value == 10);
  CHECK(spread.high == 10);
  CHECK(spread.low < 5);
  CHECK_FALSE(spread.noisy);
}

TEST_CASE("windows that don't agree at the top are noisy") {
  std::vector<double> samples;
  for (int i = 0; i < 100; ++i) samples.push_back(50 + i);
  CHECK(spread_of(samples).noisy);
  CHECK(spread_of(std::vector<double>(5, 1.0)).noisy);  // too few to tell
}

TEST_CASE("working sets lie inside their level and outside the one before") {
  Topology t;
  t.caches = {cache("L1", 32 * kib), cache("L2", 512 * kib), cache("L3", 8 * mib, 4)};
  const std::vector<WorkingSet> sets = cache_working_sets(t, 1);
  REQUIRE(sets.size() == 3);
  CHECK(sets[0].bytes == 16 * kib);
  CHECK(sets[1].bytes >= 2 * 32 * kib);
  CHECK(sets[1].bytes <= 256 * kib);
  CHECK(sets[2].bytes >= 2 * 512 * kib);
  CHECK(sets[2].bytes <= 4 * mib);
  for (const WorkingSet& set : sets) CHECK_FALSE(set.tight);
}

TEST_CASE("sharers of a cache divide it") {
  Topology t;
  t.caches = {cache("L1", 32 * kib), cache("L2", 256 * kib), cache("L3", 8 * mib, 4)};
  const std::vector<WorkingSet> sets = cache_working_sets(t, 4);
  REQUIRE(sets.size() == 3);
  CHECK(sets[2].bytes <= mib);
  // A thread's share no larger than its own L2 is no level of its own.
  t.caches[2].bytes = 1 * mib;
  CHECK(cache_working_sets(t, 4).size() == 2);
  // A share that is hardly larger is measured, and flagged.
  t.caches[2].bytes = 1280 * kib;
  const std::vector<WorkingSet> tight = cache_working_sets(t, 4);
  REQUIRE(tight.size() == 3);
  CHECK(tight[2].tight);
  CHECK(tight[2].bytes > 256 * kib);
}

TEST_CASE("what the chase found counts, not what is reported") {
  Topology t;
  t.caches = {cache("L1", 48 * kib), cache("L2", 2 * mib), cache("L3", 480 * mib, 2)};
  CHECK(last_level_bytes(t) == 480 * mib);
  t.caches[2].confirmed_bytes = 110 * mib;
  CHECK(last_level_bytes(t) == 110 * mib);
  CHECK(memory_pool_bytes(last_level_bytes(t)) == 440 * mib);
  CHECK(memory_pool_bytes(1 * mib) == 64 * mib);
  CHECK(cache_working_sets(Topology{}, 1).empty());
}

TEST_CASE("an instruction set needs the processor and the operating system") {
  X86Registers r;
  r.leaf1_edx = 1U << 26;
  r.leaf1_ecx = 1U << 12 | 1U << 27 | 1U << 28;
  r.leaf7_ebx = 1U << 5 | 1U << 16;
  r.xcr0 = 0xe7;
  CHECK(x86_features(r) == std::set<std::string>{"sse2", "avx", "fma", "avx2", "avx512f"});
  r.xcr0 = 0x7;  // no opmask and upper registers
  CHECK(x86_features(r) == std::set<std::string>{"sse2", "avx", "fma", "avx2"});
  r.xcr0 = 0x3;  // no upper halves of ymm
  CHECK(x86_features(r) == std::set<std::string>{"sse2"});
  r.xcr0 = 0xe7;
  r.leaf1_ecx &= ~(1U << 27);  // no XSAVE
  CHECK(x86_features(r) == std::set<std::string>{"sse2"});
  CHECK(aarch64_features(1UL << 1) == std::set<std::string>{"neon"});
  CHECK(aarch64_features(1UL << 1 | 1UL << 22) == std::set<std::string>{"neon", "sve"});
  CHECK(riscv64_features(1UL << 3) == std::set<std::string>{"rv64d"});
  CHECK(riscv64_features(1UL << 3 | 1UL << 21) == std::set<std::string>{"rv64d", "rvv"});
}

TEST_CASE("stored lines cross an interface twice, but not L1's and not past the caches") {
  CHECK(interface_factor("L1", "triad") == 1);
  CHECK(interface_factor("L2", "read") == 1);
  CHECK(interface_factor("L3", "write") == 2);
  CHECK(interface_factor("DRAM", "copy") == 1.5);
  CHECK(interface_factor("HBM", "triad") == Approx(4.0 / 3));
  CHECK(interface_factor("DRAM", "triad_nt") == 1);
}

TEST_CASE("FLOP per cycle are explained by whole pipes") {
  const auto two = fit_pipes(fma("core", 1, 64e9, 15.95));
  REQUIRE(two.has_value());
  CHECK(two->pipes == 2);
  CHECK(two->share == Approx(15.95 / 16));
  CHECK(fit_pipes(fma("core", 1, 20e9, 8))->pipes == 1);
  CHECK_FALSE(fit_pipes(fma("core", 1, 20e9, 0)).has_value());
  ComputeCeiling divide = fma("core", 1, 1e9, 0.5);
  divide.operation = Operation::div;
  CHECK_FALSE(fit_pipes(divide).has_value());
}

TEST_CASE("what is implausible is flagged and what is plausible is not") {
  Machine machine;
  machine.topology.caches = {cache("L1", 32 * kib), cache("L2", mib)};
  machine.compute = {fma("core", 1, 64e9, 15.9), fma("machine", 2, 127e9, 31.8)};
  machine.bandwidth = {read("L1", 300e9), read("L2", 100e9), read("DRAM", 20e9)};
  check_machine(machine);
  CHECK(machine.notes.empty());
  CHECK(machine.compute[0].flags.empty());

  SECTION("below theory") {
    machine.compute[0].flop_per_cycle = 13;
    check_machine(machine);
    CHECK(has(machine.compute[0].flags, "below_theory"));
    CHECK(machine.notes.size() == 1);
  }
  SECTION("two hardware threads of one core") {
    machine.compute[1].flop_per_s = 66e9;
    check_machine(machine);
    CHECK(has(machine.compute[1].flags, "shared_core"));
    CHECK(machine.notes.size() == 1);
  }
  SECTION("two cores slower than one of them") {
    BandwidthCeiling both = read("DRAM", 2e9);
    both.scope = "machine";
    both.threads = 2;
    machine.bandwidth.push_back(both);
    machine.compute[1].flop_per_s = machine.compute[1].high = 0.1e9;
    check_machine(machine);
    CHECK(machine.compute[1].flop_per_s == 64e9);
    CHECK(machine.compute[1].high >= 64e9);
    CHECK(has(machine.compute[1].flags, "below_one_core"));
    CHECK(machine.bandwidth[3].interface_bytes_per_s == 20e9);
    CHECK(has(machine.bandwidth[3].flags, "below_one_core"));
    CHECK(machine.notes.front().find("2 ceilings of several cores were") == 0);
  }
  SECTION("two cores slower than one of them, where another kernel won") {
    // Beyond L1 the set is the winner's; at L1 each set has a ceiling of its own.
    machine.bandwidth = {read("L1", 300e9), read("DRAM", 13.1e9)};
    for (BandwidthCeiling& one : machine.bandwidth) {
      one.isa = "avx2";
      one.low = 0.8 * one.interface_bytes_per_s;
      one.high = one.interface_bytes_per_s;
    }
    for (const char* level : {"L1", "DRAM"}) {
      BandwidthCeiling both = read(level, 3.17e9);
      both.isa = "avx512";
      both.scope = "machine";
      both.threads = 2;
      both.low = 1e9;
      both.high = 3.17e9;
      machine.bandwidth.push_back(both);
    }
    check_machine(machine);
    CHECK(machine.bandwidth[2].interface_bytes_per_s == 3.17e9);
    CHECK_FALSE(has(machine.bandwidth[2].flags, "below_one_core"));
    CHECK(machine.bandwidth[3].interface_bytes_per_s == 13.1e9);
    CHECK(machine.bandwidth[3].low == 0.8 * 13.1e9);
    CHECK(machine.bandwidth[3].high == 13.1e9);
    CHECK(has(machine.bandwidth[3].flags, "below_one_core"));
    // Pages of another size are another ceiling.
    machine.bandwidth[3] = machine.bandwidth[2];
    machine.bandwidth[3].level = "DRAM";
    machine.bandwidth[3].page_bytes = 4096;
    check_machine(machine);
    CHECK(machine.bandwidth[3].interface_bytes_per_s == 3.17e9);
  }
  SECTION("memory faster than a cache") {
    machine.bandwidth[2] = read("DRAM", 150e9);
    check_machine(machine);
    CHECK(has(machine.bandwidth[2].flags, "above_inner_level"));
    CHECK_FALSE(has(machine.bandwidth[1].flags, "above_inner_level"));
  }
}

TEST_CASE("remote memory above the cores' own is doubted") {
  Machine machine;
  machine.bandwidth = {read("DRAM", 20e9), read("HBM", 90e9)};
  BandwidthCeiling far = read("DRAM", 15e9);
  far.placement = "remote";
  machine.apart_bandwidth = {far};
  check_machine(machine);
  CHECK(machine.apart_bandwidth[0].flags.empty());
  CHECK(machine.notes.empty());
  machine.apart_bandwidth[0].interface_bytes_per_s = 25e9;
  check_machine(machine);
  CHECK(has(machine.apart_bandwidth[0].flags, "above_local"));
  CHECK(machine.notes.size() == 1);
  // Two threads of a core are no remote memory.
  machine.apart_bandwidth[0].placement = "smt";
  machine.apart_bandwidth[0].flags.clear();
  check_machine(machine);
  CHECK(machine.apart_bandwidth[0].flags.empty());
}

TEST_CASE("remote memory is held against as many cores as read it, and not against the machine") {
  Machine machine;
  machine.topology.cores = 8;
  for (const auto& [threads, per_s] : {std::pair{8U, 160e9}, {1U, 20e9}, {4U, 80e9}}) {
    machine.bandwidth.push_back(read("DRAM", per_s));
    machine.bandwidth.back().threads = threads;
    machine.bandwidth.back().scope = threads == 1 ? "core" : threads == 4 ? "numa" : "machine";
  }
  // The same in small pages, whichever stands first.
  machine.bandwidth.push_back(read("DRAM", 12e9));
  machine.bandwidth.back().page_bytes = 4096;
  const auto doubted = [&](unsigned threads, double per_s) {
    BandwidthCeiling far = read("DRAM", per_s);
    far.placement = "remote";
    far.threads = threads;
    machine.apart_bandwidth = {far};
    check_machine(machine);
    return has(machine.apart_bandwidth[0].flags, "above_local");
  };
  CHECK(doubted(1, 60e9));
  CHECK_FALSE(doubted(1, 19e9));
  CHECK(doubted(4, 150e9));
  CHECK_FALSE(doubted(4, 79e9));
  CHECK(doubted(3, 100e9));  // the next more that were measured
  CHECK_FALSE(doubted(3, 79e9));
  CHECK_FALSE(doubted(16, 900e9));  // nothing to hold it against
}

TEST_CASE("a chase confirms the reported caches where latency rises at their size") {
  std::vector<CacheLevel> caches = {cache("L1", 32 * kib), cache("L2", mib), cache("L3", 32 * mib)};
  std::vector<ChasePoint> curve;
  auto build = [&](double l3_end) {
    curve.clear();
    for (double size = 8 * kib; size < 256.0 * mib; size *= 1.3) {
      const double ns = size <= 32 * kib ? 1 : size <= mib ? 4 : size <= l3_end ? 12 : 90;
      curve.push_back({static_cast<std::size_t>(size), ns * 1e-9});
    }
  };
  SECTION("all of it ours") {
    build(32.0 * mib);
    CHECK(confirm_caches(caches, curve).empty());
    CHECK(caches[0].confirmed_bytes == 32 * kib);
    CHECK(caches[1].confirmed_bytes == mib);
    CHECK(caches[2].confirmed_bytes == 32 * mib);
    CHECK(*caches[1].latency_s == Approx(4e-9));
  }
  SECTION("a part of the last one ours") {
    build(10.0 * mib);
    const std::vector<std::string> notes = confirm_caches(caches, curve);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].find("L3") == 0);
    CHECK(*caches[2].confirmed_bytes <= 10 * mib);
    CHECK(*caches[2].confirmed_bytes >= 7 * mib);
  }
  SECTION("disturbed points don't end a level early") {
    build(32.0 * mib);
    for (std::size_t i = 5; i < curve.size(); i += 4) curve[i].latency_s *= 40;
    CHECK(confirm_caches(caches, curve).empty());
    CHECK(caches[2].confirmed_bytes == 32 * mib);
  }
  SECTION("a curve that never leaves the last level confirms nothing about it") {
    build(1e12);
    CHECK(confirm_caches(caches, curve).empty());
    CHECK_FALSE(caches[2].confirmed_bytes.has_value());
  }
  SECTION("no curve") {
    CHECK(confirm_caches(caches, {}).empty());
    CHECK_FALSE(caches[0].confirmed_bytes.has_value());
  }
}

TEST_CASE("probes speak up only when more moved than measuring explains") {
  const Probes then = {{"fma", 100}, {"L1.read", 100}, {"memory.read", 100}};
  CHECK(compare_probes(then, {{"fma", 95}, {"L1.read", 104}, {"memory.read", 80}}, "t").empty());
  CHECK(compare_probes(then, {{"fma", 50}}, "t").size() == 1);
  CHECK(compare_probes(then, {{"memory.read", 60}}, "t").size() == 1);
  CHECK(compare_probes({}, {{"fma", 50}}, "t").empty());
  // Too fast is no sign of a busy machine, unless it was busy when it was measured.
  CHECK(compare_probes(then, {{"fma", 50}}, "t").front().find("is busy or") != std::string::npos);
  CHECK(compare_probes(then, {{"fma", 120}}, "t").front().find("was busy then or") !=
        std::string::npos);
}
