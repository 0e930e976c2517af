// A profile in which every field of the format is used at least once.
#pragma once

#include <roofmark/profile.hpp>
#include <string>

namespace roofmark::test {

inline Count count(std::uint64_t value, Source source = Source::counted) {
  Count made;
  made.value = value;
  made.source = source;
  made.collector = "emulated";
  return made;
}

inline Work sample_work() {
  Work work;
  work.wall_s = Measure{0.125, Source::measured, 0.12, 0.13};
  work.thread_s = Measure{0.25, Source::measured, {}, {}};
  work.flop[Precision::f64] = count(9'007'199'254'740'993);  // 2^53 + 1: no double holds it
  work.flop[Precision::f32] = count(0);
  Count modelled = count(18'446'744'073'709'551'615U, Source::modelled);
  modelled.low = 1;
  modelled.high = 18'446'744'073'709'551'615U;
  modelled.caveats = {"replacement policy"};
  work.bytes["DRAM"] = {modelled, std::nullopt};
  work.bytes["L1"] = {count(16), count(8)};
  work.bytes["HBM"].total = count(24, Source::measured);
  work.operations["instructions"] = count(123);
  work.events["perf::PAGE-FAULTS"] = count(64, Source::measured);
  work.events["perf::PAGE-FAULTS"].scope = Scope::thread;
  work.mix = {{Precision::f64, 256, Operation::fma, 9'007'199'254'740'000},
              {Precision::f64, 0, Operation::div, 993}};
  work.declared_flop = count(7, Source::declared);
  work.declared_bytes = count(9, Source::declared);
  work.declared_bytes->collector.clear();
  return work;
}

inline Roofline sample_roofline() {
  Roofline roofline;
  roofline.precision = "f64";
  roofline.binding = "DRAM";
  roofline.side = Side::memory;
  roofline.side_as_written = Side::balanced;
  roofline.verdict = Verdict::memory;
  roofline.verdict_detail = "DRAM";
  roofline.roof_flop_per_s = 1.5e9;
  roofline.roof_as_written_flop_per_s = 1.25e9;
  roofline.achieved_flop_per_s = 1e9;
  roofline.fraction = 2.0 / 3;
  roofline.fraction_as_written = 0.8;
  roofline.fraction_without_waiting = 0.9;
  roofline.uncertainty = 0.05;
  roofline.explained_s = Measure{0.1, Source::modelled, 0.1, 0.2};
  roofline.levels["DRAM"] = {0.0625, 1.5e9, 1.2, 24e9, 16e9};
  roofline.ladder = {{"all cores", 1.5}};
  roofline.notes = {"a note"};
  roofline.why = "Because.";
  roofline.advice = {{"Do this.", "Unless that.", 1.5}, {"Or this.", "", std::nullopt}};
  return roofline;
}

inline Profile sample_profile() {
  Profile profile;
  profile.program = {{"./solve", "--file", "\xff.dat"}, 139, "2026-01-02T03:04:05Z", "host"};
  profile.program.large_page_share = 0.25;
  profile.program.waited_share = 0.75;
  profile.program.memory_kind = "HBM";
  profile.program.remote_memory_share = 0.125;
  profile.program.ranks = JobRanks{16, 8, 2, 3, 4, "Open MPI"};
  profile.machine.identity["cpu_model"] = "a test";
  profile.machine.measured_at = "2026-01-02T03:04:05Z";
  profile.machine.compute = {{}};
  profile.machine.compute[0].isa = "avx2";
  profile.machine.compute[0].width_bits = 256;
  profile.machine.compute[0].flop_per_s = 2e10;
  profile.machine.compute[0].low = 1.9e10;
  profile.machine.compute[0].high = 2e10;
  profile.passes = {{"time", "clock", 0, 1.5, 1.0, ""},
                    {"counts", "emulated", std::nullopt, 30, 0.5, "cut short"}};
  profile.notes = {"a note"};
  Region region;
  region.path = {"solve", "sp\"mv\n</script>", std::string("\xff\0\x01", 3), "\xc3\xa4"};
  region.visits = 10;
  region.threads = 2;
  region.flags = {"too_small", "visits_differ"};
  region.marker_s = 1e-9;
  region.visit_s = VisitTimes{0.01, 0.0125, 0.02, 0.001, 0.02};
  region.imbalance = 1.1;
  region.mpi_s = Measure{0.05, Source::measured, {}, {}};
  region.mpi_ranks = RankSpread{8, 0.01, 0.05, 0.05, 0.09, 7, 3, false};
  region.off_cpu_s = Measure{0.01, Source::estimated, 0.005, 0.015};
  region.ranks = RankSpread{8, 0.1, 0.11, 0.115, 0.125, 3, 7, true};
  region.shares = WorkShares{WorkShares::Of::threads,
                             3,
                             true,
                             {{0,
                               {0.06, {{Precision::f64, 9'007'199'254'740'993U}}, {{"DRAM", 7}}},
                               {0.05, {{Precision::f64, 4}}, {{"DRAM", 7}}}},
                              {1, {0.06, {}, {}}, {0.06, {}, {}}}},
                             {{1, "it ended \"early\"", "keep it"}}};
  region.cores_used = Measure{1.9, Source::measured, {}, {}};
  region.clock_hz = Measure{2.1e9, Source::estimated, 2e9, 2.2e9};
  region.work = sample_work();
  region.self = sample_work();
  region.self.flop.erase(Precision::f32);
  region.rooflines = {sample_roofline()};
  region.self_rooflines = {sample_roofline()};
  region.self_rooflines[0].verdict = Verdict::latency;
  region.missing = {{"bytes.DRAM.write", "not counted", "count it"}};
  Region whole;
  whole.visits = 1;
  whole.threads = 1;
  whole.work.wall_s = Measure{1.5, Source::measured, {}, {}};
  Region counted;  // a function whose entries the counted run saw, and one of which it saw some
  counted.path = {"work::step"};
  counted.function = CalledFunction{"/bin/solver", "", "entry detection", {}};
  counted.visits = 400;
  counted.visits_source = Source::counted;
  counted.missing = {{"time.wall", "the timed run could not see its calls", ""}};
  Region unknown = counted;
  unknown.path = {"work::late"};
  unknown.visits = 0;
  unknown.visits_source = Source::measured;
  unknown.missing.push_back({"visits", "the counted run did not see all of them", ""});
  profile.regions = {whole, region, counted, unknown};
  for (std::size_t depth = 1; depth < region.path.size(); ++depth) {
    Region& above = profile.regions.emplace_back(whole);
    above.path = {region.path.begin(), region.path.begin() + static_cast<std::ptrdiff_t>(depth)};
  }
  return profile;
}

/// More regions than a file spells out: of each kind that a compact one writes differently.
inline Profile large_profile(std::size_t regions) {
  Profile profile = sample_profile();
  profile.regions.resize(1);
  for (std::size_t i = 0; i < regions; ++i) {
    Region region;
    region.path = {"region " + std::to_string(i)};
    region.visits = 1;
    region.threads = 1;
    region.work.wall_s = Measure{1e-3 / static_cast<double>(i + 1), Source::measured, {}, {}};
    region.work.thread_s = region.work.wall_s;
    region.work.flop[Precision::f64] = count(i);
    region.work.bytes["L1"] = {count(64 * i), count(0)};
    region.work.mix = {{Precision::f64, 0, Operation::add, i}};
    region.self = region.work;
    const double wall_s = region.work.wall_s->value;
    region.visit_s = VisitTimes{wall_s, wall_s, wall_s, 0, wall_s};
    region.cores_used = Measure{1, Source::estimated, 1, 1};
    region.rooflines = region.self_rooflines = {sample_roofline()};
    region.missing = {{"bytes.DRAM", "not counted", "count it"}};
    switch (i % 8) {
      case 1:
        region.visits = 3;
        region.visit_s.reset();
        break;
      case 2:
        region.visit_s.reset();
        region.work.thread_s.reset();
        break;
      case 3:
        region.threads = 2;
        region.work.thread_s->value *= 2;
        break;
      case 4:
        region.work.flop[Precision::f64] = count(i, Source::declared);
        region.work.flop[Precision::f64].caveats = {"a caveat"};
        region.work.flop[Precision::f64].scope = Scope::socket;
        break;
      case 5:
        region.self.flop.clear();
        region.self_rooflines[0].verdict = Verdict::latency;
        break;
      case 6:
        region.missing.push_back({"flop", "another reason", ""});
        region.cores_used = Measure{1.5, Source::measured, 1, 2};
        break;
      case 7:
        region.missing.clear();
        region.work.wall_s.reset();
        break;
      default:
        break;
    }
    profile.regions.push_back(region);
  }
  return profile;
}

}  // namespace roofmark::test
