#include <algorithm>
#include <cmath>
#include <roofmark/roofline.hpp>

#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/judgement.hpp"
#include "analysis/roofline/sane.hpp"
#include "analysis/roofline/thresholds.hpp"

namespace roofmark::model {
namespace {

double share_of_time(const Case& it, double seconds) {
  return it.evaluation.wall_s ? seconds / *it.evaluation.wall_s : 0;
}

bool is_too_small(const Case& it) {
  if (it.region.flags.count("too_small")) return true;
  const double marker_s = is_time(it.region.marker_s) ? it.region.marker_s : 0;
  const auto wall_s = it.evaluation.wall_s;
  if (!wall_s) return marker_s > 0 && it.work.wall_s.has_value();
  return marker_s / (marker_s + *wall_s) > thresholds().too_small_marker_share;
}

/// How much longer it may have lasted than its time says: intervals of few samples reach further up
/// than down.
double longest_beyond(const Case& it) {
  const auto& wall = it.work.wall_s;
  return wall && wall->high && wall->value > 0 ? *wall->high / wall->value - 1 : 0;
}

/// How much faster than its value what binds was seen to be: a median has windows above it.
double ceiling_beyond(const Case& it) {
  const Part* part = binding_part(it.time);
  if (!part || !is_rate(part->ceiling.per_s) || !is_rate(part->ceiling.high)) return 0;
  return part->ceiling.high / part->ceiling.per_s - 1;
}

/// With several threads, of which one works or one works longest.
std::optional<Decision> waiting_for_threads(const Case& it) {
  if (it.region.threads < 2) return std::nullopt;
  if (gain_of_balance(it) >= thresholds().lost_to_waiting) return Decision{Verdict::imbalanced, ""};
  if (it.evaluation.cores < thresholds().serial_cores &&
      gain_of_idle_cores(it) >= thresholds().lost_to_waiting)
    return Decision{Verdict::serial, ""};
  return std::nullopt;
}

bool not_running(const Case& it) {
  return it.region.cores_used && it.region.cores_used->value >= 0 &&
         it.region.cores_used->value < thresholds().idle_cores;
}

Decision without_flop(const Case& it, bool explained) {
  const auto ipc = instructions_per_cycle(it);
  if (!explained && not_running(it)) return {Verdict::latency, "not running"};
  if (!explained && it.evaluation.uncounted.empty() && ipc && *ipc < thresholds().stalled_ipc)
    return {Verdict::latency, "stalled"};
  if (it.evaluation.main_memory_uncounted) return {Verdict::no_flop, it.evaluation.uncounted[0]};
  const Part* part = binding_part(it.time);
  return {Verdict::no_flop, part ? part->name : ""};
}

Side side_from(const std::vector<Part>& parts, double flop_uncertainty) {
  const Part* compute = largest(parts, Kind::compute);
  const Part* memory = largest(parts, Kind::memory);
  if (!compute) return Side::unknown;
  if (!memory || memory->seconds <= 0) return Side::compute;
  const double spread =
      std::hypot(std::hypot(compute->uncertainty, memory->uncertainty), flop_uncertainty);
  // intensity / ridge = compute time / memory time.
  return side_of(Intensity{compute->seconds / memory->seconds}, Intensity{1},
                 std::max(spread, thresholds().ridge_uncertainty));
}

/// A ceiling that was not counted can only move a region to the memory side.
Side guarded(Side side, const Evaluation& evaluation) {
  return evaluation.uncounted.empty() || side == Side::memory ? side : Side::unknown;
}

}  // namespace

const std::vector<Part>& evidence(const Evaluation& evaluation) {
  return evaluation.as_written ? *evaluation.as_written : evaluation.placed;
}

std::optional<double> fraction(const Case& it, const Explained& time) {
  if (!it.evaluation.wall_s || time.binding.empty()) return std::nullopt;
  return time.overlapped / *it.evaluation.wall_s;
}

double uncertainty(const Case& it) {
  const Part* part = binding_part(it.time);
  const double count = part && part->kind == Kind::compute ? it.evaluation.flop_uncertainty : 0;
  return std::hypot(std::hypot(part ? part->uncertainty : 0, count),
                    it.evaluation.wall_uncertainty);
}

Side side_against_machine(const Case& it) {
  return guarded(side_from(it.evaluation.machine, it.evaluation.flop_uncertainty), it.evaluation);
}

Side side_as_written(const Case& it) {
  if (!it.evaluation.as_written) return Side::unknown;
  return guarded(side_from(*it.evaluation.as_written, it.evaluation.flop_uncertainty),
                 it.evaluation);
}

Decision decide(const Case& it) {
  const Thresholds& limit = thresholds();
  const Evaluation& evaluation = it.evaluation;
  if (is_too_small(it)) return {Verdict::too_small, ""};
  if (!evaluation.wall_s) return {Verdict::undetermined, "time not measured"};
  if (!evaluation.flop_counted)
    return {Verdict::undetermined,
            evaluation.uncounted_flop.empty() ? "FLOPs not counted" : evaluation.uncounted_flop};

  const Explained& time = it.time;
  const double overlapped = share_of_time(it, time.overlapped);
  const bool explained = share_of_time(it, time.serial) >= limit.latency_below;
  if (overlapped >
      1 + std::max({limit.above_margin, uncertainty(it), longest_beyond(it), ceiling_beyond(it)}))
    return {Verdict::above_roof, binding_part(time)->name};
  if (const auto share = communication_share(it);
      share && *share >= limit.communication_share && *share > overlapped) {
    const auto awaited = awaited_rank(it);
    return {Verdict::communication, awaited ? "for rank " + std::to_string(*awaited) : ""};
  }
  // A region of the host waits between its kernels, whatever bounds each of them.
  if (!it.region.kernel && is_launch_bound(it)) return {Verdict::launch, ""};
  if (evaluation.flop == 0) return without_flop(it, explained);
  if (evaluation.no_ceiling) return {Verdict::undetermined, *evaluation.no_ceiling};
  if (evaluation.main_memory_uncounted) return {Verdict::undetermined, evaluation.uncounted[0]};
  if (!evaluation.uncounted.empty() && overlapped < limit.explains &&
      !(explained && binding_part(time)->kind == Kind::memory))
    return {Verdict::undetermined, evaluation.uncounted[0]};
  if (not_running(it) && !explained) return {Verdict::latency, "not running"};
  if (!explained && !evaluation.uncounted_flop.empty())
    return {Verdict::undetermined, evaluation.uncounted_flop};
  if (auto waiting = waiting_for_threads(it)) return *waiting;
  if (!explained) return {is_launch_bound(it) ? Verdict::launch : Verdict::latency, ""};

  const Part* part = binding_part(time);
  const auto reached = fraction(it, it.machine_time);
  const Part* top = binding_part(it.machine_time);
  if (reached && *reached >= limit.at_roof && top && top->kind == Kind::compute)
    return {Verdict::at_roof, top->name};
  const Side side =
      guarded(side_from(evidence(evaluation), evaluation.flop_uncertainty), evaluation);
  if (!it.is_sum && side == Side::balanced) return {Verdict::balanced, part->name};
  return {part->kind == Kind::memory ? Verdict::memory : Verdict::compute, part->name};
}

}  // namespace roofmark::model
