// A planted change is found, and none is found where there is none.
#include "catch.hpp"
#include "runs.hpp"

using namespace roofmark;
using namespace roofmark::test;
using comparison::compare;

namespace {

const std::vector<Kernel> kernels{
    {{"a"}, 1.0}, {{"b"}, 0.5}, {{"c"}, 2.0}, {{"d"}, 0.1}, {{"e"}, 3.0}};

}  // namespace

TEST_CASE("5 % in ten noisy runs a side are found") {
  std::mt19937 random(20260101);
  unsigned found = 0;
  constexpr unsigned trials = 100;
  for (unsigned i = 0; i < trials; ++i) {
    const auto result =
        compare(noisy_runs(kernels, 10, 1, random), noisy_runs(kernels, 10, 1.05, random));
    const auto& time = at(result, {"a"}).changes.at("time");
    if (time.beyond_noise && time.ratio > 1) ++found;
    CHECK(time.low < 1.05);
    CHECK(time.high > 1.05);
  }
  // As the constant's comment promises, with five regions looked at together.
  CHECK(found >= trials * 3 / 4);
}

TEST_CASE("comparisons of the same with the same cry no wolf") {
  std::mt19937 random(42);
  const auto cries = [&] {
    const auto result =
        compare(noisy_runs(kernels, 10, 1, random), noisy_runs(kernels, 10, 1, random));
    for (const auto& region : result.regions)
      if (region.changes.at("time").beyond_noise) return true;
    return false;
  };
  unsigned first_twenty = 0, all = 0;
  for (unsigned i = 0; i < 200; ++i) {
    if (!cries()) continue;
    ++all;
    if (i < 20) ++first_twenty;
  }
  CHECK(first_twenty == 0);
  // One is expected; six or more come once in a thousand times.
  CHECK(all < 6);
}

TEST_CASE("one new run is held against several old ones") {
  std::mt19937 random(7);
  const auto before = noisy_runs(kernels, 10, 1, random);
  CHECK_FALSE(at(compare(before, noisy_runs(kernels, 1, 1, random)), {"a"})
                  .changes.at("time")
                  .beyond_noise);
  const auto slower = compare(before, noisy_runs(kernels, 1, 1.5, random));
  CHECK(at(slower, {"a"}).changes.at("time").beyond_noise);
  CHECK(at(slower, {"a"}).changes.at("time").evidence == comparison::Evidence::runs);
  CHECK_FALSE(at(slower, {"b"}).changes.at("time").beyond_noise);
}

TEST_CASE("one run a side: what runs differ by, and what visits scatter, is no change") {
  const auto timed = [](double time_s, std::uint64_t visits, double stddev_s) {
    Profile run = run_of({{{"a"}, time_s}});
    run.regions[0].visits = visits;
    if (visits > 1) run.regions[0].visit_s = VisitTimes{0, 0, 0, stddev_s, 0};
    return run;
  };
  const auto change = [](const Profile& a, const Profile& b) {
    return at(compare({a}, {b}), {"a"}).changes.at("time");
  };
  CHECK_FALSE(change(timed(1, 1, 0), timed(1.04, 1, 0)).beyond_noise);
  CHECK(change(timed(1, 1, 0), timed(1.06, 1, 0)).beyond_noise);
  CHECK(change(timed(1, 1, 0), timed(1.06, 1, 0)).evidence == comparison::Evidence::none);
  // 100 visits of 10 ms that scatter by 10 ms: each mean is known to 10 %.
  CHECK_FALSE(change(timed(1, 100, 0.01), timed(1.3, 100, 0.01)).beyond_noise);
  CHECK(change(timed(1, 100, 0.001), timed(1.3, 100, 0.001)).beyond_noise);
  CHECK(change(timed(1, 100, 0.001), timed(1.3, 100, 0.001)).evidence ==
        comparison::Evidence::visits);
}

TEST_CASE("a profile of several timed runs is several runs") {
  const auto repeated = [](double first_s, double last_s) {
    Profile run = run_of({{{"k"}, 0.5 * (first_s + last_s)}});
    run.regions[0].runs_wall_s = {first_s, 0.5 * (first_s + last_s), last_s};
    return run;
  };
  const auto result = compare({repeated(0.99, 1.01)}, {repeated(1.98, 2.02)});
  CHECK(result.runs_before == 3);
  const auto& changes = at(result, {"k"}).changes;
  CHECK(changes.at("time").evidence == comparison::Evidence::runs);
  CHECK(changes.at("time").beyond_noise);
  CHECK(changes.at("time").ratio == Approx(2).epsilon(0.001));
  CHECK(changes.at("flop_per_s").ratio == Approx(0.5).epsilon(0.001));
  CHECK(changes.at("roof_fraction").ratio == Approx(0.5).epsilon(0.001));
  CHECK(changes.at("flop").ratio == 1);
  CHECK_FALSE(at(compare({repeated(0.9, 1.1)}, {repeated(0.92, 1.12)}), {"k"})
                  .changes.at("time")
                  .beyond_noise);
}
