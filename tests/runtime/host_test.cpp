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
#include "libprofiler/analysis/arena/arena_reader.hpp"
#include "libprofiler/target/runtime/runtime_table.h"

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

/// The header declares no more than the part that it knows of: read as one who looked it up.
const roofmark_runtime_table& table() {
  static const void* volatile found = &roofmark_api_v1;
  return *static_cast<const roofmark_runtime_table*>(found);
}

struct Declared {
  double flop = 0, bytes = 0;
  std::uint64_t declarations = 0;
  bool operator==(const Declared&) const = default;
};
Declared declared(const roofmark::RawProcess& process, const std::string& name) {
  Declared sum;
  for (const auto& thread : process.threads)
    for (const auto& node : thread.nodes)
      if (node.name == name) {
        sum.flop += node.declared_flop;
        sum.bytes += node.declared_bytes;
        sum.declarations += node.declarations;
      }
  return sum;
}

/// As wrappers of libraries end their regions; the second around one that is still open.
void enter_and_leave_declared() {
  table().leave_declared(table().markers.enter_name("call", 4), 1, 2);
  const roofmark_token around = table().markers.enter_name("around", 6);
  table().markers.enter_name("left open", 9);
  table().leave_declared(around, 3, 4);
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
          enter_and_leave_declared();
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
  constexpr std::uint64_t all = std::uint64_t{rounds} * threads * loops;
  for (const char* name : {"call", "around", "left open"}) {
    CAPTURE(name);
    REQUIRE(visits(process, name) == all);
  }
  REQUIRE(declared(process, "call") == Declared{1.0 * all, 2.0 * all, all});
  REQUIRE(declared(process, "around") == Declared{3.0 * all, 4.0 * all, all});
  REQUIRE(declared(process, "left open") == Declared{});
}
