#include <algorithm>
#include <cmath>

#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/roofline/judgement.hpp"
#include "analysis/roofline/sane.hpp"
#include "analysis/roofline/thresholds.hpp"

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
  // Those of the cores that it ran on: time without a core has none.
  const auto used = it.region.cores_used ? it.region.cores_used->value : it.evaluation.cores;
  const double cores = used > 0 ? std::min(used, it.evaluation.cores) : it.evaluation.cores;
  const double cycles = *it.machine.clock_hz * *it.evaluation.wall_s * cores;
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

namespace {

/// What rounding leaves of a time that was waiting alone is none.
constexpr double least_left = 1e-6;

/// MPI calls are regions: without its children a region has none, unless it is one itself.
bool holds_mpi_time(const Case& it) {
  if (!it.region.mpi_s || !is_time(it.region.mpi_s->value)) return false;
  if (&it.work != &it.region.self || it.region.path.empty()) return &it.work != &it.region.self;
  return it.region.path.back().rfind("MPI_", 0) == 0;
}

}  // namespace

std::optional<double> communication_share(const Case& it) {
  const auto basis_s = mean_rank_s(it.region);
  if (!holds_mpi_time(it) || !basis_s || !(*basis_s > 0)) return std::nullopt;
  return std::min(1.0, it.region.mpi_s->value / *basis_s);
}

std::optional<std::uint64_t> awaited_rank(const Case& it) {
  const auto& spread = it.region.mpi_ranks;
  if (!holds_mpi_time(it) || !spread || !(spread->min_s < spread->mean_s / 2)) return std::nullopt;
  return spread->min_rank;
}

std::optional<double> working_s(const Case& it) {
  if (!it.evaluation.wall_s) return std::nullopt;
  const double mpi_s = holds_mpi_time(it) ? it.region.mpi_s->value : 0;
  const bool whole = &it.work != &it.region.self;
  const double asleep_s = whole && it.region.off_cpu_s && is_time(it.region.off_cpu_s->value)
                              ? it.region.off_cpu_s->value
                              : 0;
  const auto basis_s = mean_rank_s(it.region);
  if (mpi_s + asleep_s <= 0 || !basis_s || !(*basis_s > 0)) return std::nullopt;
  // Both are a mean rank's; the region lasts for as long as any rank is in it.
  const double left = 1 - (mpi_s + asleep_s) / *basis_s;
  return left > least_left ? std::optional(left * *it.evaluation.wall_s) : std::nullopt;
}

std::optional<double> scalar_share(const Work& work) {
  return share_of_mix(work, [](const ComputeClass& part) { return part.width_bits == 0; });
}

std::optional<double> fused_share(const Work& work) {
  return share_of_mix(work,
                      [](const ComputeClass& part) { return part.operation == Operation::fma; });
}

std::optional<LaunchFacts> launch_facts(const Case& it) {
  if (!is_gpu(it.machine) || !it.evaluation.wall_s) return std::nullopt;
  const auto share =
      std::find_if(it.region.gpu.begin(), it.region.gpu.end(),
                   [&](const GpuShare& one) { return one.device == it.machine.gpus.front().uuid; });
  if (share == it.region.gpu.end() || !share->idle_s || !share->span_s) return std::nullopt;
  // Other ranks' calls leave no gaps on this device.
  const auto& known_calls = share->calls ? share->calls : it.region.gpu_calls;
  if (!known_calls) return std::nullopt;
  const GpuCalls& calls = *known_calls;
  const std::uint64_t launches = it.region.kernel ? it.region.visits : share->launches;
  if (launches == 0 || calls.launches == 0 || !(share->span_s->value > 0)) return std::nullopt;
  return LaunchFacts{share->idle_s->value, share->span_s->value, calls.launch_s, calls.launches,
                     *it.evaluation.wall_s / double(launches)};
}

bool is_launch_bound(const Case& it) {
  const auto facts = launch_facts(it);
  if (!facts) return false;
  const Thresholds& limit = thresholds();
  if (facts->idle_s < limit.launch_idle * facts->span_s) return false;
  if (facts->launch_s < limit.launch_calls * facts->idle_s) return false;
  return !it.region.kernel ||
         facts->kernel_mean_s < limit.launch_kernel * facts->launch_s / double(facts->calls);
}

}  // namespace roofmark::model
