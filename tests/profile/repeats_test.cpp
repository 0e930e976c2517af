// Several timed runs in one profile.
#include "analysis/profile/repeats.hpp"

#include "analysis/profile/profile_json.hpp"
#include "catch.hpp"

using namespace roofmark;

namespace {

Region region(std::vector<std::string> path, double wall_s, std::uint64_t visits = 1) {
  Region it;
  it.path = std::move(path);
  it.visits = visits;
  it.threads = 1;
  it.work.wall_s = Measure{wall_s, Source::measured, {}, {}};
  it.self.wall_s = Measure{wall_s / 2, Source::measured, {}, {}};
  return it;
}

Profile run(std::vector<Region> regions) {
  Profile profile;
  profile.regions = std::move(regions);
  return profile;
}

}  // namespace

TEST_CASE("times of several runs are medians with their range") {
  Profile last = run({region({"k"}, 3)});
  add_repeats(last, {run({region({"k"}, 1)}), run({region({"k"}, 2)})});
  const Region& k = last.regions[0];
  CHECK(k.work.wall_s->value == 2);
  CHECK(*k.work.wall_s->low == 1);
  CHECK(*k.work.wall_s->high == 3);
  CHECK(k.self.wall_s->value == 1);
  CHECK(k.runs_wall_s == std::vector<double>{1, 2, 3});
  CHECK_FALSE(k.work.thread_s);
  REQUIRE(last.notes.size() == 1);
  CHECK(last.notes[0].find("3 runs") != std::string::npos);

  Profile even = run({region({"k"}, 4)});
  add_repeats(even, {run({region({"k"}, 2)})});
  CHECK(even.regions[0].work.wall_s->value == 3);
}

TEST_CASE("one run is one run") {
  Profile alone = run({region({"k"}, 3)});
  add_repeats(alone, {});
  CHECK(alone.notes.empty());
  CHECK(alone.regions[0].runs_wall_s.empty());
  CHECK_FALSE(alone.regions[0].work.wall_s->low);
}

TEST_CASE("a region that another run lacks, or entered otherwise, keeps its time and is flagged") {
  for (const Profile& other : {run({}), run({region({"k"}, 1, 7)})}) {
    Profile last = run({region({"k"}, 3)});
    add_repeats(last, {other});
    CHECK(last.regions[0].work.wall_s->value == 3);
    CHECK(last.regions[0].runs_wall_s.empty());
    CHECK(last.regions[0].flags.count("visits_differ") == 1);
  }
}

TEST_CASE("a profile keeps its runs in its file") {
  Profile last = run({region({"k"}, 3)});
  add_repeats(last, {run({region({"k"}, 1)})});
  const auto again = profile_from_json(to_json(last), "again");
  REQUIRE(again);
  CHECK(again->regions[0].runs_wall_s == std::vector<double>{1, 3});
  std::string text = to_json(last);
  text.replace(text.find("\"runs_wall_s\":[1"), 16, "\"runs_wall_s\":[-1");
  const auto negative = profile_from_json(text, "negative");
  REQUIRE_FALSE(negative);
  CHECK(negative.error().reason.find("negative") != std::string::npos);
}
