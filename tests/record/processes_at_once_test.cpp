// How many processes share a cache at a time.
#include <analysis/record/processes_at_once.hpp>

#include "catch.hpp"

using namespace roofmark;

namespace {

PlacementSample look(double time_s, const std::vector<std::pair<std::int64_t, bool>>& threads) {
  PlacementSample sample;
  sample.time_s = time_s;
  for (const auto& [pid, running] : threads) {
    PlacementSample::Thread thread;
    thread.pid = pid;
    thread.tid = static_cast<std::int64_t>(sample.threads.size());
    thread.running = running;
    sample.threads.push_back(thread);
  }
  return sample;
}

}  // namespace

TEST_CASE("processes at once are those that run, whatever their threads") {
  CHECK(processes_at_once({}, 8) == 1);
  CHECK(processes_at_once({look(1, {{1, false}})}, 8) == 1);
  CHECK(processes_at_once({look(1, {{1, true}, {1, true}, {1, true}})}, 8) == 1);
  // A parent that waits for four, on eight cores and on two.
  const PlacementSample five = look(1, {{1, false}, {2, true}, {3, true}, {4, true}, {5, true}});
  CHECK(processes_at_once({five}, 8) == 4);
  CHECK(processes_at_once({five}, 2) == 2);
  CHECK(processes_at_once({five}, 0) == 1);
}

TEST_CASE("a look weighs as much as the time that it stands for") {
  // One process for 1 s, then four for 9 s: 3.7.
  const std::vector<std::pair<std::int64_t, bool>> four = {
      {1, true}, {2, true}, {3, true}, {4, true}};
  CHECK(processes_at_once({look(1, {{1, true}}), look(10, four)}, 8) == 4);
  // The other way round: 1.3. Time in which nobody ran counts for nothing.
  CHECK(processes_at_once({look(1, four), look(10, {{1, true}}), look(100, {{1, false}})}, 8) == 1);
}
