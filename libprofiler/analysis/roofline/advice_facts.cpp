#include "analysis/roofline/advice_facts.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/l1_bandwidth.hpp"
#include "analysis/roofline/traffic.hpp"

namespace roofmark::model {
namespace {

using Facts = std::map<std::string, AdviceFact>;

void put(Facts& facts, const char* name, const std::optional<double>& value, double spread = 0) {
  if (value && std::isfinite(*value)) facts[name] = {*value, spread};
}

std::optional<double> total(const Work& work, const std::string& level) {
  const auto found = work.bytes.find(level);
  if (found == work.bytes.end() || !found->second.read || !found->second.write) return std::nullopt;
  return double(found->second.read->value) + double(found->second.write->value);
}

/// What one step of the ladder adds to the steps before it.
std::optional<double> rung(const Roofline& roofline, std::string_view name) {
  double before = 1;
  for (const Rung& step : roofline.ladder) {
    if (step.name.starts_with(name)) return step.gain / before;
    before = step.gain;
  }
  return std::nullopt;
}

void put_time(Facts& facts, const Case& it) {
  if (!it.evaluation.wall_s) return;
  const double wall_s = *it.evaluation.wall_s;
  const Explained& time = it.time;
  const Part* part = binding_part(time);
  const double wall_spread = it.evaluation.wall_uncertainty;
  const double spread = std::hypot(wall_spread, part ? part->uncertainty : 0);
  put(facts, "wall_s", wall_s, wall_spread);
  put(facts, "explained_share", time.overlapped / wall_s, spread);
  put(facts, "serial_share", time.serial / wall_s, spread);
  // What is left of a time is off by as much as the time and what explains it are.
  const double left_s = std::max(0.0, wall_s - time.overlapped);
  const double off_s =
      std::hypot(wall_s * wall_spread, time.overlapped * (part ? part->uncertainty : 0));
  put(facts, "unexplained_s", left_s, left_s > 0 ? off_s / left_s : 0);
  if (it.region.visits > 0)
    put(facts, "visit_mean_s", wall_s / double(it.region.visits), wall_spread);
  if (part) {
    const double own = uncertainty_of(part->ceiling);
    put(facts, "binding_ceiling", part->ceiling.per_s, own > 0 ? own : part->uncertainty);
    if (part->kind == Kind::memory)
      put(facts, "binding_bytes_per_s", part->amount / wall_s,
          std::hypot(part->amount_uncertainty, wall_spread));
  }
}

void put_threads(Facts& facts, const Case& it) {
  put(facts, "threads", double(it.region.threads));
  put(facts, "cores_used", it.evaluation.cores);
  put(facts, "cores", cores_of(it.machine));
  put(facts, "visits", double(it.region.visits));
  put(facts, it.region.ranks ? "rank_imbalance" : "imbalance", it.region.imbalance);
  if (it.region.ranks) put(facts, "slowest_rank", double(it.region.ranks->max_rank));
  put(facts, "communication_share", communication_share(it));
  if (const auto awaited = awaited_rank(it)) put(facts, "awaited_rank", double(*awaited));
  put(facts, "rank_not_awaited", awaited_rank(it) ? 0 : 1);
  put(facts, "gain_idle_cores", gain_of_idle_cores(it));
  put(facts, "gain_balance", gain_of_balance(it));
  if (it.region.cores_used) put(facts, "cores_used_sampled", it.region.cores_used->value);
}

void put_mix(Facts& facts, const Case& it) {
  const Work& work = it.work;
  put(facts, "scalar_share", scalar_share(work));
  put(facts, "fused_share", fused_share(work));
  double all = 0, narrow = 0, divide = 0;
  for (const ComputeClass& part : work.mix) {
    const double flop = double(part.flop);
    all += flop;
    if (part.width_bits < widest(it.machine, part.precision)) narrow += flop;
    if (part.operation == Operation::div || part.operation == Operation::sqrt) divide += flop;
  }
  if (all > 0) {
    put(facts, "narrow_share", narrow / all);
    put(facts, "divide_share", divide / all);
  }
  if (it.evaluation.as_written) {
    double flop_s = 0;
    for (const Part& part : *it.evaluation.as_written) {
      if (part.kind == Kind::compute) flop_s += part.seconds;
      if (part.name == "divide" || part.name == "square root")
        put(facts, "divide_s", part.seconds, part.uncertainty);
    }
    if (it.evaluation.wall_s && *it.evaluation.wall_s > 0)
      put(facts, "flop_time_share", flop_s / *it.evaluation.wall_s);
  }
  if (const auto converted = operations(work, "convert"); converted && it.evaluation.flop > 0)
    put(facts, "convert_per_flop", *converted / double(it.evaluation.flop));
  if (it.evaluation.precision) {
    const double bits = widest(it.machine, *it.evaluation.precision);
    put(facts, "widest_bits", bits);
  }
}

void put_bytes(Facts& facts, const Case& it, const Roofline& roofline) {
  const Work& work = it.work;
  // Fills alone: write-backs are lines that were filled before.
  const auto l2 = work.bytes.find("L2");
  const auto asked = total(work, "L1");
  std::optional<double> filled;
  if (l2 != work.bytes.end() && l2->second.read) filled = double(l2->second.read->value);
  if (asked && filled && *filled > 0) {
    put(facts, "line_use", *asked / *filled);
    put(facts, "line_unused", std::max(0.0, 1 - *asked / *filled));
  }
  const auto level = roofline.levels.find(roofline.verdict_detail);
  if (level != roofline.levels.end() && level->second.intensity > 0) {
    const Part* part = binding_part(it.time);
    const double counts =
        std::hypot(part ? part->amount_uncertainty : 0, it.evaluation.flop_uncertainty);
    const double ceilings = part ? uncertainty_of(part->ceiling) : 0;
    put(facts, "intensity", level->second.intensity, counts);
    put(facts, "ridge", level->second.ridge, ceilings);
    put(facts, "intensity_gap", level->second.ridge / level->second.intensity,
        std::hypot(counts, ceilings));
  }
}

/// Seconds of one part, and of the longest of the others, which bounds what less of it would gain.
struct PartAndNext {
  double part_s = 0, next_s = 0;
  std::optional<double> gain(double share_left) const {
    const double after_s = std::max(part_s * share_left, next_s);
    if (!(after_s > 0 && part_s > after_s)) return std::nullopt;
    return part_s / after_s;
  }
};

PartAndNext part_and_next(const Case& it, const std::string& level) {
  PartAndNext found;
  for (const Part& part : evidence(it.evaluation)) {
    double& longest = part.name == level ? found.part_s : found.next_s;
    longest = std::max(longest, part.seconds);
  }
  return found;
}

/// What wider loads and stores would save where L1 bounds.
void put_accesses(Facts& facts, const Case& it, const Roofline& roofline) {
  put(facts, "narrow_in_l1", 0);
  const auto asked = total(it.work, "L1");
  const auto loads = operations(it.work, "loads"), stores = operations(it.work, "stores");
  if (!asked || !loads || !stores || !(*loads + *stores > 0)) return;
  const double bytes = *asked / (*loads + *stores);
  put(facts, "bytes_per_access", bytes);
  const double widest_bytes = widest_l1_access_bytes(it.machine);
  if (roofline.verdict_detail != "L1" || !(bytes < 16) || !(bytes < widest_bytes)) return;
  put(facts, "narrow_in_l1", 1);
  put(facts, "widest_access_bytes", widest_bytes);
  const double read_share = double(it.work.bytes.at("L1").read->value) / *asked;
  const double cores = as_it_ran(it.evaluation).cores;
  const auto ceiling = [&](double load_bytes, double store_bytes) {
    const TrafficMix mix{read_share, false, load_bytes, store_bytes};
    const auto found = bandwidth_ceiling(it.machine, "L1", mix, cores);
    return found ? found->per_s : 0;
  };
  const double written = *asked * (1 - read_share);
  const double now =
      ceiling(*loads > 0 ? *asked * read_share / *loads : 0, *stores > 0 ? written / *stores : 0);
  const double wide = ceiling(0, 0);
  if (now > 0 && wide > now)
    put(facts, "gain_wide_accesses", part_and_next(it, "L1").gain(now / wide));
}

/// What non-temporal stores would save.
void put_write_allocate(Facts& facts, const Case& it, const Roofline& roofline) {
  const auto found = it.work.bytes.find(roofline.verdict_detail);
  if (found == it.work.bytes.end() || !is_main_memory(found->first)) return;
  const auto bypass = operations(it.work, "nt_store_bytes");
  if (!bypass) return;
  const auto fetched = share_fetched_for_stores(found->second, *bypass);
  if (!fetched) return;
  const double share = *fetched;
  put(facts, "store_fetch_share", share);
  put(facts, "gain_no_fetch", part_and_next(it, found->first).gain(1 - share));
}

/// The fastest that one core reads of main memory on another node, and of the same kind on its own.
void put_remote(Facts& facts, const Case& it) {
  put(facts, "remote_memory_share", it.remote_memory_share);
  const BandwidthCeiling* remote = nullptr;
  for (const BandwidthCeiling& one : it.machine.apart_bandwidth)
    if (one.threads == 1 && one.placement == "remote" && one.pattern == "read" &&
        is_main_memory(one.level) &&
        (!remote || one.interface_bytes_per_s > remote->interface_bytes_per_s))
      remote = &one;
  if (!remote) return;
  std::optional<double> own;
  for (const BandwidthCeiling& one : it.machine.bandwidth)
    if (one.threads == 1 && one.pattern == "read" && one.level == remote->level &&
        one.interface_bytes_per_s > own.value_or(0))
      own = one.interface_bytes_per_s;
  put(facts, "remote_bytes_per_s", remote->interface_bytes_per_s);
  put(facts, "own_memory_bytes_per_s", own);
}

}  // namespace

std::map<std::string, AdviceFact> advice_facts(const Case& it, const Roofline& roofline) {
  Facts facts;
  put_time(facts, it);
  put_threads(facts, it);
  put_mix(facts, it);
  put_bytes(facts, it, roofline);
  put_accesses(facts, it, roofline);
  put_write_allocate(facts, it, roofline);
  put_remote(facts, it);
  if (const auto launching = launch_facts(it)) {
    put(facts, "gpu_idle_share", launching->idle_s / launching->span_s);
    put(facts, "launch_call_s", launching->launch_s / double(launching->calls));
    put(facts, "kernel_mean_s", launching->kernel_mean_s);
  }
  put(facts, "ipc", instructions_per_cycle(it));
  put(facts, "fraction", roofline.fraction);
  put(facts, "fraction_as_written", roofline.fraction_as_written);
  put(facts, "gain_as_written", rung(roofline, "reach the roof"));
  put(facts, "gain_large_pages", rung(roofline, "use large pages"));
  if (it.evaluation.large_page_share)
    put(facts, "small_page_share", 1 - *it.evaluation.large_page_share);
  put(facts, "waited_share", it.waited_share);
  put(facts, "gain_vectorise", rung(roofline, "vectorise"));
  put(facts, "gain_fma", rung(roofline, "use FMA"));
  put(facts, "gain_cores", rung(roofline, "use all cores"));
  put(facts, "gain_bytes", rung(roofline, "move fewer bytes"));
  const std::vector<std::string> levels = interfaces(it.machine);
  const bool has_memory = std::any_of(levels.begin(), levels.end(), is_main_memory);
  put(facts, "main_memory_unmeasured", has_memory ? 0 : 1);
  put(facts, "peak_missing", it.evaluation.no_ceiling ? 1 : 0);
  put(facts, "main_memory_uncounted", it.evaluation.main_memory_uncounted ? 1 : 0);
  put(facts, "caches_uncounted", it.evaluation.uncounted.empty() ? 0 : 1);
  put(facts, "flop_uncounted", it.evaluation.flop_counted ? 0 : 1);
  return facts;
}

}  // namespace roofmark::model
