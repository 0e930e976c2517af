#include "probes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan.hpp"
#include "statistics.hpp"

namespace roofmark {
namespace {

constexpr std::size_t flushed_bytes = std::size_t{12} << 20;

/// The tasks of an ordinary plan that the three probes need.
Plan probe_plan(const MachineLayout& layout) {
  PlanInputs inputs;
  inputs.caches = cache_working_sets(layout.topology, 1);
  inputs.memory_set_bytes = flushed_bytes;
  const auto kernels = usable_kernels(all_kernels(), cpu_features());
  unsigned widest = 0;
  for (const Kernel* kernel : kernels) widest = std::max(widest, width_bits(*kernel));
  const std::string first_level = inputs.caches.empty() ? "" : inputs.caches.front().level;
  Plan plan = plan_stage(kernels, inputs);
  std::erase_if(plan.tasks, [&](const Task& task) {
    const PlannedCeiling& ceiling = plan.ceilings[task.ceiling];
    if (width_bits(*task.kernel) != widest) return true;
    if (ceiling.kind == PlannedCeiling::Kind::compute)
      return ceiling.operation != Operation::fma || ceiling.precision != Precision::f64;
    return ceiling.kind != PlannedCeiling::Kind::bandwidth || ceiling.pattern != "read" ||
           (ceiling.level != first_level && ceiling.level != inputs.memory_level);
  });
  for (Task& task : plan.tasks)
    if (task.level == inputs.memory_level) {
      // Evicting its lines takes the place of a pool larger than the caches. One window walks all
      // of it: a second one would find it in them.
      task.flushed = true;
      task.in_place = true;
      task.seldom = true;
      task.windows = 1;
    }
  return plan;
}

const char* probe_name(const Task& task) {
  if (task.level.empty()) return "fma";
  return task.flushed ? "memory.read" : "L1.read";
}

}  // namespace

Probes measure_probes(const MachineLayout& layout, const Stopwatch& watch) {
  Probes probes;
  Plan plan = probe_plan(layout);
  Result<Buffer> buffer = Buffer::reserve(flushed_bytes + kernel_chunk_bytes * 4);
  if (!buffer || plan.tasks.empty()) return probes;
  if (!flush_from_caches(buffer->data(), 0))
    std::erase_if(plan.tasks, [](const Task& task) { return task.flushed; });
  const std::vector<unsigned> cpu = {layout.scopes.front().cpus.front()};
  StageLimits limits;
  limits.least_s = 0.12;
  limits.most_s = 0.2;
  limits.samples = 40;
  limits.trial_rounds = 3;
  Buffer* const memory[] = {&*buffer};
  buffer->touch(buffer->bytes(), 0.2);
  run_stage(plan.tasks, cpu, memory, limits, watch, {});
  for (const Task& task : plan.tasks) {
    constexpr std::size_t fewest = 5;
    if (task.rates.size() < fewest) continue;
    double& best = probes[probe_name(task)];
    best = std::max(best, quantile(task.rates, 0.9));
  }
  return probes;
}

std::vector<std::string> compare_probes(const Probes& then, const Probes& now,
                                        const std::string& measured_at) {
  // Memory moves with placement and with other users of the host; FMA and L1 hardly do.
  struct Limit {
    const char* name;
    const char* what;
    double share;
  };
  constexpr Limit limits[] = {{"fma", "FMA peak", 0.1},
                              {"L1.read", "L1 read bandwidth", 0.1},
                              {"memory.read", "memory read bandwidth", 0.3}};
  std::vector<std::string> notes;
  for (const Limit& limit : limits) {
    const auto before = then.find(limit.name), after = now.find(limit.name);
    if (before == then.end() || after == now.end() || before->second <= 0) continue;
    const double ratio = after->second / before->second;
    if (ratio >= 1 - limit.share && ratio <= 1 + limit.share) continue;
    notes.push_back(fmt::format(
        "A probe finds the {} at {:.2f} of what was measured at {}: the machine {} or has "
        "changed; `roofmark machine --refresh` measures again.",
        limit.what, ratio, measured_at, ratio < 1 ? "is busy" : "was busy then"));
  }
  return notes;
}

}  // namespace roofmark
