// Counting inside this process, for the sanitizers: threads with and without regions of their own
// come, work and go, each with its counters, while a reader looks on.
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <roofmark/roofmark.hpp>
#include <thread>

#include "catch.hpp"
#include "collectors/perf/flat_plan.hpp"
#include "collectors/perf/group.hpp"
#include "libprofiler/analysis/arena/arena_reader.hpp"

namespace fs = std::filesystem;
using namespace roofmark;

namespace {

/// Watched: each store is one event.
alignas(8) std::atomic<long> place{0};

void write_times(int times) {
  for (int i = 0; i < times; ++i) place.store(i, std::memory_order_relaxed);
}

perf::FlatPlan watch() {
  perf::FlatPlan plan;
  plan.group_count = plan.event_count = 1;
  plan.groups[0] = {-1, 0, 1};
  plan.events[0] = {PERF_TYPE_BREAKPOINT,
                    perf::exclude_kernel | perf::exclude_hypervisor,
                    HW_BREAKPOINT_W,
                    0,
                    reinterpret_cast<std::uintptr_t>(&place),
                    HW_BREAKPOINT_LEN_8};
  return plan;
}

bool counts_here(const perf::FlatPlan& plan) {
  perf::Group group;
  const perf::Refusal refusal = perf::open_group(plan, 0, 0, group);
  perf::close_group(group);
  if (refusal) WARN("not tested here: perf_event_open gives errno " << refusal.error);
  return !refusal;
}

struct Recording {
  explicit Recording(const perf::FlatPlan& plan) {
    std::string name = (fs::temp_directory_path() / "roofmark-host-XXXXXX").string();
    path = mkdtemp(name.data());
    std::string text(perf::most_plan_text, '\0');
    text.resize(perf::write_plan(plan, text.data(), text.size()));
    const std::string file = path + "/counters.plan";
    std::ofstream(file) << text;
    setenv("ROOFMARK_RECORDING", path.c_str(), 1);
    setenv("ROOFMARK_COUNTERS", file.c_str(), 1);
  }
  ~Recording() { fs::remove_all(path); }
  std::vector<RawProcess> read() const {
    std::vector<Problem> problems;
    return read_arenas(path, problems);
  }
  std::string path;
};

std::uint64_t counted(const RawProcess& process, const std::string& name) {
  std::uint64_t sum = 0;
  for (const auto& thread : process.threads)
    for (const auto& node : thread.nodes)
      if (node.name == name && node.events) sum += node.events->groups.at(0).values.at(0);
  return sum;
}

}  // namespace

TEST_CASE("threads that count, end and are read by others at once; a reader at any moment") {
  const perf::FlatPlan plan = watch();
  if (!counts_here(plan)) return;
  const Recording recording(plan);
  REQUIRE(attach());
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done)
      for (const RawProcess& process : recording.read()) static_cast<void>(process);
  });
  constexpr int rounds = 5, threads = 4, loops = 20, stores = 5;
  for (int round = 0; round < rounds; ++round) {
    ROOFMARK_SCOPE("round");
    std::thread team[2 * threads];
    for (int i = 0; i < 2 * threads; ++i)
      team[i] = std::thread([marked = i % 2 == 0] {
        for (int loop = 0; loop < loops; ++loop) {
          if (marked) {
            ROOFMARK_SCOPE("work");
            write_times(stores);
          } else {
            write_times(stores);
          }
        }
      });
    for (int i = 0; i < loops; ++i) {
      ROOFMARK_SCOPE("beside");
      write_times(1);
    }
    for (auto& member : team) member.join();
  }
  done = true;
  reader.join();
  const auto processes = recording.read();
  REQUIRE(processes.size() == 1);
  const RawProcess& process = processes.front();
  REQUIRE(process.damage.empty());
  REQUIRE(process.counting);
  REQUIRE(process.refused_threads == 0);
  REQUIRE(counted(process, "work") == std::uint64_t{rounds} * threads * loops * stores);
  REQUIRE(counted(process, "beside") >= std::uint64_t{rounds} * loops);
  REQUIRE(counted(process, "round") >= counted(process, "beside"));
}
