// What a call costs that a library pack makes a region of, with the work that it declares, against
// a bare pair of markers without a declaration: in turn in one run. The function behind the wrapper
// does nothing.
//   packs_bench PATH_OF_RUNTIME PATH_OF_PACK
// Ends with 1 when a bound is missed: at most 1.3 of the pair, also where nine of fifteen arguments
// are handed over on the stack a second time.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <roofmark/roofmark.hpp>
#include <string>
#include <vector>

extern "C" {
double ddot_(const int*, const double*, const int*, const double*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*, size_t, size_t);
/// The same functions, which no wrapper stands in front of.
double packs_bench_ddot(const int*, const double*, const int*, const double*, const int*);
void packs_bench_dgemm(const char*, const char*, const int*, const int*, const int*, const double*,
                       const double*, const int*, const double*, const int*, const double*, double*,
                       const int*, size_t, size_t);
}

namespace {

constexpr int loops = 20000, windows = 41;

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

template <class Call>
double window_ns(Call call) {
  const double before = now_ns();
  for (int i = 0; i < loops; ++i) call();
  return (now_ns() - before) / loops;
}

/// Medians of windows that take turns, so that a busy host is busy for all.
template <class Wrapped, class Marked>
bool compare(const char* name, double bound, Wrapped wrapped, Marked marked) {
  std::vector<double> pack, pair, ratios;
  for (int window = -3; window < windows; ++window) {
    const double one = window_ns(marked), other = window_ns(wrapped);
    if (window < 0) continue;
    pair.push_back(one);
    pack.push_back(other);
    ratios.push_back(other / one);
  }
  const double ratio = median(ratios);
  std::printf("%s: %.1f ns by the pack, %.1f ns between two markers\n", name, median(pack),
              median(pair));
  std::printf("RATIO pack wrapper over a marker pair, %s | %.3f | <= %.1f\n", name, ratio, bound);
  return ratio <= bound;
}

int measure() {
  const int n = 8, step = 1;
  const double a[1] = {1}, one = 1, zero = 0;
  double c[1] = {0};
  if (!roofmark::attach()) {
    std::printf("nothing is recorded: there is nothing to compare\n");
    return 1;
  }
  bool good = compare(
      "ddot", 1.3, [&] { (void)ddot_(&n, a, &step, a, &step); },
      [&] {
        ROOFMARK_SCOPE("pair");
        (void)packs_bench_ddot(&n, a, &step, a, &step);
      });
  good = compare(
             "dgemm", 1.3,
             [&] { dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n, 1, 1); },
             [&] {
               ROOFMARK_SCOPE("pair");
               packs_bench_dgemm("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n, 1, 1);
             }) &&
         good;
  return good ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "--measure") == 0) return measure();
  if (count != 3) {
    std::fprintf(stderr, "usage: packs_bench PATH_OF_RUNTIME PATH_OF_PACK\n");
    return 2;
  }
  std::string folder =
      (std::filesystem::temp_directory_path() / "roofmark-packs-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 2;
  const pid_t child = fork();
  if (child == 0) {
    setenv("LD_PRELOAD", (std::string(words[1]) + ":" + words[2]).c_str(), 1);
    setenv("ROOFMARK_RECORDING", folder.c_str(), 1);
    execl("/proc/self/exe", "packs_bench", "--measure", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::filesystem::remove_all(folder);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
