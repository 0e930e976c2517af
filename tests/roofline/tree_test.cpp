// Parents: explained time is the self time's plus that of serial children.
#include <roofmark/roofline.hpp>

#include "analysis/profile/profile_json.hpp"
#include "catch.hpp"
#include "fixture_profiles.hpp"

namespace roofmark {
namespace {

using test::RegionMaker;

/// `solve` with a memory-bound and a compute-bound child and a little work of its own.
Profile family() {
  Profile profile;
  profile.machine = test::two_cores();
  Region memory = test::triad(1e8, 32e8 / 20e9 / 0.8);  // explained 0.16 of 0.2 s
  memory.path = {"solve", "stream"};
  Region compute = RegionMaker({"solve", "gemm"}).wall(0.5).flop(0.9 * 10e9).in_l1();
  Region parent = RegionMaker({"solve"});
  parent.self = Region(RegionMaker().wall(0.1).flop(0.05 * 20e9).in_l1()).work;
  for (const Work* part : {&parent.self, &memory.work, &compute.work})
    test::include(parent.work, *part);
  profile.regions = {parent, memory, compute};
  return profile;
}

TEST_CASE("a parent's explained time is its self time's plus its serial children's") {
  Profile profile = family();
  judge(profile);
  const Roofline& whole = *inclusive_roofline(profile.regions[0]);
  const double written = 0.05 + 0.16 + 0.45;
  REQUIRE(whole.explained_s->value == Approx(written));
  REQUIRE(*whole.fraction_as_written == Approx(written / 0.8));
  REQUIRE(*whole.achieved_flop_per_s ==
          Approx(*whole.fraction_as_written * *whole.roof_as_written_flop_per_s));
  // As one kernel with perfect overlap it would look less bound than it is.
  const Roofline as_one = judge(profile.regions[0], profile.machine);
  REQUIRE(*as_one.fraction_as_written < *whole.fraction_as_written);
  // Compute binds for 0.50 s, memory for 0.16 s.
  REQUIRE(whole.verdict == Verdict::compute);

  const Roofline& self = *self_roofline(profile.regions[0]);
  REQUIRE(*self.fraction_as_written == Approx(0.5));
  REQUIRE(self.explained_s->value == Approx(0.05));
  REQUIRE(self_roofline(profile.regions[1])->verdict == Verdict::memory);
  REQUIRE(inclusive_roofline(profile.regions[1])->verdict == Verdict::memory);
}

TEST_CASE("children that run at the same time are not added up") {
  Profile profile = family();
  // The children's times are those of two threads: together longer than the parent.
  profile.regions[0].work.wall_s->value = 0.55;
  profile.regions[0].threads = 2;
  profile.regions[0].cores_used = Measure{1.5, Source::measured, {}, {}};
  judge(profile);
  const Roofline alone = judge(profile.regions[0], profile.machine);
  REQUIRE(*inclusive_roofline(profile.regions[0])->fraction_as_written ==
          Approx(*alone.fraction_as_written));
}

TEST_CASE("a parent whose child was not counted is undetermined") {
  Profile profile = family();
  profile.regions[0].work.bytes.erase("DRAM");
  profile.regions[1].work.bytes.erase("DRAM");
  judge(profile);
  REQUIRE(inclusive_roofline(profile.regions[0])->verdict == Verdict::undetermined);
  REQUIRE(self_roofline(profile.regions[0])->verdict == Verdict::compute);
  REQUIRE(inclusive_roofline(profile.regions[1])->verdict == Verdict::undetermined);
  REQUIRE(inclusive_roofline(profile.regions[2])->verdict == Verdict::compute);
}

TEST_CASE("a child without an as-written roof withholds its parent's") {
  Profile profile = family();
  profile.regions[1].flags.insert("isa_differs");
  judge(profile);
  const Roofline& whole = *inclusive_roofline(profile.regions[0]);
  REQUIRE(!whole.roof_as_written_flop_per_s);
  REQUIRE(whole.fraction);
}

TEST_CASE("judging sets and clears the flag above_roof") {
  Profile profile = family();
  profile.regions[1].work.wall_s->value /= 2;
  judge(profile);
  REQUIRE(profile.regions[1].flags.count("above_roof") == 1);
  REQUIRE(profile.regions[2].flags.count("above_roof") == 0);
  profile.regions[1].work.wall_s->value *= 2;
  judge(profile);
  REQUIRE(profile.regions[1].flags.count("above_roof") == 0);
}

TEST_CASE("self judgements come back from the file") {
  Profile profile = family();
  judge(profile);
  const auto back = profile_from_json(to_json(profile), "family");
  REQUIRE(back);
  REQUIRE(to_json(*back) == to_json(profile));
  REQUIRE(*back->regions[0].self_rooflines[0].fraction_as_written == Approx(0.5));
  REQUIRE(back->regions[1].self_rooflines[0].why == profile.regions[1].rooflines[0].why);
}

TEST_CASE("paths that repeat, lack a parent or are empty are judged all the same") {
  Profile profile;
  profile.machine = test::two_cores();
  for (const auto& path : std::vector<std::vector<std::string>>{
           {}, {"a", "b"}, {"a", "b"}, {"a", "b", "c"}, {}, {"d"}})
    profile.regions.push_back(RegionMaker(path).wall(1).flop(18e9).in_l1());
  judge(profile);
  for (const Region& region : profile.regions) REQUIRE(region.rooflines.size() == 1);
}

}  // namespace
}  // namespace roofmark
