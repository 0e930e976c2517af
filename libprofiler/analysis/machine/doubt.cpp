#include "doubt.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace roofmark {
namespace {

/// Of the scopes all cores come last, so that they are what a busy machine leaves no time for.
bool lacks_all_cores(const Machine& machine) {
  const auto found = machine.topology.scope_cores.find("machine");
  const unsigned cores = found != machine.topology.scope_cores.end() ? found->second : 1;
  return cores > 1 && std::none_of(machine.compute.begin(), machine.compute.end(),
                                   [&](const ComputeCeiling& one) {
                                     return one.threads >= cores && !one.sustained;
                                   });
}

}  // namespace

NoisyCeilings noisy_ceilings(const Machine& machine) {
  NoisyCeilings made;
  const auto count = [&](const auto& ceilings) {
    for (const auto& one : ceilings)
      made.noisy += std::count(one.flags.begin(), one.flags.end(), "noisy") > 0 ? 1 : 0;
    made.all += ceilings.size();
  };
  count(machine.compute);
  count(machine.bandwidth);
  count(machine.apart_compute);
  count(machine.apart_bandwidth);
  return made;
}

std::optional<std::string> doubt(const Machine& machine) {
  if (machine.compute.empty()) return std::nullopt;  // no kernels for it: no better is to be had
  if (lacks_all_cores(machine)) return "The machine was too busy to measure all its cores together";
  const NoisyCeilings noisy = noisy_ceilings(machine);
  if (noisy.share() < doubtful_share) return std::nullopt;
  return fmt::format("The machine was busy when it was measured: {} of {} ceilings are noisy",
                     noisy.noisy, noisy.all);
}

bool is_to_be_measured_again(const Machine& machine, unsigned measurements) {
  return measurements < most_measurements && doubt(machine).has_value();
}

std::optional<std::string> note_of_doubt(const Machine& machine, unsigned measurements) {
  const auto wrong = doubt(machine);
  if (!wrong) return std::nullopt;
  if (measurements < most_measurements)
    return *wrong + ". The next run measures it again; `roofmark machine --refresh` does so now.";
  return fmt::format(
      "{}, {} times in a row. `roofmark machine --refresh` measures it again when it is quiet.",
      *wrong, measurements);
}

bool is_better(const Machine& machine, const Machine& than) {
  if (lacks_all_cores(machine) != lacks_all_cores(than)) return lacks_all_cores(than);
  return noisy_ceilings(machine).share() <= noisy_ceilings(than).share();
}

}  // namespace roofmark
