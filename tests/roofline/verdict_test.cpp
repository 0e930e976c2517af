// Each verdict on both sides of its threshold (data/verdicts.json).
#include <cmath>
#include <roofmark/roofline.hpp>

#include "catch.hpp"
#include "test_machine.hpp"

namespace roofmark {
namespace {

using test::RegionMaker;

Roofline judged_alone(const Region& region) {
  static const Machine machine = test::two_cores();
  const Roofline roofline = judge(region, machine);
  REQUIRE(!roofline.why.empty());
  REQUIRE(roofline.why.back() == '.');
  REQUIRE(roofline.why.find("  ") == std::string::npos);
  return roofline;
}
Verdict verdict(const Region& region) {
  return judged_alone(region).verdict;
}

TEST_CASE("latency: less than 0.4 of the time explained even without overlap") {
  // 0.3 s of FMA and 0.11 or 0.09 s of L1 loads in one second.
  const auto region = [](double l1_s) {
    return RegionMaker().wall(1).flop(0.3 * 20e9).in_l1(l1_s * 80e9);
  };
  REQUIRE(verdict(region(0.11)) == Verdict::compute);
  REQUIRE(verdict(region(0.09)) == Verdict::latency);
}

TEST_CASE("communication: MPI calls take 0.4 of the time, and more than ceilings explain") {
  // 0.35 s of FMA in one second.
  const auto region = [](double mpi_s) {
    Region made = RegionMaker().wall(1).flop(0.35 * 20e9).in_l1(0.1 * 80e9);
    made.mpi_s = Measure{mpi_s, Source::measured, {}, {}};
    return made;
  };
  REQUIRE(verdict(region(0.39)) == Verdict::compute);
  REQUIRE(verdict(region(0.41)) == Verdict::communication);
  const Roofline made = judged_alone(region(0.5));
  REQUIRE(*made.fraction_without_waiting == Approx(*made.fraction / 0.5));
  REQUIRE(made.verdict_detail.empty());
  REQUIRE(made.advice.size() == 1);

  Region waiting = region(0.5);
  waiting.mpi_ranks = RankSpread{4, 0.1, 0.6, 0.5, 0.7, 3, 0, false};
  REQUIRE(judged_alone(waiting).verdict_detail == "for rank 3");
  REQUIRE(judged_alone(waiting).why.find("waits for rank 3") != std::string::npos);
  waiting.mpi_ranks->min_s = 0.3;
  REQUIRE(judged_alone(waiting).verdict_detail.empty());

  Region call = RegionMaker({"MPI_Barrier"}).wall(1).flop(0);
  call.mpi_s = Measure{1, Source::measured, {}, {}};
  REQUIRE(verdict(call) == Verdict::communication);
  REQUIRE_FALSE(judged_alone(call).fraction_without_waiting);
}

TEST_CASE("the share of MPI calls is of the mean rank's time that they are a part of") {
  // Any rank was there for 2 s, the mean one for 1 s: half of that in MPI calls.
  Region region = RegionMaker().wall(2).flop(0.7 * 20e9).in_l1(0.1 * 80e9);
  region.ranks = RankSpread{2, 0.9, 1, 1, 1.1, 0, 1, false};
  region.mpi_s = Measure{0.5, Source::measured, {}, {}};
  REQUIRE(verdict(region) == Verdict::communication);
  REQUIRE(judged_alone(region).why.find("500 ms of a mean rank's 1 s (50 %)") != std::string::npos);
  REQUIRE(*judged_alone(region).fraction_without_waiting ==
          Approx(*judged_alone(region).fraction / 0.5));
  // What was MPI alone leaves no time in which work could have been done, by rounding neither.
  region.mpi_s->value = std::nextafter(1.0, 0.0);
  REQUIRE_FALSE(judged_alone(region).fraction_without_waiting);
}

TEST_CASE("sleep outside MPI calls is left out of the time that works") {
  Region region = RegionMaker().wall(1).flop(0.5 * 20e9).in_l1(0.1 * 80e9);
  REQUIRE_FALSE(judged_alone(region).fraction_without_waiting);
  region.off_cpu_s = Measure{0.2, Source::estimated, 0.1, 0.3};
  REQUIRE(*judged_alone(region).fraction_without_waiting ==
          Approx(*judged_alone(region).fraction / 0.8));
}

TEST_CASE("balanced: compute and memory time within the uncertainty of each other") {
  const double n = 1e8;
  const double memory_s = 32 * n / 20e9;
  const auto region = [&](double compute_share) {
    RegionMaker maker = test::triad(n, memory_s / 0.9);
    return maker.flop(compute_share * memory_s * 20e9 - 2 * n);
  };
  REQUIRE(judged_alone(region(0.97)).verdict == Verdict::balanced);
  REQUIRE(judged_alone(region(0.97)).side_as_written == Side::balanced);
  REQUIRE(judged_alone(region(1.03)).verdict == Verdict::balanced);
  REQUIRE(judged_alone(region(0.90)).verdict == Verdict::memory);
  REQUIRE(judged_alone(region(0.90)).side_as_written == Side::memory);
  REQUIRE(judged_alone(region(1.10)).verdict == Verdict::compute);
  REQUIRE(judged_alone(region(1.10)).side_as_written == Side::compute);
}

TEST_CASE("side is against the machine's ridge, side_as_written against the region's") {
  // Scalar work on one core: its own ridge is far left of the machine's.
  const double n = 1e8;
  RegionMaker maker({"scalar"});
  maker.wall(1)
      .flop(6.75e9, 0, Operation::fma)
      .flop(0)
      .bytes("L1", 8 * n, 8 * n, Source::counted)
      .bytes("L2", 8 * n, 8 * n)
      .bytes("L3", 8 * n, 8 * n)
      .bytes("DRAM", 60 * n, 20 * n);
  const Roofline roofline = judged_alone(maker);
  REQUIRE(roofline.side_as_written == Side::compute);
  REQUIRE(roofline.side == Side::memory);
  REQUIRE(roofline.verdict == Verdict::compute);
}

TEST_CASE("at_roof: the topmost peak reached, not that of one core") {
  REQUIRE(judged_alone(RegionMaker().wall(1).threads(2, 2).flop(0.91 * 40e9).in_l1()).verdict ==
          Verdict::at_roof);
  REQUIRE(judged_alone(RegionMaker().wall(1).threads(2, 2).flop(0.89 * 40e9).in_l1()).verdict ==
          Verdict::compute);
  REQUIRE(judged_alone(RegionMaker().wall(1).flop(0.99 * 20e9).in_l1()).verdict ==
          Verdict::compute);
  // Memory at its roof stays memory: fewer bytes are always a step.
  const double n = 1e8;
  REQUIRE(verdict(test::triad(n, 32 * n / 30e9).threads(2, 2)) == Verdict::memory);
}

TEST_CASE("imbalanced: what even shares would give") {
  const auto region = [](double imbalance, double flop_per_s) {
    Region made = RegionMaker().wall(1).threads(2, 1.6).flop(flop_per_s).in_l1();
    made.imbalance = imbalance;
    return made;
  };
  REQUIRE(verdict(region(1.26, 25e9)) == Verdict::imbalanced);
  REQUIRE(verdict(region(1.24, 25e9)) == Verdict::compute);
  // At the machine's roof balance gives nothing.
  REQUIRE(verdict(region(1.26, 0.85 * 40e9)) != Verdict::imbalanced);
}

TEST_CASE("serial: several threads, one at work") {
  REQUIRE(verdict(RegionMaker().wall(1).threads(2, 1.2).flop(12e9).in_l1()) == Verdict::serial);
  REQUIRE(verdict(RegionMaker().wall(1).threads(2, 1.3).flop(12e9).in_l1()) == Verdict::compute);
  // One thread is not serial: that it could be more is a step of the ladder.
  REQUIRE(verdict(RegionMaker().wall(1).threads(1, 1).flop(12e9).in_l1()) == Verdict::compute);
  // Where the machine's memory is busy the idle cores give nothing.
  const double n = 1e8;
  REQUIRE(verdict(test::triad(n, 32 * n / 25e9).threads(2, 1.2)) == Verdict::above_roof);
  REQUIRE(verdict(test::triad(n, 32 * n / 24.5e9 * 1.0).threads(2, 1.26)) == Verdict::memory);
}

TEST_CASE("no_flop: judged by bytes per second") {
  const double n = 1e8;
  RegionMaker maker({"memcpy"});
  maker.wall(24 * n / 18e9 / 0.5)
      .flop(0)
      .bytes("L1", 8 * n, 8 * n, Source::counted)
      .bytes("L2", 16 * n, 8 * n)
      .bytes("L3", 16 * n, 8 * n)
      .bytes("DRAM", 16 * n, 8 * n);
  const Roofline roofline = judged_alone(maker);
  REQUIRE(roofline.verdict == Verdict::no_flop);
  REQUIRE(roofline.verdict_detail == "DRAM");
  REQUIRE(*roofline.fraction_as_written == Approx(0.5));
  REQUIRE(roofline.levels.at("DRAM").achieved_bytes_per_s == Approx(9e9));
  REQUIRE(roofline.precision.empty());
  REQUIRE(verdict(maker.flop(1e9)) == Verdict::memory);
}

TEST_CASE("no_flop without the bytes of main memory has no fraction") {
  const Roofline roofline =
      judged_alone(RegionMaker().wall(1).flop(0).bytes("L1", 1e9, 0, Source::counted));
  REQUIRE(roofline.verdict == Verdict::no_flop);
  REQUIRE(roofline.verdict_detail == "DRAM not counted");
  REQUIRE(!roofline.fraction);
}

TEST_CASE("a pointer walk without FLOPs is latency, integer work is not") {
  // 10^7 lines from DRAM one by one in a second; 3 or 200 instructions a step at 2.5 GHz.
  const auto walk = [](double instructions) {
    return RegionMaker({"walk"})
        .wall(1)
        .flop(0)
        .bytes("L1", 8e7, 0, Source::counted)
        .bytes("L2", 64e7, 0)
        .bytes("L3", 64e7, 0)
        .bytes("DRAM", 64e7, 0)
        .operations("instructions", instructions);
  };
  REQUIRE(judged_alone(walk(3e7)).verdict == Verdict::latency);
  REQUIRE(judged_alone(walk(3e7)).verdict_detail == "stalled");
  REQUIRE(judged_alone(walk(0.29 * 2.5e9)).verdict == Verdict::latency);
  REQUIRE(judged_alone(walk(0.31 * 2.5e9)).verdict == Verdict::no_flop);
  // Half of its time it had no core: twice as many instructions in each cycle that it had.
  Region half = walk(0.16 * 2.5e9);
  half.cores_used = Measure{0.5, Source::measured, {}, {}};
  REQUIRE(judged_alone(half).verdict == Verdict::no_flop);
}

TEST_CASE("above the roof is what no end of its time's interval allows") {
  // 2 s of FMA on one core in a time that few samples told: their interval reaches further up.
  const auto region = [](double high_s) {
    Region made = RegionMaker().wall(1).flop(2 * 20e9).in_l1(0.1 * 80e9);
    made.work.wall_s = Measure{1, Source::estimated, 0.3, high_s};
    return made;
  };
  REQUIRE(verdict(region(1.7)) == Verdict::above_roof);
  REQUIRE(verdict(region(2.5)) != Verdict::above_roof);
}

TEST_CASE("a region that waits is not computing") {
  REQUIRE(judged_alone(RegionMaker().wall(1).threads(1, 0.4).flop(1e9).in_l1()).verdict_detail ==
          "not running");
  REQUIRE(
      judged_alone(RegionMaker().wall(1).threads(1, 0.6).flop(1e9).in_l1()).verdict_detail.empty());
  REQUIRE(verdict(RegionMaker().wall(1).threads(1, 0.4).flop(9e9).in_l1()) == Verdict::compute);
}

TEST_CASE("too_small: the markers took too much of the raw time") {
  RegionMaker maker;
  maker.wall(1).flop(18e9).in_l1();
  maker.edit().marker_s = 0.26;
  REQUIRE(verdict(maker) == Verdict::too_small);
  maker.edit().marker_s = 0.24;
  REQUIRE(verdict(maker) == Verdict::compute);
  REQUIRE(verdict(maker.flag("too_small")) == Verdict::too_small);
}

TEST_CASE("a region that the markers took whole is too small and not at infinite speed") {
  RegionMaker maker;
  maker.wall(0).flop(18e9).in_l1();
  REQUIRE(verdict(maker) == Verdict::undetermined);
  maker.edit().marker_s = 1e-6;
  const Roofline roofline = judged_alone(maker);
  REQUIRE(roofline.verdict == Verdict::too_small);
  REQUIRE(!roofline.achieved_flop_per_s);
}

TEST_CASE("a precision without a ceiling is undetermined") {
  const Roofline roofline =
      judged_alone(RegionMaker().wall(1).flop(1e9, 256, Operation::fma, Precision::bf16).in_l1());
  REQUIRE(roofline.verdict == Verdict::undetermined);
  REQUIRE(roofline.verdict_detail == "no ceiling for bf16");
  REQUIRE(roofline.side == Side::unknown);
}

TEST_CASE("where no machine was measured that is the reason, whatever a region did") {
  const Machine none;
  const auto reason = [&](const Region& region) { return judge(region, none).verdict_detail; };
  const Region counted = RegionMaker().wall(1).flop(1e9).in_l1(1e9);
  Region stream = RegionMaker().wall(1).flop(0).in_l1(1e9);
  Region declared = RegionMaker().wall(1);
  declared.work.declared_flop = test::counted(1e9, Source::declared);
  for (const Region& region : {counted, stream, declared}) {
    CHECK(reason(region) == "no machine was measured");
    CHECK(judge(region, none).why.find("o machine was measured") != std::string::npos);
    for (const std::string& note : judge(region, none).notes)
      CHECK(note.find("no ceiling") == std::string::npos);
  }
  // The recording knows why.
  Profile profile;
  profile.notes = {"No roof: it was recorded with --no-machine, which uses no ceilings."};
  profile.regions = {counted, stream, declared};
  judge(profile);
  for (const Region& region : profile.regions)
    CHECK(region.rooflines[0].verdict_detail == "no machine was measured: --no-machine");
}

TEST_CASE("a machine whose L3 holds everything is bound by its L3") {
  const double n = 1e8;
  RegionMaker maker = test::triad(n, 32 * n / 50e9 / 0.95);
  maker.bytes("DRAM", 1e6, 1e5);
  const Roofline roofline = judged_alone(maker);
  REQUIRE(roofline.verdict == Verdict::memory);
  REQUIRE(roofline.verdict_detail == "L3");
  REQUIRE(*roofline.fraction_as_written == Approx(0.95));
}

TEST_CASE("the first things an expert tries") {
  // BLAS dgemm: near compute; with the DRAM count withheld not compute.
  RegionMaker blas({"dgemm"});
  blas.wall(1)
      .flop(0.85 * 20e9)
      .bytes("L1", 20e9, 1e9, Source::counted)
      .bytes("L2", 4e9, 1e8)
      .bytes("L3", 1e9, 1e8)
      .bytes("DRAM", 3e8, 1e8);
  REQUIRE(judged_alone(blas).verdict == Verdict::compute);
  REQUIRE(judged_alone(blas).verdict_detail == "f64 avx2 fma");
  Region withheld = blas;
  withheld.work.bytes.erase("DRAM");
  REQUIRE(verdict(withheld) == Verdict::undetermined);
  // Scalar dgemm: explained as scalar, and the ladder leads up to the next ceilings.
  const Roofline scalar = judged_alone(RegionMaker({"dgemm"})
                                           .wall(1)
                                           .flop(2.6e9, 0, Operation::add)
                                           .flop(2.6e9, 0, Operation::mul)
                                           .in_l1(1e10, 1e9)
                                           .operations("loads", 1.25e9)
                                           .operations("stores", 1.25e8));
  REQUIRE(scalar.verdict == Verdict::compute);
  REQUIRE(scalar.verdict_detail == "f64 scalar muladd");
  // The ceilings of the one core that it used and of the machine are told apart.
  REQUIRE(scalar.why.find("100 % of the work is scalar: scalar code reaches at most 7.5 GFLOP/s of "
                          "the 20 GFLOP/s peak (f64 avx2 fma) on 1 core, 40 GFLOP/s on all 2 "
                          "cores") != std::string::npos);
  REQUIRE(scalar.ladder.size() == 3);
  REQUIRE(scalar.ladder[0].name == "reach the roof as written");
  REQUIRE(scalar.ladder[0].gain == Approx(7.5 / 5.2));
  REQUIRE(scalar.ladder[1].name == "vectorise");
  REQUIRE(scalar.ladder[1].gain == Approx(20 / 5.2));
  REQUIRE(scalar.ladder[2].name == "use all cores");
  REQUIRE(scalar.ladder[2].gain == Approx(40 / 5.2));
  REQUIRE(!scalar.advice.empty());
}

TEST_CASE("what scalar code reaches is the region's rate and not that of its slowest unit") {
  // Eight adds and multiplies for each division, n times: the divider takes n / 0.5e9 and is what
  // binds, so that nine operations are done in that time.
  const double n = 1e8;
  const Roofline divides = judged_alone(RegionMaker({"gradient"})
                                            .wall(0.25)
                                            .flop(4 * n, 0, Operation::add)
                                            .flop(4 * n, 0, Operation::mul)
                                            .flop(n, 0, Operation::div)
                                            .in_l1());
  REQUIRE(divides.verdict_detail == "divide");
  REQUIRE(*divides.roof_as_written_flop_per_s == Approx(9 * 0.5e9));
  INFO(divides.why);
  REQUIRE(divides.why.find("scalar code reaches at most 4.5 GFLOP/s of the 20 GFLOP/s peak (f64 "
                           "avx2 fma) on 1 core, 40 GFLOP/s on all 2 cores") != std::string::npos);
  // The division's own rate stands where its own work does.
  REQUIRE(divides.why.find("Divide work (100 MFLOP against 500 MFLOP/s on 1 core)") == 0);
  // Of two precisions the point is of one, but the time is of both, and so is the work in it.
  const Roofline mixed = judged_alone(RegionMaker({"mixed"})
                                          .wall(1)
                                          .flop(3e9, 0, Operation::add)
                                          .flop(1e9, 0, Operation::add, Precision::f32)
                                          .in_l1());
  INFO(mixed.why);
  REQUIRE(*mixed.roof_as_written_flop_per_s == Approx(3e9 / 0.8));
  REQUIRE(mixed.why.find("scalar code reaches at most 5 GFLOP/s of the 22.9 GFLOP/s peak (of its "
                         "precisions) on 1 core, 45.7 GFLOP/s on all 2 cores") !=
          std::string::npos);
}

TEST_CASE("where the kind of its memory was seen, a region is held against that kind") {
  Profile profile;
  profile.machine = test::two_cores();
  test::add_memory_kind(profile.machine, "HBM", 2);
  const double n = 1e8;
  profile.regions = {test::triad(n, 32 * n / 20e9 / 0.8)};  // 80 % of one core's DRAM
  const auto fraction = [&](const char* kind) {
    profile.program.memory_kind = kind;
    judge(profile);
    return profile.regions[0].rooflines[0].fraction_as_written.value();
  };
  REQUIRE(fraction("DRAM") == Approx(0.8));
  REQUIRE(profile.regions[0].rooflines[0].notes.back().find("lay in DRAM") != std::string::npos);
  REQUIRE(fraction("HBM") < 0.8);
  REQUIRE(fraction("HBM") == fraction(""));  // not seen: the fastest
  REQUIRE(fraction("CXL") == fraction(""));  // no ceiling of it
}

TEST_CASE("a kind that hardware did not count leaves no doubt where the memory was of another") {
  Profile profile;
  profile.machine = test::two_cores();
  test::add_memory_kind(profile.machine, "HBM", 2);
  const double n = 1e8;
  Region counted = test::triad(n, 32 * n / 20e9 / 0.8);
  for (auto* count : {&counted.work.bytes["DRAM"].read, &counted.work.bytes["DRAM"].write})
    (*count)->collector = "perf";
  profile.regions = {counted};
  const auto judged = [&](const char* kind) {
    profile.program.memory_kind = kind;
    judge(profile);
    return profile.regions[0].rooflines[0];
  };
  const Roofline seen = judged("DRAM");
  REQUIRE(seen.verdict == Verdict::memory);
  REQUIRE(seen.verdict_detail == "DRAM");
  REQUIRE(*seen.fraction_as_written == Approx(0.8));
  REQUIRE(std::count(seen.notes.begin(), seen.notes.end(),
                     "HBM was not counted: the program's memory lay in DRAM.") == 1);
  // Its own kind not counted, not seen, or without a ceiling: what is missing could bind.
  for (const char* kind : {"HBM", "", "CXL"})
    REQUIRE(judged(kind).verdict_detail == "HBM not counted");
  // Counted in part: there was some traffic, and how much is not known.
  profile.regions[0].work.bytes["HBM"].read = test::counted(n);
  REQUIRE(judged("DRAM").verdict_detail == "HBM writes not counted");
}

TEST_CASE("remote memory is advised on where it was seen and has a ceiling, and nowhere else") {
  Profile profile;
  profile.machine = test::two_cores();
  const double n = 1e8;
  profile.regions = {test::triad(n, 32 * n / 20e9 / 0.8)};
  const auto advised = [&] {
    judge(profile);
    REQUIRE(profile.regions[0].rooflines[0].verdict == Verdict::memory);
    for (const Advice& advice : profile.regions[0].rooflines[0].advice)
      if (advice.text.find("NUMA nodes") != std::string::npos) return advice.text;
    return std::string();
  };
  profile.program.remote_memory_share = 0.7;
  REQUIRE(advised().empty());  // no ceiling of remote memory
  BandwidthCeiling far;
  far.level = "DRAM";
  far.pattern = "read";
  far.placement = "remote";
  far.interface_bytes_per_s = far.program_bytes_per_s = 9e9;
  profile.machine.apart_bandwidth = {far};
  const std::string text = advised();
  REQUIRE(text.find("70 %") == 0);
  REQUIRE(text.find(" 9 GB/s") != std::string::npos);
  REQUIRE(text.find(" 16 GB/s") != std::string::npos);
  // Set beside the same kind on the core's own node, however fast another kind is.
  const Machine of_one_kind = profile.machine;
  test::add_memory_kind(profile.machine, "HBM", 2);
  profile.program.memory_kind = "DRAM";
  REQUIRE(advised() == text);
  std::erase_if(profile.machine.bandwidth, [](const auto& one) { return one.level == "DRAM"; });
  profile.program.memory_kind = "HBM";
  REQUIRE(advised().empty());  // nothing to set it beside
  profile.machine = of_one_kind;
  profile.program.memory_kind.clear();
  profile.program.remote_memory_share = 0.05;
  REQUIRE(advised().empty());
  profile.program.remote_memory_share.reset();
  REQUIRE(advised().empty());
}

TEST_CASE("a stream in small pages is held against small pages, and told what large ones give") {
  Machine machine = test::two_cores();
  test::add_small_pages(machine, 0.5);
  // One core streams 16 GB/s in large pages: this region has 95 % of what small ones give.
  Profile profile;
  profile.machine = machine;
  profile.regions = {RegionMaker({"stream"})
                         .wall(1)
                         .flop(1e8, 0, Operation::add)
                         .bytes("L1", 8e9, 0, Source::counted)
                         .bytes("L2", 7.6e9, 0)
                         .bytes("L3", 7.6e9, 0)
                         .bytes("DRAM", 7.6e9, 0)};
  const auto judged_with = [&](std::optional<double> share) {
    profile.program.large_page_share = share;
    judge(profile);
    return profile.regions[0].rooflines[0];
  };
  const Roofline small = judged_with(0);
  REQUIRE(small.verdict == Verdict::memory);
  REQUIRE(*small.fraction_as_written == Approx(0.95));
  REQUIRE(small.ladder.size() >= 1);
  const auto named = [](const Roofline& roofline, const char* part) {
    for (const Rung& rung : roofline.ladder)
      if (rung.name == part) return rung.gain;
    return 0.0;
  };
  REQUIRE(named(small, "use large pages") == Approx(16 / 7.6));
  const auto advises = [](const Roofline& roofline) {
    for (const Advice& advice : roofline.advice)
      if (advice.text.find("MADV_HUGEPAGE") != std::string::npos) return true;
    return false;
  };
  REQUIRE(advises(small));
  // In large pages, or where nobody saw which, it is half of the roof.
  for (const auto share : {std::optional(1.0), std::optional<double>()}) {
    const Roofline large = judged_with(share);
    REQUIRE(*large.fraction_as_written == Approx(0.475));
    REQUIRE(named(large, "use large pages") == 0);
    REQUIRE(!advises(large));
  }
}

TEST_CASE("a step of the ladder ends at the next ceiling") {
  // Scalar FMA under a memory roof 1.25 times higher: vectorising gains 1.25 and not 2.
  const double flop = 9e9;
  const double dram_s = flop / 10e9 / 1.25;
  RegionMaker maker({"capped"});
  maker.wall(flop / 10e9)
      .flop(flop, 0, Operation::fma)
      .bytes("L1", 1e9, 1e8, Source::counted)
      .bytes("L2", 1e9, 1e8)
      .bytes("L3", 1e9, 1e8)
      .bytes("DRAM", 0.75 * dram_s * 20e9, 0.25 * dram_s * 20e9);
  const Roofline roofline = judged_alone(maker);
  REQUIRE(roofline.ladder.size() == 3);
  REQUIRE(roofline.ladder[0].name == "vectorise");
  REQUIRE(roofline.ladder[0].gain == Approx(1.25));
  REQUIRE(roofline.ladder[1].name == "use all cores");
  REQUIRE(roofline.ladder[1].gain == Approx(1.25 * 1.5));
  REQUIRE(roofline.ladder[2].name == "move fewer bytes through DRAM");
  for (const Advice& advice : roofline.advice)
    if (advice.text.find("scalar") != std::string::npos) REQUIRE(*advice.gain == Approx(1.25));
}

}  // namespace
}  // namespace roofmark
