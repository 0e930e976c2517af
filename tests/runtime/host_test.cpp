// The runtime inside this process, for the sanitizers: threads that enter, leave, end, are adopted
// and close each other's scopes, while a reader looks on.
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <roofmark/roofmark.hpp>
#include <thread>

#include "catch.hpp"
#include "libprofiler/analysis/profile/arena_reader.hpp"

namespace fs = std::filesystem;

namespace {

struct Recording {
  Recording() {
    std::string name = (fs::temp_directory_path() / "roofmark-host-XXXXXX").string();
    path = mkdtemp(name.data());
    setenv("ROOFMARK_RECORDING", path.c_str(), 1);
  }
  ~Recording() { fs::remove_all(path); }
  std::string path;
};

std::uint64_t visits(const roofmark::RawProcess& process, const std::string& name) {
  std::uint64_t sum = 0;
  for (const auto& thread : process.threads)
    for (const auto& node : thread.nodes)
      if (node.name == name) sum += node.visits;
  return sum;
}

}  // namespace

TEST_CASE("threads, names and wrong exits at once; a reader at any moment") {
  const Recording recording;
  REQUIRE(roofmark::attach());
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done) {
      std::vector<roofmark::Problem> problems;
      for (const auto& process : roofmark::read_arenas(recording.path, problems))
        for (const auto& thread : process.threads)
          for (const auto& node : thread.nodes)
            if (!node.torn && node.visits > 1) REQUIRE(node.min_ticks <= node.max_ticks);
      REQUIRE(problems.empty());
    }
  });
  constexpr int rounds = 20, threads = 8, loops = 500;
  for (int round = 0; round < rounds; ++round) {
    ROOFMARK_SCOPE("round");
    std::thread team[threads];
    for (auto& member : team)
      member = std::thread([round] {
        for (int i = 0; i < loops; ++i) {
          ROOFMARK_SCOPE("work");
          roofmark::Scope named{"name " + std::to_string((round * loops + i) % 300)};
          named.declare(roofmark::Flop{1}, roofmark::Bytes{2});
        }
        auto scope = std::make_unique<roofmark::Scope>("moved");
        std::thread([&] { scope.reset(); }).join();
        ROOFMARK_SCOPE("after");
      });
    for (auto& member : team) member.join();
  }
  done = true;
  reader.join();
  std::vector<roofmark::Problem> problems;
  const auto processes = roofmark::read_arenas(recording.path, problems);
  REQUIRE(processes.size() == 1);
  const auto& process = processes.front();
  REQUIRE(process.damage.empty());
  REQUIRE(visits(process, "round") == rounds);
  REQUIRE(visits(process, "work") == rounds * threads * loops);
  REQUIRE(visits(process, "moved") == rounds * threads);
  REQUIRE(visits(process, "after") == rounds * threads);
  REQUIRE(process.stale_exits == 0);
}
