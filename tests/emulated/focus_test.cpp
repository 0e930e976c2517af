// A pass with little time: the hottest paths are counted in full, and soon.
#include "catch.hpp"
#include "counted_run.hpp"

using namespace counted;

namespace {

constexpr std::uint64_t n = 100000;
/// Of one visit: a multiply and an add for each element, and one to the sum of all visits.
constexpr std::uint64_t visit_flop = 2 * n + 1;

roofmark::emulated::PassOptions focused_on(std::vector<std::vector<std::string>> paths) {
  auto options = full(32768, 262144, 1 << 20);
  options.hot_paths = std::move(paths);
  return options;
}

const std::vector<std::string> hot = {"solve", "h\xc3\xb6/t\n"};

}  // namespace

TEST_CASE("counting begins on the way to the first hot path, and caches are simulated there") {
  const Run r = run({program("phases"), std::to_string(n)}, focused_on({hot}));
  REQUIRE(r.wait_status == 0);
  REQUIRE(r.counts.problems.empty());
  // One visit of three came before.
  const Sum setup = sum(r, {"setup"});
  CHECK(setup.visits == 2);
  CHECK(setup.flop == 2 * visit_flop);
  CHECK(setup.has("passed_over"));
  CHECK(setup.bytes.count("DRAM") == 0);
  const Sum prepare = sum(r, {"solve", "prepare"});
  CHECK(prepare.flop == visit_flop);
  CHECK(prepare.bytes.count("DRAM") == 0);
  const Sum work = sum(r, hot);
  CHECK(work.visits == 3);
  CHECK(work.flop == 3 * visit_flop);
  CHECK(work.flags.empty());
  // An array of 800 kB stays in the cache that the first visit brings it into.
  CHECK(static_cast<double>(work.dram()) == Approx(8.0 * n).epsilon(0.02));
  CHECK(sum(r, {"solve"}).bytes.count("DRAM") == 1);
  const Sum report = sum(r, {"report"});
  CHECK(report.flop == visit_flop);
  CHECK(report.bytes.count("DRAM") == 0);
  CHECK(sum(r, {}).has("partial"));
  CHECK_FALSE(work.has("partial"));
}

TEST_CASE("what is passed over computes the same and counts nothing") {
  const Run native = run_native({program("phases"), std::to_string(n)});
  const Run r = run({program("phases"), std::to_string(n)}, focused_on({{"report"}}));
  CHECK(r.output == native.output);
  for (const auto& path :
       {std::vector<std::string>{"setup"}, {"solve"}, {"solve", "prepare"}, hot}) {
    CHECK(sum(r, path).visits == 0);
    CHECK(sum(r, path).flop == 0);
    CHECK(sum(r, path).has("passed_over"));
  }
  CHECK(sum(r, {"report"}).flop == visit_flop);
  CHECK(sum(r, {"report"}).bytes.count("DRAM") == 1);
}

TEST_CASE("a hot path that never comes leaves a pass that says so") {
  const Run r = run({program("phases"), "1000"}, focused_on({{"elsewhere"}}));
  CHECK(r.wait_status == 0);
  CHECK(sum(r, {"report"}).has("passed_over"));
  CHECK(sum(r, {"report"}).flop == 0);
}

TEST_CASE("FMA code that is passed over gives the native results") {
  const Environment one{{"OPENBLAS_NUM_THREADS", "1"}};
  const Run native = run_native({program("blas"), "127"}, one);
  const Run r = run({program("blas"), "127"}, focused_on({{"elsewhere"}}), one);
  CHECK_FALSE(native.output.empty());
  CHECK(r.output == native.output);
}
