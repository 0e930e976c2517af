// What a marker costs that reads counters, against bare readings of the same group at both edges:
// medians of short windows, both in turn in one run. Events of software, which every kernel has.
//   counters_bench PATH_OF_RUNTIME
// Ends with 1 when the bound of the project is missed: <= 1.2 of the bare readings.
#include <dlfcn.h>
#include <sys/wait.h>
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
#include "software_events.hpp"
#include "timing.hpp"

namespace {

using namespace roofmark;
using bench::median;

constexpr int loops = 64, rounds = 400;
constexpr double bound = 1.2;

perf::FlatPlan plan_of(unsigned events) {
  // Page faults, context switches, migrations, ...: none of them in the loop.
  const std::vector<std::uint64_t> numbers = {2, 3, 4, 5, 6, 7, 8, 2};
  return bench::software_plan({numbers.begin(), numbers.begin() + events},
                              perf::exclude_kernel | perf::exclude_hypervisor);
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
  std::uint64_t words[perf::most_words_of_group];
  bool by_page = false;
  for (int round = -2; round < rounds; ++round) {
    const double of_bare = bench::each_ns(loops, [&] {
      perf::read_words(group, true, words, by_page);
      __asm__ volatile("" ::: "memory");
      perf::read_words(group, true, words, by_page);
    });
    const double of_marker = bench::each_ns(loops, [] {
      ROOFMARK_SCOPE("one");
      __asm__ volatile("" ::: "memory");
    });
    if (round < 0) continue;
    bare.push_back(of_bare);
    marked.push_back(of_marker);
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
