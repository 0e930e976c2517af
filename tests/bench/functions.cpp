// What a call costs that is redirected, against the same call between a bare pair of markers: in
// turn in one run. The function does nothing.
//   functions_bench FOLDER_OF_LIBRARIES
// Ends with 1 when the bound is missed: at most 1.3 of the pair.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <roofmark/roofmark.hpp>
#include <string>
#include <vector>

#include "timing.hpp"

extern "C" {
double ddot_(const int*, const double*, const int*, const double*, const int*);
double packs_bench_ddot(const int*, const double*, const int*, const double*, const int*);
}

namespace {

using namespace roofmark::bench;

constexpr int loops = 20000, windows = 41;

int measure() {
  const int n = 8, step = 1;
  const double a[1] = {1};
  if (!roofmark::attach()) {
    std::printf("nothing is recorded: there is nothing to compare\n");
    return 1;
  }
  std::vector<double> redirected, pair, ratios;
  for (int window = -3; window < windows; ++window) {
    const double one = each_ns(loops, [&] {
      ROOFMARK_SCOPE("pair");
      (void)packs_bench_ddot(&n, a, &step, a, &step);
    });
    const double other = each_ns(loops, [&] { (void)ddot_(&n, a, &step, a, &step); });
    if (window < 0) continue;
    pair.push_back(one);
    redirected.push_back(other);
    ratios.push_back(other / one);
  }
  const double ratio = median(ratios);
  std::printf("%.1f ns redirected, %.1f ns between two markers\n", median(redirected),
              median(pair));
  std::printf("RATIO redirected call over a marker pair | %.3f | <= 1.3\n", ratio);
  return ratio <= 1.3 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "--measure") == 0) return measure();
  if (count != 2) {
    std::fprintf(stderr, "usage: functions_bench FOLDER_OF_LIBRARIES\n");
    return 2;
  }
  const std::string libraries = std::string(words[1]) + "/libroofmark-";
  std::string folder =
      (std::filesystem::temp_directory_path() / "roofmark-functions-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 2;
  const pid_t child = fork();
  if (child == 0) {
    setenv("LD_PRELOAD", (libraries + "runtime.so:" + libraries + "functions.so").c_str(), 1);
    setenv("LD_AUDIT", (libraries + "audit.so").c_str(), 1);
    setenv("ROOFMARK_FUNCTIONS", "ddot_", 1);
    setenv("ROOFMARK_RECORDING", folder.c_str(), 1);
    execl("/proc/self/exe", "functions_bench", "--measure", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::filesystem::remove_all(folder);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
