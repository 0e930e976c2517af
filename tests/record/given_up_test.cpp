// A counted run that gets nowhere is given up, and the timed run stands.
#include <analysis/record/counted_pass.hpp>
#include <analysis/record/record.hpp>
#include <collectors/emulated/plan.hpp>
#include <iostream>

#include "catch.hpp"
#include "support.hpp"

using namespace roofmark;
using roofmark::test::TemporaryDirectory;

TEST_CASE("patience is many times what was expected, waits included, and never short") {
  CHECK(patience_s({1, 2}, 0.5) == Approx(least_patience_s));
  CHECK(patience_s({10, 40}, 20) == Approx(patience_factor * 60));
  // A program that slept for an hour may sleep for an hour.
  CHECK(patience_s(estimate_counted_pass(0.01, 1, false), 3600) > 3600);
}

TEST_CASE("a run without steps is stuck when the patience is over, and not before") {
  Progress progress(100);
  CHECK_FALSE(progress.due(24.9));
  REQUIRE(progress.due(25));
  CHECK_FALSE(progress.is_stuck(25, 0));
  CHECK_FALSE(progress.due(49));
  CHECK(progress.due(50));
  CHECK_FALSE(progress.is_stuck(99.9, 0));
  CHECK(progress.is_stuck(100, 0));
  CHECK(progress.without_progress_s() == Approx(100));
}

TEST_CASE("a run that steps on is never stuck, and its last step begins the wait anew") {
  Progress progress(100);
  std::uint64_t steps = 0;
  double elapsed_s = 0;
  for (; elapsed_s < 10000; elapsed_s += 25) REQUIRE_FALSE(progress.is_stuck(elapsed_s, ++steps));
  const double last_s = elapsed_s - 25;
  CHECK_FALSE(progress.is_stuck(last_s + 99, steps));
  CHECK(progress.is_stuck(last_s + 100, steps));
}

TEST_CASE("a counted run that waits or spins for what only the timed run met is given up") {
  const TemporaryDirectory base;
  RecordOptions options;
  options.install = InstallPaths::beside(ROOFMARK_COMMAND);
  if (emulated::unavailable({options.install.libexec, options.install.lib})) {
    std::cerr << "skipped: the emulator was not built\n";
    return;
  }
  // Each ends at once when it runs first, and never where it finds what its first run left.
  for (const char* wait : {"exec sleep 1000", "while :; do :; done"}) {
    const std::string mark = base.path() / "mark";
    options.command = {"sh", "-c", "test -e \"$0\" && " + std::string(wait) + "; : > \"$0\"", mark};
    options.patience_s = 2;
    std::vector<std::string> told;
    options.tell = [&](const std::string& line) { told.push_back(line); };
    const Recording recording = record(options);
    std::filesystem::remove(mark);

    CHECK(recording.end.exit_code == 0);
    REQUIRE(recording.profile.regions.size() == 1);
    CHECK(recording.profile.regions.front().work.wall_s);
    REQUIRE(recording.profile.passes.size() == 2);
    CHECK(recording.profile.passes[1].note.find("given up after") != std::string::npos);
    REQUIRE_FALSE(told.empty());
    CHECK(told.back().find("given up after") != std::string::npos);
    CHECK(told.back().find("--budget SECONDS") != std::string::npos);
  }
}
