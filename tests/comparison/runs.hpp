// Runs of a program with a few regions, as a recording would hold them.
#pragma once

#include <cmath>
#include <random>
#include <roofmark/roofline.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "../roofline/test_machine.hpp"
#include "analysis/comparison/comparison.hpp"

namespace roofmark::test {

struct Kernel {
  std::vector<std::string> path;
  double time_s = 1;
  double flop = 1e9;
  double dram_bytes = 8e9;  ///< read; L1 has as many
};

inline Region region_of(const Kernel& kernel, double time_s) {
  return RegionMaker(kernel.path)
      .wall(time_s)
      .threads(1, 1)
      .flop(kernel.flop)
      .bytes("L1", kernel.dram_bytes, 0, Source::counted)
      .bytes("L2", kernel.dram_bytes, 0)
      .bytes("L3", kernel.dram_bytes, 0)
      .bytes("DRAM", kernel.dram_bytes, 0);
}

inline Profile run_of(const std::vector<Kernel>& kernels) {
  Profile run;
  run.program.command = {"./app"};
  run.machine = two_cores();
  run.machine.identity = {{"cpu_model", "model"}, {"cores_allowed", "0-1"}};
  for (const Kernel& kernel : kernels) run.regions.push_back(region_of(kernel, kernel.time_s));
  roofmark::judge(run);
  return run;
}

/// Runs whose times scatter by a factor of 2 % and each tenth of which is disturbed by some more,
/// as on a shared machine. `shift` multiplies the time of the first kernel.
inline std::vector<Profile> noisy_runs(std::vector<Kernel> kernels, std::size_t count, double shift,
                                       std::mt19937& random) {
  std::normal_distribution<double> noise(0, 0.02);
  std::exponential_distribution<double> disturbance(1 / 0.02);
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<Profile> runs;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Kernel> now = kernels;
    for (std::size_t k = 0; k < now.size(); ++k)
      now[k].time_s *= (k == 0 ? shift : 1) *
                       std::exp(noise(random) + (chance(random) < 0.1 ? disturbance(random) : 0));
    runs.push_back(run_of(now));
  }
  return runs;
}

inline const comparison::RegionChange& at(const comparison::Comparison& result,
                                          const std::vector<std::string>& path) {
  for (const auto& region : result.regions)
    if (region.path == path) return region;
  throw std::out_of_range("no such region");
}

inline bool says(const comparison::RegionChange& region, const std::string& text) {
  for (const std::string& sentence : region.sentences)
    if (sentence.find(text) != std::string::npos) return true;
  return false;
}

}  // namespace roofmark::test
