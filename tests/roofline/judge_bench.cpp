// What it costs to judge a region against the ceilings of a measured machine, and against a few.
#include <roofmark/roofline.hpp>

#include <cstdio>
#include <vector>

#include "../bench/timing.hpp"
#include "fixture_profiles.hpp"

using namespace roofmark;

namespace {

constexpr int regions = 500, rounds = 7;

/// As many ceilings as a real machine has: each also for threads that share a core, which are no
/// part of any roof.
Machine with_ceilings_of_all_threads(Machine machine, unsigned times) {
  const auto compute = machine.compute;
  const auto bandwidth = machine.bandwidth;
  for (unsigned i = 1; i < times; ++i) {
    for (ComputeCeiling one : compute) {
      one.threads += i * machine.topology.cores;
      machine.compute.push_back(one);
    }
    for (BandwidthCeiling one : bandwidth) {
      one.threads += i * machine.topology.cores;
      machine.bandwidth.push_back(one);
    }
  }
  return machine;
}

double judged_ns(const Machine& machine) {
  Profile profile = test::verdict_profile();
  profile.machine = machine;
  const auto some = profile.regions;
  for (int i = static_cast<int>(some.size()); i < regions; ++i) {
    profile.regions.push_back(some[static_cast<std::size_t>(i) % some.size()]);
    profile.regions.back().path = {"region " + std::to_string(i)};
  }
  return bench::each_ns(1, [&] { judge(profile); }) / regions;
}

}  // namespace

int main() {
  constexpr double most = 2.2;
  const Machine few = test::named_machine(), many = with_ceilings_of_all_threads(few, 4);
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    const double alone = judged_ns(few);
    ratios.push_back(judged_ns(many) / alone);
  }
  const double ratio = bench::median(ratios);
  std::printf("RATIO a region judged by %zu ceilings, by one judged by %zu | %.2f | <= %.1f\n",
              many.compute.size() + many.bandwidth.size(),
              few.compute.size() + few.bandwidth.size(), ratio, most);
  return ratio <= most ? 0 : 1;
}
