// A counted run that gets nowhere is given up, and the timed run stands.
#include <analysis/record/counted_pass.hpp>
#include <analysis/record/record.hpp>
#include <collectors/emulated/plan.hpp>
#include <iostream>

#include "catch.hpp"
#include "support.hpp"

using namespace roofmark;
using roofmark::test::TemporaryDirectory;

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
