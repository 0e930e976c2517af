#include <algorithm>
#include <cmath>

#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/judgement.hpp"
#include "analysis/roofline/sane.hpp"

namespace roofmark::model {
namespace {

template <class Counts>
std::optional<double> share_of_mix(const Work& work, Counts counts) {
  double all = 0;
  double some = 0;
  for (const ComputeClass& part : work.mix) {
    all += double(part.flop);
    if (counts(part)) some += double(part.flop);
  }
  if (all <= 0) return std::nullopt;
  return some / all;
}

/// How much faster the region could be before the machine's own roof stops it.
double room_below_machine_roof(const Case& it) {
  const auto reached = fraction(it, it.machine_time);
  return reached && *reached > 0 ? 1 / *reached : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<double> instructions_per_cycle(const Case& it) {
  const auto found = it.work.operations.find("instructions");
  if (found == it.work.operations.end() || !it.machine.clock_hz || !it.evaluation.wall_s)
    return std::nullopt;
  if (!is_rate(*it.machine.clock_hz)) return std::nullopt;
  const double cycles = *it.machine.clock_hz * *it.evaluation.wall_s * it.evaluation.cores;
  return double(found->second.value) / cycles;
}

double gain_of_idle_cores(const Case& it) {
  const double usable = std::min<double>(double(it.region.threads), cores_of(it.machine));
  return std::min(usable / std::max(1.0, it.evaluation.cores), room_below_machine_roof(it));
}

double gain_of_balance(const Case& it) {
  if (!it.region.imbalance || !std::isfinite(*it.region.imbalance)) return 1;
  // The longest thread takes at most all of the time of all.
  const double most = std::min(*it.region.imbalance, double(it.region.threads));
  return std::min(most, room_below_machine_roof(it));
}

std::optional<double> scalar_share(const Work& work) {
  return share_of_mix(work, [](const ComputeClass& part) { return part.width_bits == 0; });
}

std::optional<double> fused_share(const Work& work) {
  return share_of_mix(work,
                      [](const ComputeClass& part) { return part.operation == Operation::fma; });
}

}  // namespace roofmark::model
