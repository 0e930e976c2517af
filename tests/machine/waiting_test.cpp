// How long a measurement waits for another one.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "analysis/machine/machine_store.hpp"
#include "analysis/machine/measure.hpp"
#include "analysis/machine/stopwatch.hpp"
#include "catch.hpp"

using namespace roofmark;

TEST_CASE("a measurement waits for another one no longer than its own budget, and is made then") {
  CalibrationLock other;
  constexpr double longest_s = 60;  // of somebody else's calibration, on a machine under test
  if (!other.acquire(longest_s)) {
    WARN("SKIPPED: other calibrations run all the time");
    return;
  }
  std::string name = (std::filesystem::temp_directory_path() / "roofmark-waiting-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  MeasureOptions options;
  options.cache_dir = name;
  options.quick = true;
  options.probe = false;
  options.budget_s = 2;
  const double begun_s = monotonic_s();
  const Result<Machine> machine = load_or_measure(options);
  const double took_s = monotonic_s() - begun_s;
  std::filesystem::remove_all(name);
  REQUIRE(machine);
  INFO(took_s << " s");
  CHECK(took_s >= options.budget_s);
  CHECK(took_s < 30);  // not the minute and a half that ranks wait for one of them
  CHECK(std::any_of(machine->notes.begin(), machine->notes.end(), [](const std::string& note) {
    return note.find("Another calibration was still running") == 0;
  }));
}
