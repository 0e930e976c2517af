// Visits kept inside this process, for the sanitizers: threads that come and go and hand their room
// on, while a reader looks on.
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <roofmark/roofmark.hpp>
#include <thread>

#include "catch.hpp"
#include "libprofiler/analysis/arena/arena_reader.hpp"
#include "libprofiler/analysis/trace/trace.hpp"

namespace fs = std::filesystem;

namespace {

struct Recording {
  Recording() {
    std::string name = (fs::temp_directory_path() / "roofmark-trace-XXXXXX").string();
    path = mkdtemp(name.data());
    setenv("ROOFMARK_RECORDING", path.c_str(), 1);
    setenv("ROOFMARK_TRACE", "1000000", 1);
  }
  ~Recording() { fs::remove_all(path); }
  std::string path;
};

roofmark::TracedProcess traced(const Recording& recording) {
  std::vector<roofmark::Problem> problems;
  const auto processes = roofmark::read_arenas(recording.path, problems);
  REQUIRE(processes.size() == 1);
  auto trace = roofmark::read_trace(processes.front(), 1e9);
  REQUIRE(trace);
  return std::move(*trace);
}

}  // namespace

TEST_CASE("every visit of threads that come and go is kept") {
  const Recording recording;
  REQUIRE(roofmark::attach());
  { ROOFMARK_SCOPE("first"); }
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done)
      for (const auto& visit : traced(recording).visits) REQUIRE(visit.duration_s >= 0);
  });
  constexpr int rounds = 20, threads = 8, loops = 300;
  for (int round = 0; round < rounds; ++round) {
    ROOFMARK_SCOPE("round");
    std::thread team[threads];
    for (auto& member : team)
      member = std::thread([] {
        for (int i = 0; i < loops; ++i) {
          ROOFMARK_SCOPE("work");
          ROOFMARK_SCOPE("inner");
        }
      });
    for (auto& member : team) member.join();
  }
  done = true;
  reader.join();
  const auto trace = traced(recording);
  CHECK(trace.untraced == 0);
  CHECK(trace.open.empty());
  std::map<std::string, int> visits;
  for (const auto& visit : trace.visits) ++visits[trace.names.at(visit.name)];
  CHECK(visits == std::map<std::string, int>{{"first", 1},
                                             {"round", rounds},
                                             {"work", rounds * threads * loops},
                                             {"inner", rounds * threads * loops}});
  // A round holds what its threads did.
  for (const auto& visit : trace.visits)
    if (trace.names.at(visit.name) == "round") CHECK(visit.duration_s > 0);
}
