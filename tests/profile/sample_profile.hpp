// A profile in which every field of the format is used at least once.
#pragma once

#include <roofmark/profile.hpp>

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
  work.operations["instructions"] = count(123);
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
  region.cores_used = Measure{1.9, Source::measured, {}, {}};
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
  profile.regions = {whole, region};
  return profile;
}

}  // namespace roofmark::test
