// The rules of the model, each on both sides.
#include <roofmark/roofline.hpp>

#include "catch.hpp"
#include "test_machine.hpp"

namespace roofmark {
namespace {

using test::RegionMaker;
const Machine& machine() {
  static const Machine made = test::two_cores();
  return made;
}

Roofline judged(const Region& region) {
  return judge(region, machine());
}

TEST_CASE("one unit per interface: each roof kernel lands at 1.00 as written") {
  const double n = 1e8;
  // triad: 32 interface bytes an element at 20 GB/s.
  const Roofline of_triad = judged(test::triad(n, 32 * n / 20e9));
  REQUIRE(*of_triad.fraction_as_written == Approx(1));
  REQUIRE(of_triad.verdict == Verdict::memory);
  REQUIRE(of_triad.verdict_detail == "DRAM");
  REQUIRE(of_triad.side == Side::memory);
  // copy without a FLOP: 24 interface bytes an element at 18 GB/s.
  const Roofline of_copy = judged(RegionMaker()
                                      .wall(24 * n / 18e9)
                                      .flop(0)
                                      .bytes("L1", 8 * n, 8 * n, Source::counted)
                                      .bytes("L2", 16 * n, 8 * n)
                                      .bytes("L3", 16 * n, 8 * n)
                                      .bytes("DRAM", 16 * n, 8 * n));
  REQUIRE(*of_copy.fraction_as_written == Approx(1));
  REQUIRE(of_copy.verdict == Verdict::no_flop);
  REQUIRE(of_copy.verdict_detail == "DRAM");
  REQUIRE(!of_copy.achieved_flop_per_s);
  REQUIRE(!of_copy.roof_flop_per_s);
  // copy with stores that bypass: 16 bytes at 17 GB/s.
  const Roofline of_copy_nt = judged(RegionMaker()
                                         .wall(16 * n / 17e9)
                                         .flop(0)
                                         .operations("nt_store_bytes", 8 * n)
                                         .bytes("L1", 8 * n, 8 * n, Source::counted)
                                         .bytes("L2", 8 * n, 0)
                                         .bytes("L3", 8 * n, 0)
                                         .bytes("DRAM", 8 * n, 8 * n));
  REQUIRE(*of_copy_nt.fraction_as_written == Approx(1));
  // FMA at the peak of a core, and of both.
  REQUIRE(*judged(RegionMaker().wall(1).flop(20e9).in_l1()).fraction_as_written == Approx(1));
  const Roofline of_both = judged(RegionMaker().wall(1).threads(2, 2).flop(40e9).in_l1());
  REQUIRE(*of_both.fraction_as_written == Approx(1));
  REQUIRE(*of_both.fraction == Approx(1));
  // Scalar loads from L1.
  const Roofline of_loads = judged(
      RegionMaker().wall(1).flop(1e9, 0, Operation::add).in_l1(20e9).operations("loads", 2.5e9));
  REQUIRE(*of_loads.fraction_as_written == Approx(1));
  REQUIRE(of_loads.verdict_detail == "L1");
}

TEST_CASE("one unit per interface: declared bytes are set against program bytes") {
  const double n = 1e8;
  Region region = RegionMaker().wall(24 * n / 15e9);  // triad: 15 GB/s of program bytes
  region.work.declared_flop = test::counted(2 * n, Source::declared);
  region.work.declared_bytes = test::counted(24 * n, Source::declared);
  const Roofline roofline = judged(region);
  REQUIRE(roofline.verdict == Verdict::memory);
  REQUIRE(roofline.verdict_detail == "DRAM");
  REQUIRE(*roofline.explained_s->low == Approx(24 * n / 15e9));  // of the one core it used
  REQUIRE(*roofline.fraction == Approx(15 / 22.5));
  REQUIRE(roofline.explained_s->source == Source::declared);
  REQUIRE(roofline.notes.size() == 3);  // FLOPs, bytes, caches
}

TEST_CASE("absent is not zero") {
  Region region = RegionMaker().wall(1).flop(18e9).in_l1();
  REQUIRE(judged(region).verdict == Verdict::compute);
  REQUIRE(judged(region).fraction);

  region.work.bytes.erase("DRAM");
  const Roofline without = judged(region);
  REQUIRE(without.verdict == Verdict::undetermined);
  REQUIRE(without.verdict_detail == "DRAM not counted");
  REQUIRE(without.side == Side::unknown);
  REQUIRE(!without.fraction);
  REQUIRE(!without.roof_flop_per_s);
  REQUIRE(without.achieved_flop_per_s);

  region.work.bytes["DRAM"] = {test::counted(0), std::nullopt};
  REQUIRE(judged(region).verdict_detail == "DRAM writes not counted");
  region.work.bytes["DRAM"] = {std::nullopt, test::counted(0)};
  REQUIRE(judged(region).verdict_detail == "DRAM reads not counted");

  region.work.flop.clear();
  REQUIRE(judged(region).verdict_detail == "FLOPs not counted");
  region.work.wall_s.reset();
  REQUIRE(judged(region).verdict_detail == "time not measured");
}

TEST_CASE("zero FLOPs of one precision are not none where another one was not counted") {
  const auto undetermined = [](const Region& region, const char* detail) {
    const Roofline judgement = judged(region);
    INFO(detail);
    CHECK(judgement.verdict == Verdict::undetermined);
    CHECK(judgement.verdict_detail == detail);
    CHECK(!judgement.fraction);
  };
  // A copy at half of DRAM's speed.
  Region copy = RegionMaker()
                    .wall(1)
                    .flop(0)
                    .bytes("L1", 8e9, 1e9, Source::counted)
                    .bytes("L2", 8e9, 1e9)
                    .bytes("L3", 8e9, 1e9)
                    .bytes("DRAM", 8e9, 1e9);
  copy.work.mix.clear();
  REQUIRE(copy.work.flop.count(Precision::f64) == 1);
  REQUIRE(judged(copy).verdict == Verdict::no_flop);
  copy.missing = {{"flop.f32", "not asked for", "ask for it"}};
  undetermined(copy, "FLOPs of f32 not counted");
  // What few programs of a processor do is no reason to know nothing.
  copy.missing = {{"flop.f16", "", ""}, {"flop.x87", "", ""}, {"tensor", "", ""}};
  CHECK(judged(copy).verdict == Verdict::no_flop);
  // Of a GPU it is ordinary work.
  for (const char* quantity : {"flop.f16", "flop.f32", "flop.bf16"}) {
    copy.missing = {{quantity, "", ""}};
    copy.work.flop.at(Precision::f64).scope = Scope::device;
    undetermined(copy, ("FLOPs of " + std::string(quantity + 5) + " not counted").c_str());
  }
  copy.missing = {{"tensor", "", ""}};
  undetermined(copy, "tensor operations not counted");
  // A count of every precision holds the one that is missing.
  copy.work.flop.clear();
  copy.work.flop[Precision::any] = test::counted(0);
  copy.missing = {{"flop.f32", "", ""}, {"flop.f64", "", ""}};
  CHECK(judged(copy).verdict == Verdict::no_flop);
}

TEST_CASE("a region under one roof alone is under that one, whichever it is") {
  Region region;
  Roofline gpu;
  gpu.locus = "gpu:0";
  gpu.fraction = 0.5;
  region.rooflines = region.self_rooflines = {gpu};
  REQUIRE(inclusive_roofline(region));
  CHECK(inclusive_roofline(region)->fraction == gpu.fraction);
  CHECK(self_roofline(region)->locus == "gpu:0");
  CHECK(inclusive_roofline(region, "gpu:1") == nullptr);
  Roofline cpu;
  region.rooflines = {gpu, cpu};
  CHECK(inclusive_roofline(region)->locus == "cpu");
}

TEST_CASE("a simulation knows no kinds of main memory: the fastest stands for it, and it says so") {
  const double n = 1e8;
  Machine machine = test::two_cores();
  test::add_memory_kind(machine, "HBM", 2);
  Region region = test::triad(n, 32 * n / 40e9 / 0.8);
  const auto noted = [](const Roofline& roofline, const char* part) {
    return std::any_of(roofline.notes.begin(), roofline.notes.end(), [&](const std::string& note) {
      return note.find(part) != std::string::npos;
    });
  };
  const Roofline either = judge(region, machine);
  REQUIRE(either.verdict == Verdict::memory);
  REQUIRE(either.levels.at("DRAM").bandwidth_bytes_per_s == Approx(60e9));
  REQUIRE(either.levels.count("HBM") == 0);
  REQUIRE(noted(either, "which is DRAM and HBM here; of which kind"));
  // The only memory there is.
  Machine only = machine;
  std::erase_if(only.bandwidth, [](const auto& ceiling) { return ceiling.level == "DRAM"; });
  REQUIRE(judge(region, only).verdict == Verdict::memory);
  REQUIRE(noted(judge(region, only), "which is HBM here."));
  REQUIRE(!noted(judge(region, test::two_cores()), "HBM"));
  // A declaration is of one memory, too, and not of each.
  Region declared = region;
  declared.work.bytes.erase("DRAM");
  declared.work.declared_bytes = test::counted(24 * n, Source::declared);
  REQUIRE(noted(judge(declared, machine), "The declared bytes"));
  REQUIRE(judge(declared, machine).levels.count("HBM") == 0);
  // Hardware counts each kind apart: what it did not count is not zero.
  for (auto* count : {&region.work.bytes["DRAM"].read, &region.work.bytes["DRAM"].write})
    (*count)->collector = "perf";
  region.work.wall_s->value = 32 * n / 20e9 / 0.8;
  REQUIRE(judge(region, machine).verdict_detail == "HBM not counted");
  region.work.declared_bytes = test::counted(24 * n, Source::declared);
  REQUIRE(judge(region, machine).verdict_detail == "HBM not counted");
  region.work.bytes["HBM"] = region.work.bytes["DRAM"];
  REQUIRE(judge(region, machine).levels.at("HBM").bandwidth_bytes_per_s == Approx(60e9));
  REQUIRE(judge(region, machine).levels.at("DRAM").bandwidth_bytes_per_s == Approx(30e9));
}

TEST_CASE("what stands apart is no roof, however high it is") {
  const Region region = test::triad(1e8, 32e8 / 20e9 / 0.8);
  Machine machine = test::two_cores();
  const Roofline before = judge(region, machine);
  ComputeCeiling both = machine.compute.front();
  BandwidthCeiling far = machine.bandwidth.back();
  both.flop_per_s = far.interface_bytes_per_s = far.program_bytes_per_s = 1e15;
  far.pattern = "triad";
  machine.apart_compute = {both};
  machine.apart_bandwidth = {far};
  const Roofline after = judge(region, machine);
  REQUIRE(after.why == before.why);
  REQUIRE(after.fraction == before.fraction);
  REQUIRE(machine_roof(machine, Precision::f64)->peak.per_s == 40e9);
}

TEST_CASE("reads and writes that were counted together are bytes of the interface") {
  const double n = 1e8;
  Region region = test::triad(n, 32 * n / 10e9);
  const Roofline apart = judged(region);
  Traffic& dram = region.work.bytes["DRAM"];
  const double bytes = double(dram.read->value) + double(dram.write->value);
  dram = {std::nullopt, std::nullopt, test::counted(bytes, Source::measured)};
  const Roofline together = judged(region);
  REQUIRE(together.verdict == Verdict::memory);
  REQUIRE(together.levels.at("DRAM").intensity == Approx(apart.levels.at("DRAM").intensity));
  REQUIRE(std::any_of(together.notes.begin(), together.notes.end(), [](const std::string& note) {
    return note.find("counted together") != std::string::npos;
  }));
  // Of a whole socket they are no more this program's than if they came apart.
  dram.total->scope = Scope::socket;
  REQUIRE(judged(region).verdict_detail.find("whole socket") != std::string::npos);
  // Where both directions are known, the sum alone says nothing new.
  dram = {test::counted(1000), test::counted(0), test::counted(bytes)};
  REQUIRE(judged(region).levels.at("DRAM").intensity == Approx(2 * n / 1000));
}

TEST_CASE("a cache that was not counted could only add to the memory side") {
  const double n = 1e8;
  const auto memory = [&](double share) {
    Region region = test::triad(n, 32 * n / 20e9 / share);
    region.work.bytes.erase("L2");
    return judged(region);
  };
  REQUIRE(memory(0.5).verdict == Verdict::memory);
  REQUIRE(memory(0.5).notes.size() == 1);
  REQUIRE(memory(0.2).verdict == Verdict::undetermined);  // not latency: L2 could explain it
  REQUIRE(memory(0.2).verdict_detail == "L2 not counted");
  const auto compute = [&](double share) {
    Region region = RegionMaker().wall(1).flop(share * 20e9).in_l1();
    region.work.bytes.erase("L2");
    return judged(region);
  };
  REQUIRE(compute(0.81).verdict == Verdict::compute);
  REQUIRE(compute(0.79).verdict == Verdict::undetermined);
}

TEST_CASE("a machine without main memory ceilings can't say compute") {
  Machine lacking = test::two_cores();
  std::erase_if(lacking.bandwidth, [](const auto& ceiling) { return ceiling.level == "DRAM"; });
  const Roofline roofline = judge(RegionMaker().wall(1).flop(18e9).in_l1(), lacking);
  REQUIRE(roofline.verdict == Verdict::undetermined);
  REQUIRE(roofline.verdict_detail == "main memory has no ceiling");
}

TEST_CASE("a measured zero does not bound") {
  const Roofline roofline = judged(RegionMaker().wall(1).flop(18e9).in_l1());
  REQUIRE(roofline.verdict == Verdict::compute);
  REQUIRE(roofline.levels.count("DRAM") == 0);  // no intensity, not infinity
}

TEST_CASE("of interfaces that a stream loads alike the outermost is named") {
  // L3 at 22 GB/s under a DRAM of 20: the same lines cross both.
  const auto detail = [](double l3_per_s, double dram_share) {
    Machine equal = test::two_cores();
    for (BandwidthCeiling& ceiling : equal.bandwidth)
      if (ceiling.level == "L3")
        for (double* value : {&ceiling.interface_bytes_per_s, &ceiling.low, &ceiling.high})
          *value *= l3_per_s / 50e9;
    const double n = 1e8;
    test::RegionMaker maker = test::triad(n, 32 * n / 19e9);
    maker.bytes("DRAM", 24 * n * dram_share, 8 * n * dram_share);
    return judge(maker, equal).verdict_detail;
  };
  REQUIRE(detail(22e9, 1) == "DRAM");
  REQUIRE(detail(19.5e9, 1) == "DRAM");  // within 5 %
  REQUIRE(detail(18.5e9, 1) == "L3");    // beyond
  REQUIRE(detail(22e9, 0.8) == "L3");    // it holds a part: L3 binds
}

TEST_CASE("FLOPs of a process and bytes of a socket make no intensity") {
  Region region = RegionMaker().wall(1).flop(18e9).in_l1();
  region.work.bytes["DRAM"].read->scope = Scope::socket;
  region.work.bytes["DRAM"].write->scope = Scope::socket;
  REQUIRE(judged(region).verdict == Verdict::undetermined);
  REQUIRE(judged(region).verdict_detail.find("whole socket") != std::string::npos);
  region.flags.insert("owns_socket");
  REQUIRE(judged(region).verdict == Verdict::compute);
}

TEST_CASE("a class of work has its own roof") {
  // 5 GFLOP of separate scalar multiplies and adds: 7.5 GFLOP/s, not 20.
  const Roofline scalar = judged(
      RegionMaker().wall(1).flop(2.5e9, 0, Operation::add).flop(2.5e9, 0, Operation::mul).in_l1());
  REQUIRE(*scalar.roof_as_written_flop_per_s == Approx(7.5e9));
  REQUIRE(*scalar.roof_flop_per_s == Approx(40e9));
  REQUIRE(*scalar.fraction_as_written == Approx(5 / 7.5));
  // Unpaired adds: 5 GFLOP/s. 2 GFLOP paired at 7.5 and 2 GFLOP alone at 5.
  const Roofline adds = judged(
      RegionMaker().wall(1).flop(3e9, 0, Operation::add).flop(1e9, 0, Operation::mul).in_l1());
  REQUIRE(*adds.roof_as_written_flop_per_s == Approx(4e9 / (2 / 7.5 + 2 / 5.0)));
  // The divider works beside the pipes: the larger of the two groups counts.
  const Roofline divide = judged(
      RegionMaker().wall(1).flop(0.45e9, 0, Operation::div).flop(1e9, 0, Operation::fma).in_l1());
  REQUIRE(divide.verdict == Verdict::compute);
  REQUIRE(divide.verdict_detail == "divide");
  REQUIRE(*divide.fraction_as_written == Approx(0.9));
  // Division and square root share the divider.
  const Roofline both = judged(
      RegionMaker().wall(1).flop(0.2e9, 0, Operation::div).flop(0.2e9, 0, Operation::sqrt).in_l1());
  REQUIRE(*both.fraction_as_written == Approx(0.4 + 0.5));
  REQUIRE(both.verdict_detail == "square root");
}

TEST_CASE("mixed precisions share the pipes and are not summed into one point") {
  const Roofline roofline = judged(RegionMaker()
                                       .wall(1)
                                       .flop(16e9, 256, Operation::fma, Precision::f32)
                                       .flop(8e9, 256, Operation::fma, Precision::f64)
                                       .in_l1());
  REQUIRE(roofline.precision == "f32");
  REQUIRE(*roofline.achieved_flop_per_s == Approx(16e9));  // not 24
  REQUIRE(*roofline.fraction_as_written == Approx(16 / 40.0 + 8 / 20.0));
  REQUIRE(*roofline.fraction == Approx(16 / 80.0 + 8 / 40.0));
  REQUIRE(*roofline.roof_as_written_flop_per_s ==
          Approx(*roofline.achieved_flop_per_s / *roofline.fraction_as_written));
  REQUIRE(roofline.notes.size() == 1);
  REQUIRE(roofline.notes[0].find("f64") != std::string::npos);
  // Peaks differ: the same FLOPs in f64 alone need twice the time.
  const Roofline doubles = judged(RegionMaker().wall(1).flop(16e9).in_l1());
  REQUIRE(*doubles.fraction_as_written == Approx(0.8));
  REQUIRE(doubles.notes.empty());
}

TEST_CASE("the as-written roof is withheld where it is not known") {
  Region region = RegionMaker().wall(1).flop(18e9).in_l1();
  REQUIRE(judged(region).roof_as_written_flop_per_s);
  REQUIRE(judged(region).side_as_written == Side::compute);

  Region without_mix = region;
  without_mix.work.mix.clear();
  Region part_of_mix = region;
  part_of_mix.work.mix[0].flop = 17e9;
  Region other_isa = region;
  other_isa.flags.insert("isa_differs");
  for (const Region& withheld : {without_mix, part_of_mix, other_isa}) {
    const Roofline roofline = judged(withheld);
    REQUIRE(!roofline.roof_as_written_flop_per_s);
    REQUIRE(!roofline.fraction_as_written);
    REQUIRE(roofline.side_as_written == Side::unknown);
    REQUIRE(roofline.notes.size() == 1);
    REQUIRE(*roofline.fraction == Approx(0.45));
  }
  part_of_mix.work.mix[0].flop = 17.9e9;
  REQUIRE(judged(part_of_mix).roof_as_written_flop_per_s);
}

TEST_CASE("a region that was hardly looked at ran on as many cores as its work needs") {
  const double n = 1e8;
  // 1.3 of what one core moves: a second one took part.
  const double one_core_s = judged(test::triad(n, 1)).explained_s->value;
  const auto team = [&](double share, Source source) {
    Region region = test::triad(n, one_core_s / share);
    region.threads = 1;
    region.cores_used = Measure{1, source, 1, 2};
    return region;
  };
  const Roofline beyond = judged(team(1.3, Source::estimated));
  CHECK(beyond.verdict != Verdict::above_roof);
  CHECK(*beyond.fraction_as_written < 1.1);
  CHECK_FALSE(beyond.notes.empty());
  // What one core can do says nothing of a second.
  CHECK(*judged(team(0.9, Source::estimated)).fraction_as_written == Approx(0.9));
  // What was seen is not doubted: above the roof is then worth saying.
  CHECK(judged(team(1.3, Source::measured)).verdict == Verdict::above_roof);
}

TEST_CASE("what a scattering ceiling was seen to reach is not above it") {
  const double n = 1e8;
  // One core's triad: 20 GB/s, but windows of it were as fast as 40.
  Machine scattering = test::two_cores();
  for (BandwidthCeiling& one : scattering.bandwidth)
    if (one.level == "DRAM") one.high = 2 * one.interface_bytes_per_s;
  const auto at = [&](double rate) { return judge(test::triad(n, 32 * n / rate), scattering); };
  const Roofline within = at(30e9);
  CHECK(within.verdict == Verdict::memory);
  CHECK(*within.fraction_as_written == Approx(1.5));
  CHECK(within.why.find("it was up to 40 GB/s when it was measured") != std::string::npos);
  const Roofline above = at(45e9);
  CHECK(above.verdict == Verdict::above_roof);
  CHECK(above.why.find("scatters") == std::string::npos);
  CHECK(at(19e9).why.find("scatters") == std::string::npos);
}

TEST_CASE("a fraction above the roof is never clipped") {
  const double n = 1e8;
  const Roofline above = judged(test::triad(n, 32 * n / 20e9 / 1.3));
  REQUIRE(*above.fraction_as_written == Approx(1.3));
  REQUIRE(above.verdict == Verdict::above_roof);
  REQUIRE(above.verdict_detail == "DRAM");
  REQUIRE(above.why.find("modelled bytes") != std::string::npos);
  const Roofline within = judged(test::triad(n, 32 * n / 20e9 / 1.09));
  REQUIRE(within.verdict == Verdict::memory);
  REQUIRE(*within.fraction_as_written == Approx(1.09));
  const Roofline just_above = judged(test::triad(n, 32 * n / 20e9 / 1.11));
  REQUIRE(just_above.verdict == Verdict::above_roof);
  // A range of the count widens what is believed.
  Region uncertain = test::triad(n, 32 * n / 20e9 / 1.3);
  for (auto& [level, traffic] : uncertain.work.bytes) {
    traffic.read->low = traffic.read->value / 2;
    traffic.read->high = traffic.read->value * 3 / 2;
  }
  REQUIRE(judged(uncertain).verdict == Verdict::memory);
}

TEST_CASE("cores: a roof is built from those that the threads used") {
  const double n = 1e8;
  const Roofline one = judged(test::triad(n, 32 * n / 20e9));
  REQUIRE(*one.fraction_as_written == Approx(1));
  REQUIRE(*one.fraction == Approx(20 / 30.0));
  const Roofline two = judged(test::triad(n, 32 * n / 30e9).threads(2, 2));
  REQUIRE(*two.fraction_as_written == Approx(1));
  REQUIRE(*two.fraction == Approx(1));
  // Without samples: thread time over wall time.
  Region guessed = test::triad(n, 32 * n / 25e9);
  guessed.threads = 2;
  guessed.work.thread_s = Measure{1.5 * guessed.work.wall_s->value, Source::measured, {}, {}};
  REQUIRE(*judged(guessed).fraction_as_written == Approx(1));
}

}  // namespace
}  // namespace roofmark
