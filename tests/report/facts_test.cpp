// What a report tells of a region beyond its row: every number with its source, or why it is
// absent.
#include "analysis/report/region_facts.hpp"

#include "catch.hpp"
#include "sample_profile.hpp"

using namespace roofmark;
using namespace roofmark::report;
using Group = Fact::Group;

namespace {

/// A triad in f64: 2 FLOPs, two loads and a store of 8 bytes an element, of which half in L2 again.
Profile triad() {
  Profile profile = sample::profile();
  Region region = profile.regions[1];
  Work work;
  work.wall_s = Measure{2, Source::measured, {}, {}};
  const double elements = 1e9;
  work.flop[Precision::f64] = sample::count(2 * elements, Source::counted);
  work.mix = {{Precision::f64, 256, Operation::fma, static_cast<std::uint64_t>(1.5 * elements)},
              {Precision::f64, 0, Operation::div, static_cast<std::uint64_t>(0.5 * elements)}};
  const auto traffic = [&](const char* level, double read, double write, Source source) {
    work.bytes[level].read = sample::count(read * elements, source);
    work.bytes[level].write = sample::count(write * elements, source);
  };
  traffic("L1", 16, 8, Source::counted);
  traffic("L2", 24, 8, Source::counted);
  traffic("L3", 12, 4, Source::modelled);
  traffic("DRAM", 12, 4, Source::modelled);
  work.operations = {{"instructions", sample::count(4 * elements, Source::counted)},
                     {"loads", sample::count(2 * elements, Source::counted)},
                     {"stores", sample::count(1 * elements, Source::counted)},
                     {"convert", sample::count(0.2 * elements, Source::counted)},
                     {"nt_store_bytes", sample::count(0, Source::counted)}};
  region.work = region.self = work;
  region.visits = 10;
  region.cores_used = Measure{1.5, Source::measured, {}, {}};
  region.imbalance = 1.25;
  region.rooflines[0].ladder = {{"vectorise", 1.5}, {"use all cores", 3}};
  region.rooflines[0].levels["DRAM"].bandwidth_bytes_per_s = 16e9;
  region.self_rooflines = region.rooflines;
  profile.regions = {region};
  return profile;
}

const Fact* find(const std::vector<Fact>& facts, Group group, const std::string& name) {
  for (const Fact& fact : facts)
    if (fact.group == group && fact.name == name) return &fact;
  return nullptr;
}

void check_known(const std::vector<Fact>& facts, Group group, const std::string& name,
                 const std::string& text, const std::string& source) {
  const Fact* fact = find(facts, group, name);
  INFO(name);
  REQUIRE(fact != nullptr);
  CHECK_FALSE(fact->absent);
  CHECK(fact->text == text);
  CHECK(fact->source == source);
}

void check_absent(const std::vector<Fact>& facts, Group group, const std::string& name,
                  const std::string& reason) {
  const Fact* fact = find(facts, group, name);
  INFO(name);
  REQUIRE(fact != nullptr);
  CHECK(fact->absent);
  CHECK(fact->text == reason);
  CHECK(fact->source.empty());
}

}  // namespace

TEST_CASE("facts: the ladder's steps with their gains, and what they rest on") {
  const Profile profile = triad();
  const auto facts = facts_of(profile, profile.regions[0], true);
  const std::string source =
      "at most, each step with those before it; ceilings measured, FLOPs counted, bytes modelled";
  check_known(facts, Group::ladder, "vectorise", "1.5x", source);
  check_known(facts, Group::ladder, "then use all cores", "3x", source);
}

TEST_CASE("facts: bytes, intensity and bandwidth of every level, and reuse between them") {
  const Profile profile = triad();
  const auto facts = facts_of(profile, profile.regions[0], true);
  // 16 GB in 2 s are 8 GB/s, half of 16 GB/s; 2 GFLOP per 16 GB.
  check_known(facts, Group::bytes, "DRAM",
              "16 GB, 0.125 FLOP/B, memory side, 8 GB/s (50 % of its ceiling)", "modelled");
  check_known(facts, Group::bytes, "reuse in L1", "0.75x", "counted");
  check_known(facts, Group::bytes, "reuse in L2", "2x", "modelled");
  check_known(facts, Group::bytes, "reuse in L3", "1x", "modelled");
  // 4 of 16 bytes are written, so that at most as many were fetched for them.
  check_known(facts, Group::bytes, "fetched for stores", "at most 25 % of the DRAM bytes",
              "estimated");
}

TEST_CASE("facts: simulated main memory is of whichever kind the machine has, and stands once") {
  Profile profile = triad();
  for (BandwidthCeiling& one : profile.machine.bandwidth)
    if (one.level == "DRAM") one.level = "HBM";
  const auto with_collector = [&](const char* collector) {
    for (Work* work : {&profile.regions[0].work, &profile.regions[0].self}) {
      Traffic& memory = work->bytes.at("DRAM");
      memory.read->collector = memory.write->collector = collector;
    }
    return facts_of(profile, profile.regions[0], true);
  };
  const auto simulated = with_collector("emulated");
  CHECK(find(simulated, Group::bytes, "DRAM") != nullptr);
  CHECK(find(simulated, Group::bytes, "HBM") == nullptr);
  // Hardware knows kinds: what it did not count of this one is absent.
  const auto counted = with_collector("perf");
  REQUIRE(find(counted, Group::bytes, "HBM") != nullptr);
  CHECK(find(counted, Group::bytes, "HBM")->absent);
}

TEST_CASE("facts: the mix of operations") {
  const Profile profile = triad();
  const auto facts = facts_of(profile, profile.regions[0], true);
  check_known(facts, Group::mix, "precision", "f64 100 %", "counted");
  check_known(facts, Group::mix, "width", "256 bits 75 %, scalar 25 %", "counted");
  check_known(facts, Group::mix, "FMA", "75 % of the FLOPs", "counted");
  check_known(facts, Group::mix, "divide and square root", "25 % of the FLOPs", "counted");
  check_known(facts, Group::mix, "conversions", "0.1 per FLOP", "counted");
  check_known(facts, Group::mix, "instructions",
              "4 G, in 100 of them 50 loads, 25 stores, 5 conversions", "counted");
}

TEST_CASE("facts: emulation counts every kind, so that one which is not there never happened") {
  Profile profile = triad();
  const auto with_collector = [&](const std::string& collector) {
    for (Work* work : {&profile.regions[0].work, &profile.regions[0].self}) {
      work->operations.erase("convert");
      work->operations.erase("nt_store_bytes");
      work->operations.at("instructions").collector = collector;
    }
    return facts_of(profile, profile.regions[0], true);
  };
  const auto emulated = with_collector("emulated");
  check_known(emulated, Group::mix, "conversions", "0 per FLOP", "counted");
  check_known(emulated, Group::bytes, "fetched for stores", "at most 25 % of the DRAM bytes",
              "estimated");
  const auto measured = with_collector("perf");
  check_absent(measured, Group::mix, "conversions", "they were not counted");
  check_absent(measured, Group::bytes, "fetched for stores",
               "stores that bypass the caches were not counted");
}

TEST_CASE("facts: threads, and what was declared against what was counted") {
  Profile profile = triad();
  profile.regions[0].self.declared_flop = sample::count(1e9, Source::declared);
  const auto facts = facts_of(profile, profile.regions[0], true);
  check_known(facts, Group::threads, "cores kept busy", "1.5", "measured");
  check_known(facts, Group::threads, "imbalance", "the longest thread took 1.25x the mean",
              "measured");
  check_known(facts, Group::declared, "declared FLOPs", "1 GFLOP; 2 GFLOP counted, 200 % of it",
              "declared");
}

TEST_CASE("facts: what is of a region and all inside it says so beside facts of itself") {
  Profile profile = triad();
  Region& region = profile.regions[0];
  region.visits = 10;
  region.visit_s = VisitTimes{0.1, 0.1, 0.1, 0, 0.1};
  region.runs_wall_s = {1, 1.1};
  region.marker_s = 0.001;
  region.clock_hz = Measure{3e9, Source::measured, {}, {}};
  const auto all = [](const std::vector<Fact>& facts) {
    std::string text;
    for (const Fact& fact : facts)
      if (fact.group == Group::time || fact.group == Group::threads)
        text += fact.name + ": " + fact.text + "\n";
    return text;
  };
  region.self = region.work;
  CHECK(all(facts_of(profile, region, true)).find("children") == std::string::npos);
  region.self.wall_s->value /= 2;
  // Its own time and the sum over its threads are of itself, the others are not.
  const auto facts = facts_of(profile, region, true);
  for (const Fact& fact : facts) {
    const bool inclusive = fact.name.starts_with("one visit") ||
                           fact.name.starts_with("in each run") || fact.name == "markers" ||
                           fact.name == "clock" || fact.name == "threads" ||
                           fact.name == "cores kept busy" || fact.name == "imbalance";
    INFO(fact.name << ": " << fact.text);
    CHECK(((fact.name + fact.text).find("with children") != std::string::npos) == inclusive);
  }
  check_known(facts, Group::time, "markers", "1 ms, with children, subtracted", "measured");
  check_known(facts, Group::threads, "imbalance",
              "the longest thread took 1.25x the mean, with children", "measured");
}

TEST_CASE("facts: a share of what was declared has the digits of what was counted") {
  Profile profile = triad();
  Region& region = profile.regions[0];
  region.self.declared_flop = sample::count(1.5e9, Source::declared);
  for (Work* work : {&region.work, &region.self}) {
    Count& flop = work->flop[Precision::f64];
    flop.low = flop.value - flop.value / 4;
    flop.high = flop.value + flop.value / 4;
  }
  // 2 of 1.5 is 133 %, off by a quarter of itself.
  check_known(facts_of(profile, region, true), Group::declared, "declared FLOPs",
              "1.5 GFLOP; ~2 GFLOP counted, ~130 % of it", "declared");
}

TEST_CASE("facts: what was not counted has its reason, never a 0") {
  Profile profile = triad();
  Region& region = profile.regions[0];
  for (Work* work : {&region.work, &region.self}) {
    work->mix.clear();
    work->operations.clear();
    work->bytes.erase("DRAM");
  }
  region.missing = {{"bytes.DRAM", "the counted pass was cut short", "--budget 600"}};
  region.rooflines[0].ladder.clear();
  region.rooflines[0].verdict = Verdict::undetermined;
  region.rooflines[0].verdict_detail = "DRAM not counted";
  region.self_rooflines = region.rooflines;
  region.cores_used.reset();
  region.imbalance.reset();
  const auto facts = facts_of(profile, region, true);
  check_absent(facts, Group::ladder, "steps", "DRAM not counted");
  check_absent(facts, Group::bytes, "DRAM", "the counted pass was cut short");
  check_absent(facts, Group::mix, "FMA",
               "its FLOPs were counted without their width and operation");
  check_absent(facts, Group::mix, "instructions", "they were not counted");
  check_absent(facts, Group::threads, "cores kept busy", "what it kept busy is not known");
  CHECK(find(facts, Group::bytes, "reuse in L3") == nullptr);
}

TEST_CASE("facts: a counted zero is told, and divides nothing") {
  Profile profile = triad();
  for (Work* work : {&profile.regions[0].work, &profile.regions[0].self}) {
    work->bytes["DRAM"].read->value = work->bytes["DRAM"].write->value = 0;
    work->flop[Precision::f64].value = 0;
    work->mix.clear();
  }
  const auto facts = facts_of(profile, profile.regions[0], true);
  check_known(facts, Group::bytes, "DRAM", "0 B", "modelled");
  check_known(facts, Group::bytes, "reuse in L3", "complete, as no byte came from further out",
              "modelled");
  check_absent(facts, Group::mix, "width", "no floating-point work");
}

TEST_CASE(
    "facts: what a sample saw none of has a bound, and is complete only far below what moved") {
  Profile profile = triad();
  const auto with = [&](std::uint64_t near, std::uint64_t bound) {
    for (Work* work : {&profile.regions[0].work, &profile.regions[0].self}) {
      *work->bytes["L3"].read = sample::count(double(near), Source::modelled);
      *work->bytes["L3"].write = sample::count(0, Source::modelled);
      for (auto* direction : {&work->bytes["DRAM"].read, &work->bytes["DRAM"].write}) {
        **direction = sample::count(0, Source::modelled);
        (*direction)->low = 0;
        (*direction)->high = bound / 2;
      }
    }
    return facts_of(profile, profile.regions[0], true);
  };
  check_known(with(10'000'000, 3072), Group::bytes, "DRAM", "0 to 3.07 kB", "modelled");
  for (const std::uint64_t near : {307'200U, 10'000'000U})
    check_known(with(near, 3072), Group::bytes, "reuse in L3",
                "complete, as no byte of the sample came from further out", "modelled");
  check_known(with(30'720, 3072), Group::bytes, "reuse in L3",
              "at least 10x, as no byte of the sample came from further out", "modelled");
  for (const std::uint64_t near : {64U, 3072U})
    check_absent(with(near, 3072), Group::bytes, "reuse in L3",
                 "of so few bytes the sample may have seen none");
  const RegionRow row = rows_of(profile, {true, "DRAM"}).front();
  CHECK_FALSE(row.intensity);
  CHECK(row.intensity.reason == "no byte of the sample crossed this interface");
}

TEST_CASE("facts: in brief a group is a sentence with its sources, and each reason stands once") {
  Profile profile = triad();
  profile.regions[0].self.mix.clear();
  const auto lines = brief(facts_of(profile, profile.regions[0], true));
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].title == "Ladder");
  CHECK(lines[0].text ==
        "vectorise 1.5x; then use all cores 3x [at most, each step with those before it; ceilings "
        "measured, FLOPs counted, bytes modelled].");
  CHECK(lines[1].text.find("[modelled]; reuse in L1 0.75x [counted]") != std::string::npos);
  CHECK(
      lines[2].text.find("; not known: width, FMA, divide and square root (its FLOPs were counted "
                         "without their width and operation).") != std::string::npos);
}

TEST_CASE("facts: of any profile each is a number with its source or a reason") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Profile profile = sample::random_profile(seed, 30);
    for (const Region& region : profile.regions)
      for (const bool self : {false, true})
        for (const Fact& fact : facts_of(profile, region, self)) {
          INFO(title_of(fact.group) << " " << fact.name << ": " << fact.text);
          REQUIRE_FALSE(fact.text.empty());
          REQUIRE(fact.absent == fact.source.empty());
          REQUIRE(fact.text.find("nan") == std::string::npos);
          REQUIRE(fact.text.find("inf") == std::string::npos);
        }
  }
}
