#include <roofmark/report.hpp>

#include "analysis/report/icicle.hpp"
#include "catch.hpp"
#include "markup_check.hpp"
#include "sample_profile.hpp"

using namespace roofmark;
using namespace roofmark::report;

namespace {

Region region(std::vector<std::string> path, double wall_s) {
  Region made;
  made.path = std::move(path);
  made.visits = 1;
  if (wall_s >= 0) made.work.wall_s = Measure{wall_s, Source::measured, {}, {}};
  return made;
}

const IcicleSlab* slab(const Icicle& icicle, std::size_t region) {
  for (const IcicleSlab& each : icicle.slabs)
    if (each.region == region) return &each;
  return nullptr;
}

}  // namespace

TEST_CASE("a slab is as wide as its time, below the region around it") {
  Profile profile;
  profile.regions = {region({}, 10), region({"a"}, 4), region({"a", "b"}, 1), region({"c"}, 5)};
  const Icicle icicle = icicle_of(profile, 0);
  REQUIRE(icicle.slabs.size() == 4);
  CHECK(icicle.depth == 3);
  CHECK(slab(icicle, 0)->to == Approx(1));
  CHECK(slab(icicle, 1)->from == Approx(0));
  CHECK(slab(icicle, 1)->to == Approx(0.4));
  CHECK(slab(icicle, 2)->to == Approx(0.1));
  CHECK(slab(icicle, 2)->depth == 2);
  CHECK(slab(icicle, 3)->from == Approx(0.4));
  CHECK(slab(icicle, 3)->to == Approx(0.9));
}

TEST_CASE("children that ran at the same time share the width of the region around them") {
  Profile profile;
  profile.regions = {region({}, 10), region({"a"}, 8), region({"b"}, 8), region({"a", "c"}, 4)};
  const Icicle icicle = icicle_of(profile, 0);
  CHECK(slab(icicle, 1)->to == Approx(0.5));
  CHECK(slab(icicle, 2)->to == Approx(1));
  CHECK(slab(icicle, 3)->to == Approx(0.25));
}

TEST_CASE("a region whose parent is not in the profile hangs below the next one around it") {
  Profile profile;
  profile.regions = {region({}, 10), region({"a", "b", "c"}, 5)};
  CHECK(slab(icicle_of(profile, 0), 1)->depth == 1);
  profile.regions.erase(profile.regions.begin());
  CHECK(slab(icicle_of(profile, 0), 0)->depth == 0);
}

TEST_CASE("what is too narrow, too deep or has no time is left out and counted") {
  Profile profile;
  profile.regions = {region({}, 10), region({"a"}, 0.001), region({"b"}, -1)};
  const Icicle narrow = icicle_of(profile, 0.001);
  CHECK(narrow.slabs.size() == 1);
  CHECK(narrow.left_out == 2);
  Profile deep;
  std::vector<std::string> path;
  for (int i = 0; i < 3000; ++i) {
    path.push_back("f");
    deep.regions.push_back(region(path, 1));
  }
  const Icicle icicle = icicle_of(deep, 0.001);
  CHECK(icicle.depth < 100);
  CHECK(icicle.left_out > 0);
  CHECK(icicle_of(Profile{}, 0).slabs.empty());
}

TEST_CASE("kernels of a GPU take none of the host's time") {
  Profile profile;
  profile.regions = {region({}, 1), region({"solve"}, 0.5), region({"solve", "k"}, 3)};
  profile.regions[2].kernel.emplace();
  const Icicle icicle = icicle_of(profile, 1e-6);
  CHECK(slab(icicle, 1)->to == Approx(0.5));
  CHECK(slab(icicle, 2) == nullptr);
}

TEST_CASE("a share of the run is the region's own, however narrow it is drawn") {
  Profile profile;
  profile.regions = {region({}, 1), region({"a"}, 1), region({"b"}, 1)};
  const std::string drawn = render_icicle(profile);
  CHECK(drawn.find("a\n1 s, 100 % of the run") != std::string::npos);
}

TEST_CASE("the drawing is well-formed whatever the names are, and empty without times") {
  CHECK(render_icicle(Profile{}).empty());
  const std::string drawn = render_icicle(sample::profile());
  CHECK(drawn.find("<svg") == 0);
  CHECK(sample::MarkupCheck(drawn, sample::xml_rules).problem() == "");
  CHECK(sample::without_nan(drawn));
}
