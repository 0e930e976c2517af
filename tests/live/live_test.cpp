// What `roofmark top` finds, computes and shows, without a terminal and without a process.
#include <sstream>

#include "../roofline/test_machine.hpp"
#include "../support/hostile_names.hpp"
#include "analysis/live/screen.hpp"
#include "analysis/text/plain_text.hpp"
#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::live;

namespace {

Region region(std::vector<std::string> path, double self_s, std::uint64_t visits) {
  Region it = test::RegionMaker(std::move(path)).wall(self_s);
  it.visits = visits;
  it.work.thread_s = Measure{self_s, Source::measured, {}, {}};
  it.self.thread_s = it.work.thread_s;
  return it;
}

Snapshot at(double raw_s, std::vector<Region> regions) {
  Snapshot snapshot;
  snapshot.raw_s = raw_s;
  snapshot.profile.regions = std::move(regions);
  return snapshot;
}

}  // namespace

TEST_CASE("a variable of an environment is found whole or not at all") {
  constexpr char bytes[] = "A=1\0ROOFMARK_RECORDING=/dev/shm/x y\0XROOFMARK_RECORDING=no\0";
  const std::string environment(bytes, sizeof bytes - 1);
  CHECK(variable_in(environment, "ROOFMARK_RECORDING") == "/dev/shm/x y");
  CHECK(variable_in(environment, "A") == "1");
  CHECK_FALSE(variable_in(environment, "ROOFMARK"));
  CHECK_FALSE(variable_in("", "A"));
  CHECK(variable_in(std::string("A=", 2), "A") == "");
}

TEST_CASE("times of proc(5), whatever the process is called") {
  const std::string fields = " S 1 2 3 4 5 6 7 8 9 10 1400 150 16 17 18 19 20 21 2200 23";
  for (const std::string name : {"name", "a) R 1 2 (b", "with blanks", ""}) {
    const auto times = parse_stat_times("77 (" + name + ")" + fields);
    REQUIRE(times);
    CHECK(times->user == 1400);
    CHECK(times->system == 150);
    CHECK(times->start == 2200);
  }
  CHECK_FALSE(parse_stat_times(""));
  CHECK_FALSE(parse_stat_times("77 (x"));
  CHECK_FALSE(parse_stat_times("77 (x)"));
  CHECK_FALSE(parse_stat_times("77 (x) S 1 2"));
}

TEST_CASE("rates are what happened between two looks") {
  const Snapshot before = at(100, {region({"a"}, 1, 10), region({"b"}, 4, 4)});
  const Snapshot now = at(102, {region({"a"}, 4, 30), region({"b"}, 4, 4), region({"c"}, 1, 2)});
  const auto rows = rows_of(before, now);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].region == 0);
  CHECK(rows[0].busy_threads == Approx(1.5));
  CHECK(rows[0].visits_per_s == Approx(10));
  CHECK(rows[1].region == 2);
  CHECK(rows[1].busy_threads == Approx(0.5));
  CHECK(rows[2].busy_threads == 0);
  CHECK_FALSE(rows[0].flop_per_s);
}

TEST_CASE("a region that is smaller than before, as after exec, has no negative rate") {
  const auto rows = rows_of(at(1, {region({"a"}, 5, 50)}), at(2, {region({"a"}, 1, 3)}));
  CHECK(rows[0].busy_threads == 0);
  CHECK(rows[0].visits_per_s == 0);
}

TEST_CASE("work of the interval gives its rate") {
  Region was = region({"k"}, 1, 1), is = region({"k"}, 2, 2);
  was.work.flop[Precision::f64] = test::counted(1e9);
  is.work.flop[Precision::f64] = test::counted(3e9);
  const auto rows = rows_of(at(1, {was}), at(2, {is}));
  CHECK(*rows[0].flop_per_s == Approx(2e9));
}

TEST_CASE("bytes are those of the outermost level that is counted, as far as they are") {
  Region was = region({"k"}, 1, 1), is = region({"k"}, 2, 2);
  was.work.bytes["L2"] = is.work.bytes["L2"] = {test::counted(9e9), test::counted(9e9)};
  was.work.bytes["DRAM"].read = test::counted(1e9);
  is.work.bytes["DRAM"].read = test::counted(2.5e9);
  Snapshot before = at(1, {was}), now = at(2, {is, region({"other"}, 1, 1)});
  find_level(now);
  CHECK(now.level == "DRAM");
  CHECK(now.directions == "read");
  const auto rows = rows_of(before, now);
  CHECK(*rows[0].bytes_per_s == Approx(1.5e9));
  CHECK_FALSE(rows[1].bytes_per_s);
  std::string text = screen(now, rows, "app 7", {});
  CHECK(text.find("GB/s") != std::string::npos);
  CHECK(text.find("DRAM, read alone is") != std::string::npos);
  now.profile.regions[0].work.bytes["DRAM"].write = test::counted(0);
  find_level(now);
  CHECK(now.directions == "both");
  Snapshot none = at(1, {region({"k"}, 1, 1)});
  find_level(none);
  CHECK(none.level.empty());
  text = screen(none, rows_of({}, none), "app 7", {});
  CHECK(text.find("GB/s") == std::string::npos);
}

TEST_CASE("a screen fits into its terminal, whatever the names") {
  std::vector<Region> regions;
  for (const std::string& name : roofmark::sample::hostile_names()) {
    Region it = region({name}, 1, 1000000);
    it.work.flop[Precision::f64] = test::counted(1e9);
    it.work.bytes["L1"] = {test::counted(1e9), test::counted(1e9)};
    it.self = it.work;
    regions.push_back(it);
  }
  Snapshot now = at(3, regions);
  now.profile.machine = test::two_cores();
  roofmark::judge(now.profile);
  for (const unsigned width : {60U, 80U, 200U})
    for (const unsigned height : {10U, 24U, 60U})
      for (const bool utf8 : {true, false}) {
        const std::string text =
            screen(now, rows_of({}, now), "x\x1b[31m 1", {width, height, utf8, false, true});
        std::istringstream lines(text);
        unsigned count = 0;
        for (std::string line; std::getline(lines, line); ++count) {
          INFO(line);
          CHECK(text::columns(line) <= width);
          CHECK(line.find('\x1b') == std::string::npos);
        }
        INFO(width << " x " << height);
        CHECK(count <= height);
      }
}

TEST_CASE("nothing entered so far is said") {
  const std::string text = screen(at(1, {}), {}, "app 7", {});
  CHECK(text.find("app 7") == 0);
  CHECK(text.find("No region was entered so far") != std::string::npos);
}
