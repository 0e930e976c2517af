// Hand-made profiles with known verdicts; tests/fixtures holds them as files. After a change of the
// model that is meant: `write_fixtures tests`, and read the difference.
#pragma once

#include <algorithm>
#include <roofmark/report.hpp>
#include <roofmark/roofline.hpp>
#include <string>
#include <utility>
#include <vector>

#include "test_machine.hpp"

namespace roofmark::test {

struct Expected {
  Verdict verdict;
  std::string detail;
};

struct FixtureRegion {
  Region region;
  Expected expected;
};

inline Machine named_machine() {
  Machine machine = two_cores();
  machine.identity = {
      {"cpu_model", "Two-core test machine"}, {"cores_allowed", "0-1"}, {"hostname", "fixture"}};
  machine.measured_at = "2026-01-02T03:04:05Z";
  machine.tsc_hz = 2e9;
  return machine;
}

/// Each verdict at least twice, on either side of its threshold where it has one.
inline std::vector<FixtureRegion> verdict_regions() {
  const double n = 1e8;
  std::vector<FixtureRegion> all;
  const auto add = [&](RegionMaker maker, const char* name, Verdict verdict, std::string detail) {
    Region& region = maker.edit();
    region.path = {name};
    if (!region.cores_used && region.threads == 1)
      region.cores_used = Measure{1, Source::measured, {}, {}};
    const double wall = region.work.wall_s->value;
    region.work.thread_s = Measure{wall * region.cores_used->value, Source::measured, {}, {}};
    const double visits = double(region.visits);
    region.visit_s = VisitTimes{0.9 * wall / visits, wall / visits, 1.2 * wall / visits,
                                0.05 * wall / visits, 1.2 * wall / visits};
    region.self = region.work;
    all.push_back({region, {verdict, std::move(detail)}});
  };
  const auto fma = [](double share_of_core) {
    return RegionMaker().wall(1).flop(share_of_core * 20e9).in_l1(2e10, 1e9);
  };

  add(triad(n, 32 * n / 20e9), "triad", Verdict::memory, "DRAM");
  add(triad(n, 32 * n / 50e9 / 0.95).bytes("DRAM", 1e6, 1e5), "triad in L3", Verdict::memory, "L3");
  add(triad(4 * n, 4 * 32 * n / 30e9 / 0.9).threads(2, 1.98), "triad on all cores", Verdict::memory,
      "DRAM");
  add(fma(0.89), "gemm on one core", Verdict::compute, "f64 avx2 fma");
  add(RegionMaker()
          .wall(1)
          .flop(2.6e9, 0, Operation::add)
          .flop(2.6e9, 0, Operation::mul)
          .in_l1(1e10, 1e9)
          .operations("loads", 1.25e9)
          .operations("stores", 1.25e8),
      "scalar gemm", Verdict::compute, "f64 scalar muladd");
  add(RegionMaker()
          .wall(0.8)
          .flop(0.3e9, 0, Operation::div)
          .flop(0.6e9, 0, Operation::fma)
          .in_l1(4e9, 1e9),
      "normalise", Verdict::compute, "divide");
  add(triad(n, 0.16 / 0.9).flop(0.97 * 0.16 * 20e9 - 2 * n), "stencil", Verdict::balanced, "DRAM");
  add(triad(n, 0.16 / 0.9).flop(1.03 * 0.16 * 20e9 - 2 * n), "blocked stencil", Verdict::balanced,
      "f64 avx2 fma");
  add(fma(0.91).threads(2, 2).flop(0.91 * 20e9), "blas gemm", Verdict::at_roof, "f64 avx2 fma");
  add(fma(0.89).threads(2, 2).flop(0.89 * 20e9), "nearly blas gemm", Verdict::compute,
      "f64 avx2 fma");
  add(RegionMaker()
          .wall(1)
          .flop(0.05e9, 0, Operation::add)
          .in_l1(4e8)
          .operations("loads", 5e7)
          .operations("instructions", 2e9),
      "sum in one accumulator", Verdict::latency, "");
  add(fma(0.01).threads(1, 0.2), "read input", Verdict::latency, "not running");
  add(RegionMaker()
          .wall(1)
          .flop(0)
          .bytes("L1", 8e7, 0, Source::counted)
          .bytes("L2", 64e7, 0)
          .bytes("L3", 64e7, 0)
          .bytes("DRAM", 64e7, 0)
          .operations("instructions", 3e7)
          .operations("loads", 1e7),
      "pointer walk", Verdict::latency, "stalled");
  add(RegionMaker()
          .wall(24 * n / 18e9)
          .flop(0)
          .bytes("L1", 8 * n, 8 * n, Source::counted)
          .bytes("L2", 16 * n, 8 * n)
          .bytes("L3", 16 * n, 8 * n)
          .bytes("DRAM", 16 * n, 8 * n),
      "copy", Verdict::no_flop, "DRAM");
  add(RegionMaker().wall(0.5).flop(0).in_l1(1e9).operations("instructions", 2.5e9), "hash table",
      Verdict::no_flop, "L1");
  add(fma(0.6).threads(2, 1.2), "locked update", Verdict::serial, "");
  add(fma(0.6).threads(2, 1.1), "one thread works", Verdict::serial, "");
  {
    RegionMaker uneven = fma(1.2).threads(2, 1.5);
    uneven.edit().imbalance = 1.4;
    add(uneven, "triangular loop", Verdict::imbalanced, "");
    uneven.edit().imbalance = 1.26;
    add(uneven, "slightly uneven loop", Verdict::imbalanced, "");
    uneven.edit().imbalance = 1.2;
    add(uneven, "even loop", Verdict::compute, "f64 avx2 fma");
  }
  {
    RegionMaker small = fma(0.9);
    small.edit().visits = 50'000'000;
    small.edit().marker_s = 1.4;
    add(small, "getter", Verdict::too_small, "");
    small.edit().visits = 10'000'000;
    small.edit().marker_s = 0.28;
    add(small.flag("too_small"), "setter", Verdict::too_small, "");
  }
  add(triad(n, 32 * n / 20e9 / 1.3), "miscounted triad", Verdict::above_roof, "DRAM");
  add(fma(1.15), "boosted gemm", Verdict::above_roof, "f64 avx2 fma");
  {
    RegionMaker withheld = fma(0.9);
    withheld.edit().work.bytes.erase("DRAM");
    withheld.edit().missing = {
        {"bytes.DRAM", "the caches were not simulated", "record without --flop-only"}};
    add(withheld, "gemm without DRAM", Verdict::undetermined, "DRAM not counted");
    RegionMaker nothing = RegionMaker().wall(0.3);
    nothing.edit().missing = {{"flop", "the counted pass did not reach it", "use a smaller case"}};
    add(nothing, "only timed", Verdict::undetermined, "FLOPs not counted");
  }
  add(RegionMaker()
          .wall(1)
          .flop(16e9, 256, Operation::fma, Precision::f32)
          .flop(8e9, 256, Operation::fma)
          .in_l1(1e10, 1e9),
      "mixed precision", Verdict::compute, "f64 avx2 fma");
  {
    RegionMaker other = fma(0.9).flag("isa_differs");
    add(other, "dispatched gemm", Verdict::compute, "f64 avx2 fma");
  }
  return all;
}

inline void include(Work& sum, const Work& part);

inline Profile verdict_profile() {
  Profile profile;
  profile.program = {{"./verdicts"}, 0, "2026-01-02T03:04:05Z", "fixture"};
  profile.machine = named_machine();
  profile.passes = {{"time", "clock", 0, 20, 1, ""}, {"counts", "emulated", 0, 600, 1, ""}};
  for (FixtureRegion& each : verdict_regions()) profile.regions.push_back(std::move(each.region));
  judge(profile);
  return profile;
}

/// The same regions as they look where nothing could be counted.
inline Profile time_only_profile() {
  Profile profile = verdict_profile();
  profile.passes.pop_back();
  profile.notes = {"No counted pass: valgrind is not installed."};
  for (Region& region : profile.regions) {
    for (Work* work : {&region.work, &region.self}) {
      work->flop.clear();
      work->bytes.clear();
      work->mix.clear();
      work->operations.clear();
    }
    region.missing = {{"flop", "the emulated collector is not available: valgrind is not installed",
                       "apt-get install valgrind"}};
  }
  judge(profile);
  return profile;
}

/// A solver whose regions nest, with bytes and names that are hard to print.
inline Profile nested_profile() {
  Profile profile;
  profile.program = {{"./cg", "--grid", "128"}, 0, "2026-01-02T03:04:05Z", "fixture"};
  profile.machine = named_machine();
  profile.passes = {{"time", "clock", 0, 2.1, 1, ""},
                    {"counts", "emulated", 0, 80, 0.5, "2 of 4 visits of solve"}};
  profile.notes = {"Cache sets were sampled: 1 of 8."};
  const double n = 1e7;
  const auto streaming = [&](std::vector<std::string> path, double reads, double writes,
                             double flop, double share) {
    const double bytes = (reads + writes) * n;
    Region region = RegionMaker(std::move(path))
                        .wall(bytes / 19e9 / share)
                        .flop(flop * n)
                        .bytes("L1", reads * n, writes * n, Source::counted)
                        .bytes("L2", reads * n, writes * n)
                        .bytes("L3", reads * n, writes * n)
                        .bytes("DRAM", reads * n, writes * n);
    region.visits = 40;
    region.cores_used = Measure{1, Source::measured, {}, {}};
    for (auto& [level, traffic] : region.work.bytes)
      if (level != "L1")
        for (std::optional<Count>* count : {&traffic.read, &traffic.write}) {
          (*count)->low = (*count)->value / 100 * 98;
          (*count)->high = (*count)->value / 100 * 102;
          (*count)->caveats = {"sampled sets 1/8"};
        }
    region.self = region.work;
    return region;
  };
  std::vector<Region> leaves = {
      streaming({"solve", "spmv"}, 120, 16, 14, 0.9), streaming({"solve", "dot"}, 32, 0, 8, 0.8),
      streaming({"solve", "axpy <\"&'>\n</script>"}, 48, 24, 6, 0.85),
      streaming({"solve", std::string("precondition\xff")}, 24, 8, 2, 0.5)};
  Region solve = RegionMaker({"solve"}).wall(0.02).flop(1e6, 0, Operation::fma).in_l1(1e7, 1e6);
  solve.visits = 4;
  solve.cores_used = Measure{1, Source::measured, {}, {}};
  solve.self = solve.work;
  for (const Region& leaf : leaves) include(solve.work, leaf.work);
  Region whole = RegionMaker(std::vector<std::string>{}).wall(0.05).flop(0).in_l1(1e8, 1e8);
  whole.self = whole.work;
  include(whole.work, solve.work);
  profile.regions = {whole, solve};
  profile.regions.insert(profile.regions.end(), leaves.begin(), leaves.end());
  judge(profile);
  return profile;
}

/// Only what the user declared: no counted pass.
inline Profile declared_profile() {
  Profile profile;
  profile.program = {{"./declared"}, 0, "2026-01-02T03:04:05Z", "fixture"};
  profile.machine = named_machine();
  profile.passes = {{"time", "clock", 0, 1, 1, ""}};
  const auto declared = [](const char* name, double wall, double flop, double bytes) {
    Region region = RegionMaker({name}).wall(wall);
    region.cores_used = Measure{1, Source::measured, {}, {}};
    region.work.declared_flop = counted(flop, Source::declared);
    region.work.declared_bytes = counted(bytes, Source::declared);
    for (std::optional<Count>* count : {&region.work.declared_flop, &region.work.declared_bytes})
      (*count)->collector.clear();
    region.self = region.work;
    region.missing = {{"flop", "counters are off", "record without --counters none"},
                      {"bytes", "counters are off", "record without --counters none"}};
    return region;
  };
  profile.regions = {declared("triad", 0.16, 2e8, 24e8), declared("gemm", 1, 18e9, 1e8),
                     declared("tiny", 0.001, 1e3, 1e3)};
  judge(profile);
  return profile;
}

inline std::vector<std::pair<std::string, Profile>> fixture_profiles() {
  return {{"verdicts", verdict_profile()},
          {"nested", nested_profile()},
          {"declared", declared_profile()},
          {"time_only", time_only_profile()}};
}

inline void add(std::optional<Measure>& sum, const std::optional<Measure>& part) {
  if (part) sum = Measure{(sum ? sum->value : 0) + part->value, part->source, {}, {}};
}

inline void add(std::optional<Count>& sum, const std::optional<Count>& part) {
  if (!part) return;
  if (!sum) {
    sum = part;
    return;
  }
  const std::uint64_t low = sum->low.value_or(sum->value) + part->low.value_or(part->value);
  const std::uint64_t high = sum->high.value_or(sum->value) + part->high.value_or(part->value);
  const bool is_range = sum->low || part->low;
  const std::uint64_t value = sum->value + part->value;
  const std::vector<std::string> caveats = sum->caveats.empty() ? part->caveats : sum->caveats;
  sum = part;
  sum->value = value;
  sum->caveats = caveats;
  if (is_range) {
    sum->low = low;
    sum->high = high;
  }
}

/// Adds a child's inclusive work to its parent's.
inline void include(Work& sum, const Work& part) {
  add(sum.wall_s, part.wall_s);
  for (const auto& [precision, count] : part.flop) {
    std::optional<Count> total;
    if (sum.flop.count(precision)) total = sum.flop[precision];
    add(total, count);
    sum.flop[precision] = *total;
  }
  for (const auto& [level, traffic] : part.bytes) {
    add(sum.bytes[level].read, traffic.read);
    add(sum.bytes[level].write, traffic.write);
  }
  for (const ComputeClass& one : part.mix) {
    auto same = std::find_if(sum.mix.begin(), sum.mix.end(), [&](const ComputeClass& other) {
      return other.precision == one.precision && other.width_bits == one.width_bits &&
             other.operation == one.operation;
    });
    if (same == sum.mix.end())
      sum.mix.push_back(one);
    else
      same->flop += one.flop;
  }
}

/// As a terminal of 80 columns shows it, every region explained.
inline std::string terminal_report(const Profile& profile) {
  TextOptions options;
  options.rows = 0;
  options.explained = profile.regions.size();
  return render_text(profile, options);
}

}  // namespace roofmark::test
