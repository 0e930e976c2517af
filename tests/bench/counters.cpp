// What a marker costs that reads counters, against bare readings of the same group at both edges:
// medians of short windows, both in turn in one run. Events of software, which every kernel has.
//   counters_bench PATH_OF_RUNTIME
// Ends with 1 when the bound of the project is missed: <= 1.2 of the bare readings.
#include <dlfcn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <roofmark/roofmark.hpp>
#include <string>
#include <vector>

#include "collectors/perf/group.hpp"

namespace {

using namespace roofmark;

constexpr int loops = 64, rounds = 400;
constexpr double bound = 1.2;

double now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

perf::FlatPlan plan_of(unsigned events) {
  perf::FlatPlan plan;
  plan.group_count = 1;
  plan.event_count = events;
  plan.groups[0] = {-1, 0, static_cast<std::uint16_t>(events)};
  // Page faults, context switches, migrations, ...: none of them in the loop.
  const std::uint64_t numbers[] = {2, 3, 4, 5, 6, 7, 8, 2};
  for (unsigned i = 0; i < events; ++i) plan.events[i] = {1, 3, 0, numbers[i % 8], 0, 0};
  return plan;
}

/// In a process of its own: a plan is for good.
int measure(unsigned events, const char* runtime) {
  const perf::FlatPlan plan = plan_of(events);
  perf::Group group;
  if (const perf::Refusal refusal = perf::open_group(plan, 0, 0, group)) {
    std::printf("SKIPPED counting marker | perf_event_open: %s\n", std::strerror(refusal.error));
    return 0;
  }
  std::string folder = (std::filesystem::temp_directory_path() / "counters-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 2;
  std::string text(perf::most_plan_text, '\0');
  text.resize(perf::write_plan(plan, text.data(), text.size()));
  std::ofstream(folder + "/plan") << text;
  setenv("ROOFMARK_RECORDING", folder.c_str(), 1);
  setenv("ROOFMARK_COUNTERS", (folder + "/plan").c_str(), 1);
  if (dlopen(runtime, RTLD_NOW | RTLD_GLOBAL) == nullptr || !roofmark::attach()) {
    std::fprintf(stderr, "the runtime does not record\n");
    return 2;
  }
  std::vector<double> bare, marked;
  perf::Reading reading;
  for (int round = -2; round < rounds; ++round) {
    const double start = now_ns();
    for (int i = 0; i < loops; ++i) {
      perf::read_group(group, true, reading);
      __asm__ volatile("" ::: "memory");
      perf::read_group(group, true, reading);
    }
    const double middle = now_ns();
    for (int i = 0; i < loops; ++i) {
      ROOFMARK_SCOPE("one");
      __asm__ volatile("" ::: "memory");
    }
    const double end = now_ns();
    if (round < 0) continue;
    bare.push_back((middle - start) / loops);
    marked.push_back((end - middle) / loops);
  }
  perf::close_group(group);
  std::filesystem::remove_all(folder);
  const double ratio = median(marked) / median(bare);
  std::printf("%u events: %.0f ns a marker, %.0f ns two bare readings\n", events, median(marked),
              median(bare));
  std::printf("RATIO marker over bare group reads, %u event%s | %.3f | <= %.1f\n", events,
              events == 1 ? "" : "s", ratio, bound);
  return ratio <= bound ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int worst = 0;
  for (const unsigned events : {1U, 4U, 8U}) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      const int result = measure(events, argv[1]);
      std::fflush(stdout);
      _exit(result);
    }
    int status = 0;
    waitpid(child, &status, 0);
    worst = std::max(worst, WIFEXITED(status) ? WEXITSTATUS(status) : 2);
  }
  return worst;
}
