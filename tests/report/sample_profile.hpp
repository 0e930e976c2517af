// A profile built by hand: a conjugate-gradient solve on a machine of two cores, with a bit of
// everything that a report has to show. The rooflines are given, so that these tests hold the
// report and not the model.
#pragma once

#include <cstdint>
#include <random>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

#include "tests/support/hostile_names.hpp"

namespace roofmark::sample {

inline ComputeCeiling compute(Precision precision, const char* isa, unsigned width, Operation op,
                              unsigned threads, double value) {
  ComputeCeiling ceiling;
  ceiling.precision = precision;
  ceiling.isa = isa;
  ceiling.width_bits = width;
  ceiling.operation = op;
  ceiling.scope = threads == 1 ? "core" : "machine";
  ceiling.threads = threads;
  ceiling.flop_per_s = value;
  ceiling.low = value * 0.97;
  ceiling.high = value * 1.01;
  ceiling.sustained = threads > 1;
  return ceiling;
}

inline BandwidthCeiling bandwidth(const char* level, const char* pattern, unsigned threads,
                                  double value) {
  BandwidthCeiling ceiling;
  ceiling.level = level;
  ceiling.pattern = pattern;
  ceiling.isa = "avx2";
  ceiling.scope = threads == 1 ? "core" : "machine";
  ceiling.threads = threads;
  ceiling.interface_bytes_per_s = value;
  ceiling.program_bytes_per_s = value;
  ceiling.low = value * 0.9;
  ceiling.high = value * 1.03;
  return ceiling;
}

inline Machine machine() {
  Machine machine;
  machine.identity = {{"cpu_model", "Example CPU 9000"}, {"hostname", "node1"}};
  machine.topology.cores = 2;
  machine.measured_at = "2026-01-02T03:04:05Z";
  machine.clock_hz = 3.2e9;
  for (const unsigned threads : {1u, 2u}) {
    const double t = threads;
    machine.compute.push_back(
        compute(Precision::f64, "avx2", 256, Operation::fma, threads, t * 51e9));
    machine.compute.push_back(
        compute(Precision::f64, "avx2", 256, Operation::add, threads, t * 25.5e9));
    machine.compute.push_back(
        compute(Precision::f64, "sse", 128, Operation::muladd, threads, t * 12.6e9));
    machine.compute.push_back(
        compute(Precision::f64, "scalar", 0, Operation::muladd, threads, t * 6.3e9));
    machine.compute.push_back(
        compute(Precision::f32, "avx2", 256, Operation::fma, threads, t * 102e9));
    machine.bandwidth.push_back(bandwidth("L1", "read", threads, t * 198e9));
    machine.bandwidth.push_back(bandwidth("L2", "read", threads, t * 96e9));
    machine.bandwidth.push_back(bandwidth("L3", "read", threads, t * 41e9));
    machine.bandwidth.push_back(
        bandwidth("DRAM", "triad", threads, threads == 1 ? 14.2e9 : 21.4e9));
  }
  machine.bandwidth.back().flags = {"noisy"};
  return machine;
}

inline Count count(double value, Source source) {
  Count count;
  count.value = static_cast<std::uint64_t>(value);
  count.source = source;
  count.collector = "emulated";
  return count;
}

inline Work work(double seconds, double flop, double dram, double scale = 1) {
  Work work;
  work.wall_s = Measure{seconds, Source::measured, {}, {}};
  work.thread_s = Measure{seconds * 2, Source::measured, {}, {}};
  if (flop > 0) work.flop[Precision::f64] = count(flop, Source::counted);
  const auto traffic = [&](const char* level, double bytes, Source source) {
    work.bytes[level].read = count(bytes * 0.75, source);
    work.bytes[level].write = count(bytes * 0.25, source);
  };
  traffic("L1", dram * 1.9 * scale, Source::counted);
  traffic("L2", dram * 1.2 * scale, Source::modelled);
  traffic("L3", dram * 1.1 * scale, Source::modelled);
  traffic("DRAM", dram, Source::modelled);
  return work;
}

inline Roofline roofline(double fraction, Side side, Verdict verdict, const char* detail,
                         const char* why) {
  Roofline roofline;
  roofline.binding = side == Side::memory ? "DRAM" : "f64 avx2 fma";
  roofline.side = roofline.side_as_written = side;
  roofline.verdict = verdict;
  roofline.verdict_detail = detail;
  roofline.precision = "f64";
  roofline.fraction = fraction;
  roofline.fraction_as_written = fraction * 1.1;
  roofline.uncertainty = 0.04;
  roofline.why = why;
  // Every level on the same side of its ridge, as `side` says of all of them.
  const double intensity = side == Side::memory ? 0.5 : side == Side::compute ? 2 : 1;
  if (side != Side::unknown)
    for (const char* level : {"L1", "L2", "L3", "DRAM"})
      roofline.levels[level] = {intensity, 1e9, 1, 2e10, 1e10};
  return roofline;
}

inline Region region(std::vector<std::string> path, std::uint64_t visits, Work inclusive,
                     Work self) {
  Region region;
  region.path = std::move(path);
  region.visits = visits;
  region.threads = 2;
  region.work = std::move(inclusive);
  region.self = std::move(self);
  const double seconds = region.work.wall_s ? region.work.wall_s->value : 0;
  const double each = visits > 0 ? seconds / static_cast<double>(visits) : 0;
  region.visit_s = VisitTimes{each * 0.9, each, each * 1.4, each * 0.05, each * 1.4};
  region.marker_s = 2e-8 * static_cast<double>(visits);
  return region;
}

/// Two threads at (0.1 FLOP/byte, 1 GFLOP/s) and (0.2 FLOP/byte, 1.1 GFLOP/s) of DRAM, and one that
/// is left out.
inline WorkShares shares() {
  const auto part = [](double wall_s, std::uint64_t flop, std::uint64_t dram) {
    return WorkShare::Part{wall_s,
                           {{Precision::f64, flop}},
                           {{"L1", 8 * dram}, {"L2", 4 * dram}, {"L3", 2 * dram}, {"DRAM", dram}}};
  };
  const auto first = part(1, 1'000'000'000, 10'000'000'000);
  const auto second = part(2, 2'200'000'000, 11'000'000'000);
  return {WorkShares::Of::threads,
          3,
          true,
          {{0, first, first}, {2, second, second}},
          {{1, "it entered the region otherwise", "let it be"}}};
}

inline Profile profile() {
  Profile profile;
  profile.program = {{"./poisson_cg", "--size", "128"}, 0, "2026-01-02T03:05:00Z", "node1"};
  profile.machine = machine();
  profile.passes.push_back({"time", "clock", 0, 4.1, 1.0, ""});
  profile.passes.push_back({"counts", "emulated", 0, 61.5, 1.0, "caches sampled: sets 1/8"});

  Region solve = region({"solve"}, 1, work(3.6, 6.1e9, 52e9), work(0.05, 1e6, 2e7));
  solve.rooflines = {roofline(0.68, Side::memory, Verdict::memory, "DRAM",
                              "2.43 of 3.60 s are explained by DRAM traffic at 21.4 GB/s.")};
  profile.regions.push_back(solve);

  Region spmv = region({"solve", "spmv"}, 118, work(2.1, 3.2e9, 34e9), work(2.1, 3.2e9, 34e9));
  spmv.rooflines = {
      roofline(0.76, Side::memory, Verdict::memory, "DRAM",
               "1.59 of 2.10 s are explained by 34.0 GB of DRAM traffic at 21.4 GB/s.")};
  spmv.rooflines[0].advice.push_back(
      {"Store the column indices in 32 bits: they are a third of the 34.0 GB.",
       "DRAM bytes per visit stay the same", 1.3});
  spmv.shares = shares();
  profile.regions.push_back(spmv);

  Region dot = region({"solve", "dot"}, 236, work(0.5, 1.1e9, 7e9), work(0.5, 1.1e9, 7e9));
  dot.rooflines = {roofline(0.65, Side::memory, Verdict::memory, "DRAM",
                            "0.33 of 0.50 s are explained by DRAM traffic.")};
  dot.work.bytes["DRAM"].read->low = static_cast<std::uint64_t>(4.2e9);
  dot.work.bytes["DRAM"].read->high = static_cast<std::uint64_t>(6.5e9);
  dot.self = dot.work;
  profile.regions.push_back(dot);

  Region smooth =
      region({"solve", "precondition"}, 118, work(0.9, 31e9, 1.1e9), work(0.9, 31e9, 1.1e9));
  smooth.rooflines = {roofline(0.34, Side::compute, Verdict::compute, "scalar",
                               "All 31.0 GFLOP are scalar: 0.77 of the scalar peak, 0.34 of the "
                               "vector peak.")};
  smooth.rooflines[0].advice.push_back({"Vectorise the inner loop: 100% of its FLOPs are scalar.",
                                        "the FLOP mix does not change", 2.9});
  profile.regions.push_back(smooth);

  Region setup = region({"setup"}, 1, work(0.4, 0, 1e9), work(0.4, 0, 1e9));
  setup.work.flop.clear();
  setup.work.bytes.erase("DRAM");
  setup.self = setup.work;
  setup.missing = {
      {"flop", "the counted pass ended before this region", "record with --budget 120"},
      {"bytes.DRAM", "the counted pass ended before this region", "record with --budget 120"}};
  setup.rooflines = {roofline(0, Side::unknown, Verdict::undetermined, "FLOPs not counted", "")};
  setup.rooflines[0].fraction.reset();
  setup.rooflines[0].precision.clear();
  profile.regions.push_back(setup);

  Region tiny = region({"setup", "hash"}, 4000000, work(0.02, 4e6, 1e6), work(0.02, 4e6, 1e6));
  tiny.flags = {"too_small"};
  tiny.rooflines = {roofline(0.004, Side::memory, Verdict::too_small, "5 ns a visit",
                             "A visit takes 5 ns, a marker 20 ns.")};
  profile.regions.push_back(tiny);
  return profile;
}

/// A random profile: many regions, numbers of any size, anything absent, any name.
inline Profile random_profile(unsigned seed, std::size_t regions) {
  std::mt19937 random(seed);
  const auto chance = [&](double p) { return std::uniform_real_distribution<>(0, 1)(random) < p; };
  const auto size = [&](double low, double high) {
    return std::pow(10.0, std::uniform_real_distribution<>(low, high)(random));
  };
  const auto names = hostile_names();
  Profile result = profile();
  if (chance(0.2)) result.machine = Machine{};
  if (chance(0.2)) result.passes.clear();
  result.regions.clear();
  for (std::size_t i = 0; i < regions; ++i) {
    std::vector<std::string> path;
    if (!result.regions.empty() && chance(0.6))
      path = result.regions[random() % result.regions.size()].path;
    path.push_back(chance(0.2) ? names[random() % names.size()] : "region" + std::to_string(i));
    Work inclusive = work(size(-9, 4), size(0, 18), size(0, 18));
    if (chance(0.1)) inclusive.wall_s.reset();
    if (chance(0.1)) inclusive.flop.clear();
    if (chance(0.1)) inclusive.bytes.erase("DRAM");
    if (chance(0.05)) inclusive.bytes.clear();
    if (chance(0.1)) inclusive.flop[Precision::f32] = count(size(0, 18), Source::declared);
    if (chance(0.05)) inclusive.wall_s = Measure{0, Source::measured, {}, {}};
    if (chance(0.02)) inclusive.wall_s = Measure{std::nan(""), Source::measured, {}, {}};
    Region made = region(path, random(), inclusive, chance(0.1) ? Work{} : inclusive);
    if (chance(0.8)) {
      Roofline given = roofline(size(-6, 1), static_cast<Side>(random() % 4),
                                static_cast<Verdict>(random() % 13), "a detail of some length",
                                "A sentence that says why, with a number: 12.3 GB/s.");
      if (chance(0.2)) given.fraction.reset();
      if (chance(0.5))
        given.advice.push_back({"Try something else.", "it does not help", size(0, 2)});
      made.rooflines.push_back(given);
    }
    if (chance(0.2))
      made.missing.push_back({"bytes.DRAM", names[random() % names.size()], "install the tool"});
    if (chance(0.2)) made.flags.insert("unclosed");
    result.regions.push_back(made);
  }
  return result;
}

}  // namespace roofmark::sample
