// Regions under roofs that are not their own, against closed forms.
#include "analysis/roofline/projection.hpp"

#include "catch.hpp"
#include "test_machine.hpp"

using namespace roofmark;
using namespace roofmark::test;

namespace {

/// 16 GB read from DRAM at 16 GB/s: a second; 1 GFLOP of FMA at 20 GFLOP/s: 50 ms.
Profile streaming() {
  Profile profile;
  profile.machine = two_cores();
  Region region = RegionMaker({"stream"})
                      .wall(2)
                      .threads(1, 1)
                      .flop(1e9)
                      .bytes("L1", 16e9, 0, Source::counted)
                      .bytes("L2", 16e9, 0)
                      .bytes("L3", 16e9, 0)
                      .bytes("DRAM", 16e9, 0);
  region.self = region.work;
  profile.regions.push_back(region);
  judge(profile);
  return profile;
}

Projected under(const Profile& profile, const std::vector<Scaling>& scalings) {
  const auto roof = scaled(profile.machine, scalings);
  REQUIRE(roof);
  return project(profile, {*roof}).at(0).roofs.at(0);
}

}  // namespace

TEST_CASE("a ceiling that binds moves the bound until the next one binds") {
  const Profile profile = streaming();
  CHECK(*project(profile, {{"own", profile.machine}})[0].roofs[0].at_best_s == Approx(1.0));
  const Projected twice = under(profile, {{"DRAM", 2}});
  CHECK(*twice.at_best_s == Approx(0.5));
  CHECK(twice.binding == "DRAM");
  // L3 has 50 GB/s: 0.32 s.
  const Projected many = under(profile, {{"dram", 100}});
  CHECK(*many.at_best_s == Approx(0.32));
  CHECK(many.binding == "L3");
  // All bandwidths: only the peak is left, 50 ms.
  const Projected all = under(profile, {{"bandwidth", 1000}});
  CHECK(*all.at_best_s == Approx(0.05));
  CHECK(*under(profile, {{"DRAM", 0.5}}).at_best_s == Approx(2.0));
}

TEST_CASE("a ceiling that does not bind changes nothing") {
  const Profile profile = streaming();
  CHECK(*under(profile, {{"peak", 10}}).at_best_s == Approx(1.0));
  CHECK(*under(profile, {{"L2", 10}}).at_best_s == Approx(1.0));
}

TEST_CASE("the region itself and its own machine stay as they are") {
  const Profile profile = streaming();
  const Profile before = profile;
  under(profile, {{"DRAM", 4}});
  CHECK(profile.regions[0].rooflines == before.regions[0].rooflines);
  CHECK(profile.regions[0].self == before.regions[0].self);
  CHECK(profile.machine.bandwidth.back().source == Source::measured);
  CHECK(scaled(profile.machine, {{"DRAM", 4}})->machine.bandwidth.back().source ==
        Source::theoretical);
  CHECK(scaled(profile.machine, {{"DRAM", 4}, {"peak", 1.5}})->name == "DRAM x4, peak x1.5");
}

TEST_CASE("without ceilings or counts there is no bound, and a reason") {
  Profile profile = streaming();
  const Projected nowhere = project(profile, {{"none", Machine{}}})[0].roofs[0];
  CHECK_FALSE(nowhere.at_best_s);
  CHECK_FALSE(nowhere.reason.empty());
  profile.regions[0].self.bytes.erase("DRAM");
  profile.regions[0].self.flop.clear();
  CHECK_FALSE(project(profile, {{"own", profile.machine}})[0].roofs[0].at_best_s);
}

TEST_CASE("what is no scaling gets a reason and a remedy") {
  for (const char* text : {"", "=", "DRAM", "DRAM=", "=2", "DRAM=0", "DRAM=-1", "DRAM=nan",
                           "DRAM=inf", "DRAM=2y", "DRAM=x"}) {
    INFO(text);
    const auto parsed = parse_scaling(text);
    REQUIRE_FALSE(parsed);
    CHECK_FALSE(parsed.error().remedy.empty());
  }
  CHECK(parse_scaling("DRAM=4x")->factor == 4);
  CHECK(parse_scaling("DRAM = 0.5")->factor == 0.5);
  const auto unknown = scaled(two_cores(), {{"L9", 2}});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().remedy.find("DRAM, L1, L2, L3") != std::string::npos);
  CHECK(scaled(Machine{}, {{"DRAM", 2}}).error().remedy.find("--no-machine") != std::string::npos);
}
