// What counting costs, against Valgrind's own tools on the same programs, all interleaved in one
// run.
#include <cstdio>
#include <filesystem>
#include <map>

#include "tests/emulated/counted_run.hpp"
#include "timing.hpp"

namespace {

using counted::program;
using roofmark::bench::median;
using Command = std::vector<std::string>;

constexpr int rounds = 3;

std::string valgrind() {
  for (const char* path : {"/usr/bin/valgrind", "/usr/local/bin/valgrind"})
    if (std::filesystem::exists(path)) return path;
  return "";
}

struct Costs {
  double none, cachegrind, flop, full;  // CPU seconds
};

Costs costs_of(const Command& target) {
  const counted::Environment environment{{"OPENBLAS_NUM_THREADS", "1"}};
  const auto under = [&](Command tool) {
    tool.insert(tool.begin(), {valgrind(), "-q"});
    tool.insert(tool.end(), target.begin(), target.end());
    return counted::run_native(tool, environment).cpu_s;
  };
  std::map<std::string, std::vector<double>> times;
  for (int round = 0; round < rounds; ++round) {
    times["none"].push_back(under({"--tool=none"}));
    times["cachegrind"].push_back(
        under({"--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null"}));
    times["flop"].push_back(counted::run(target, counted::flop_only(), environment).cpu_s);
    times["full"].push_back(
        counted::run(target, counted::full(32 << 10, 512 << 10, 8 << 20), environment).cpu_s);
  }
  return {median(times["none"]), median(times["cachegrind"]), median(times["flop"]),
          median(times["full"])};
}

bool within(const std::string& name, double ratio, double bound) {
  std::printf("RATIO emulated: %s | %.2f | <= %.2f\n", name.c_str(), ratio, bound);
  std::fflush(stdout);
  return ratio <= bound;
}

}  // namespace

int main() {
  if (valgrind().empty()) {
    std::printf("SKIPPED emulated: all | the valgrind command is not installed\n");
    return 0;
  }
  struct Case {
    const char* name;
    Command target;
    double flop_bound, full_bound;
  };
  const std::vector<Case> cases = {
      {"BLAS dgemm (FMA)", {program("blas"), "600"}, 0.5, 0.8},
      {"triad (FMA)", {program("kernels_fma"), "triad", "2000000", "100"}, 0.5, 0.8},
      {"triad (scalar)", {program("kernels_scalar"), "triad", "2000000", "30"}, 1.10, 1.3},
      {"naive dgemm (scalar)", {program("kernels_scalar"), "dgemm", "400"}, 1.10, 1.3},
      {"copy by one instruction", {program("strings"), "8192", "100000", "alone"}, 0.5, 0.5},
  };
  bool kept = true;
  for (const Case& c : cases) {
    const Costs s = costs_of(c.target);
    kept = within(std::string("FLOPs / valgrind --tool=none, ") + c.name, s.flop / s.none,
                  c.flop_bound) &&
           kept;
    kept = within(std::string("full caches / cachegrind, ") + c.name, s.full / s.cachegrind,
                  c.full_bound) &&
           kept;
  }
  return kept ? 0 : 1;
}
