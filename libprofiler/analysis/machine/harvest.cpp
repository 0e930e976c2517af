#include "harvest.hpp"

#include <algorithm>
#include <map>

#include "statistics.hpp"

namespace roofmark {
namespace {

void note_spread(std::vector<std::string>& flags, const Spread& spread) {
  if (spread.noisy) flags.emplace_back("noisy");
}

ComputeCeiling compute_ceiling(const PlannedCeiling& planned, const Task& task,
                               const Spread& spread) {
  ComputeCeiling ceiling;
  ceiling.precision = planned.precision;
  ceiling.isa = planned.isa;
  ceiling.width_bits = width_bits(*task.kernel);
  ceiling.operation = planned.operation;
  ceiling.flop_per_s = spread.value;
  ceiling.low = spread.low;
  ceiling.high = spread.high;
  ceiling.flags = planned.flags;
  note_spread(ceiling.flags, spread);
  return ceiling;
}

BandwidthCeiling bandwidth_ceiling(const PlannedCeiling& planned, const Task& task,
                                   const Spread& spread) {
  const double factor = interface_factor(planned.level, planned.pattern);
  BandwidthCeiling ceiling;
  ceiling.level = planned.level;
  ceiling.pattern = planned.pattern;
  ceiling.isa = planned.isa.empty() ? isa_name(*task.kernel) : planned.isa;
  ceiling.program_bytes_per_s = spread.value;
  ceiling.interface_bytes_per_s = factor * spread.value;
  ceiling.low = factor * spread.low;
  ceiling.high = factor * spread.high;
  ceiling.flags = planned.flags;
  note_spread(ceiling.flags, spread);
  return ceiling;
}

}  // namespace

Harvest harvest_stage(const Plan& plan, const std::string& scope, unsigned threads,
                      double page_bytes) {
  Harvest harvest;
  std::map<std::string, double> clock_hz;
  for (std::size_t i = 0; i < plan.ceilings.size(); ++i) {
    const PlannedCeiling& planned = plan.ceilings[i];
    const Task* task = best_task(plan.tasks, i);
    if (task == nullptr) continue;
    const Spread spread = spread_of(task->rates);
    harvest.best_kernels.insert(task->kernel);
    if (planned.kind == PlannedCeiling::Kind::clock) {
      clock_hz[planned.isa] = spread.value / threads;
      harvest.clock_hz = std::max(harvest.clock_hz, clock_hz[planned.isa]);
    } else if (planned.kind == PlannedCeiling::Kind::compute) {
      harvest.compute.push_back(compute_ceiling(planned, *task, spread));
      harvest.compute.back().scope = scope;
      harvest.compute.back().threads = threads;
    } else {
      harvest.bandwidth.push_back(bandwidth_ceiling(planned, *task, spread));
      harvest.bandwidth.back().scope = scope;
      harvest.bandwidth.back().threads = threads;
      harvest.bandwidth.back().page_bytes = page_bytes;
    }
  }
  for (ComputeCeiling& ceiling : harvest.compute)
    if (const double hz = clock_hz[ceiling.isa]; hz > 0)
      ceiling.flop_per_cycle = ceiling.flop_per_s / hz;
  return harvest;
}

}  // namespace roofmark
