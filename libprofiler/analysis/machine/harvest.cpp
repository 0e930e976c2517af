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

using ClockTasks = std::map<std::string, std::vector<const Task*>>;

/// Each window is set against the clock windows of its own round and of no other, so that a change
/// of the clock during the measurement cancels. Of the clock's windows the better one counts: a
/// disturbed one would make the ratio too high; that the kernel's own window may be disturbed makes
/// it too low, hence the upper quartile.
double per_cycle(const Task& task, const std::vector<const Task*>& clocks, unsigned threads) {
  constexpr double upper_quartile = 0.75;
  std::vector<double> ratios;
  for (std::size_t round = 0; round < task.rates.size(); ++round) {
    double cycles_per_s = 0;
    for (const Task* clock : clocks)
      if (round < clock->rates.size()) cycles_per_s = std::max(cycles_per_s, clock->rates[round]);
    if (cycles_per_s > 0) ratios.push_back(task.rates[round] / (cycles_per_s / threads));
  }
  return quantile(ratios, upper_quartile);
}

ClockTasks clock_tasks(const Plan& plan) {
  ClockTasks clocks;
  for (const Task& task : plan.tasks)
    if (task.kernel->kind == Kernel::Kind::clock)
      clocks[plan.ceilings[task.ceiling].isa].push_back(&task);
  return clocks;
}

}  // namespace

Harvest harvest_stage(const Plan& plan, const std::string& scope, unsigned threads,
                      double page_bytes) {
  Harvest harvest;
  ClockTasks clocks = clock_tasks(plan);
  for (std::size_t i = 0; i < plan.ceilings.size(); ++i) {
    const PlannedCeiling& planned = plan.ceilings[i];
    const Task* task = best_task(plan.tasks, i);
    if (task == nullptr) continue;
    const Spread spread = spread_of(task->rates, task->rank);
    harvest.best_kernels.insert(task->kernel);
    if (planned.kind == PlannedCeiling::Kind::clock) {
      harvest.clock_hz = std::max(harvest.clock_hz, spread.value / threads);
    } else if (planned.kind == PlannedCeiling::Kind::compute) {
      harvest.compute.push_back(compute_ceiling(planned, *task, spread));
      harvest.compute.back().scope = scope;
      harvest.compute.back().threads = threads;
      harvest.compute.back().flop_per_cycle = per_cycle(*task, clocks[planned.isa], threads);
    } else {
      harvest.bandwidth.push_back(bandwidth_ceiling(planned, *task, spread));
      harvest.bandwidth.back().scope = scope;
      harvest.bandwidth.back().threads = threads;
      harvest.bandwidth.back().page_bytes = page_bytes;
    }
  }
  return harvest;
}

}  // namespace roofmark
