#include "analysis/roofline/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <analysis/profile/uncounted_flop.hpp>
#include <cmath>

#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/compute_time.hpp"
#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/roofline/sane.hpp"
#include "analysis/roofline/thresholds.hpp"
#include "analysis/roofline/traffic.hpp"

namespace roofmark::model {
namespace {

constexpr auto heavier = [](const Part& a, const Part& b) { return a.seconds < b.seconds; };

std::optional<double> time_of(const std::optional<Measure>& measure) {
  if (!measure || !is_time(measure->value)) return std::nullopt;
  return measure->value;
}

double relative_half_range(const Measure& measure) {
  if (!measure.low || !measure.high || !(measure.value > 0)) return 0;
  const double range = (*measure.high - *measure.low) / 2 / measure.value;
  return range > 0 ? std::min(range, largest_uncertainty) : 0;
}

Part memory_part(const InterfaceTraffic& traffic, const Ceiling& ceiling) {
  Part part;
  part.kind = Kind::memory;
  part.name = traffic.level;
  part.amount = traffic.bytes;
  part.ceiling = ceiling;
  part.seconds = traffic.bytes / ceiling.per_s;
  part.amount_uncertainty = traffic.uncertainty;
  part.uncertainty = std::hypot(uncertainty_of(ceiling), traffic.uncertainty);
  part.source = traffic.source;
  return part;
}

/// The best of the kinds of memory that the bytes may be of: a roof must not be too low.
template <class CeilingOf>
std::optional<Ceiling> ceiling_for(const InterfaceTraffic& traffic, CeilingOf ceiling_of) {
  if (traffic.kinds.empty()) return ceiling_of(traffic.level);
  std::optional<Ceiling> best;
  for (const std::string& kind : traffic.kinds)
    if (const auto found = ceiling_of(kind); found && (!best || found->per_s > best->per_s))
      best = found;
  return best;
}

std::vector<Part> memory_parts(const TrafficOfRegion& traffic, const Machine& machine,
                               const Setting& setting) {
  std::vector<Part> parts;
  for (InterfaceTraffic level : traffic.levels) {
    if (setting.vectorised) level.mix.bytes_per_load = level.mix.bytes_per_store = 0;
    level.mix.large_page_share = setting.large_page_share;
    const auto ceiling = ceiling_for(level, [&](const std::string& kind) {
      return level.declared
                 ? declared_bandwidth(machine, kind, setting.cores, setting.large_page_share)
                 : bandwidth_ceiling(machine, kind, level.mix, setting.cores);
    });
    if (ceiling) parts.push_back(memory_part(level, *ceiling));
  }
  return parts;
}

std::vector<Part> topmost_parts(const TrafficOfRegion& traffic, const Machine& machine) {
  std::vector<Part> parts;
  for (const InterfaceTraffic& level : traffic.levels) {
    const auto ceiling = ceiling_for(level, [&](const std::string& kind) {
      return level.declared ? declared_bandwidth(machine, kind, cores_of(machine))
                            : topmost_bandwidth(machine, kind);
    });
    if (ceiling) parts.push_back(memory_part(level, *ceiling));
  }
  return parts;
}

/// "L1 not counted, L2 not counted"
std::string listed(const std::vector<std::string>& clauses) {
  std::string text;
  for (const std::string& clause : clauses) text += (text.empty() ? "" : ", ") + clause;
  return text;
}

void place_levels(Evaluation& made) {
  const Part* peak = largest(made.machine, Kind::compute);
  for (const Part& part : made.machine) {
    if (part.kind != Kind::memory || part.amount <= 0) continue;
    LevelPlacement& level = made.levels[part.name];
    level.bandwidth_bytes_per_s = part.ceiling.per_s;
    if (made.wall_s) level.achieved_bytes_per_s = part.amount / *made.wall_s;
    if (!peak || made.point_flop <= 0) continue;
    // The peak of a mix: so that mixed precisions sit under a roof that holds all of their work.
    const FlopPerSecond top{made.point_flop / peak->seconds};
    const BytesPerSecond bandwidth{part.ceiling.per_s};
    level.intensity = made.point_flop / part.amount;
    level.roof_flop_per_s = roof(top, bandwidth, Intensity{level.intensity}).value;
    level.ridge = ridge(top, bandwidth).flop_per_byte;
  }
}

/// Each type of a GPU's matrix units works beside the vector units. The one that takes longest
/// becomes the point where it takes longer than those.
void add_tensor(const Work& work, const Machine& machine, std::optional<double> clock_hz,
                std::vector<Part>& parts, Evaluation& made) {
  for (const auto& [type, count] : work.tensor) {
    if (count.value == 0) continue;
    const auto ceiling = tensor_ceiling(machine, type, clock_hz);
    if (!ceiling) {
      made.no_ceiling = "no ceiling for tensor " + type;
      continue;
    }
    Part part;
    part.kind = Kind::compute;
    part.name = "tensor " + type;
    part.amount = double(count.value);
    part.ceiling = *ceiling;
    part.seconds = part.amount / ceiling->per_s;
    part.uncertainty = uncertainty_of(*ceiling);
    part.source = count.source;
    parts.push_back(std::move(part));
  }
}

void point_at_tensor(const Work& work, Evaluation& made) {
  const Part* peak = largest(made.machine, Kind::compute);
  constexpr std::string_view prefix = "tensor ";
  if (!peak || !peak->name.starts_with(prefix)) return;
  made.tensor = peak->name.substr(prefix.size());
  made.precision.reset();
  made.point_flop = peak->amount;
  made.flop_source = peak->source;
  const Count& count = work.tensor.at(made.tensor);
  const double range =
      double(count.high.value_or(count.value)) - double(count.low.value_or(count.value));
  made.flop_uncertainty = range > 0 ? range / 2 / double(count.value) : 0;
  made.notes.push_back("The point shows the tensor operations of type " + made.tensor +
                       "; the vector units' work is apart and counts in the explained time.");
}

/// Why the as-written roof is withheld, or nothing.
std::optional<std::string> withheld(const Work& work, const Region& region, const Machine& machine,
                                    const Evaluation& made) {
  if (made.flop == 0) return std::nullopt;
  if (region.flags.count("isa_differs"))
    return "the counted pass ran another instruction set than the native one";
  if (work.mix.empty()) return "the mix of vector widths and operations is not known";
  double covered = 0;
  for (const ComputeClass& part : work.mix) covered += double(part.flop);
  if (covered < thresholds().mix_covers * double(made.flop))
    return "the mix of vector widths and operations covers only part of the FLOPs";
  const double without = compute_parts(work.mix, machine, Setting{}).flop_without_ceiling;
  if (without > (1 - thresholds().mix_covers) * double(made.flop))
    return "this machine has no ceiling for some of its operations";
  return std::nullopt;
}

/// What comes from an outer interface crosses the inner ones too, so that a stream loads all of
/// them alike: of interfaces that explain the same time within the uncertainty the outermost is
/// named. Parts are in the order innermost first.
const Part& outermost_of_equals(const std::vector<Part>& parts, const Part& most) {
  const Part* named = &most;
  if (most.kind != Kind::memory) return most;
  for (const Part& part : parts) {
    const double band = 1 + std::max(std::hypot(part.uncertainty, most.uncertainty),
                                     thresholds().ridge_uncertainty);
    if (part.kind == Kind::memory && part.seconds * band >= most.seconds) named = &part;
  }
  return *named;
}

void count_flop(const Work& work, Evaluation& made) {
  made.flop_counted = !work.flop.empty() || work.declared_flop;
  if (work.flop.empty() && work.declared_flop) {
    made.flop = work.declared_flop->value;
    made.point_flop = double(made.flop);
    made.precision = Precision::f64;
    made.flop_source = Source::declared;
    if (made.flop > 0) made.notes.push_back("The FLOPs are the user's declaration, taken as f64.");
    return;
  }
  made.flop_counted = made.flop_counted || !work.tensor.empty();
  for (const auto& [type, count] : work.tensor) made.flop += count.value;
  std::uint64_t most = 0;
  for (const auto& [precision, count] : work.flop) {
    made.flop += count.value;
    if (made.precision && count.value <= most) continue;
    most = count.value;
    made.precision = precision;
    made.point_flop = double(count.value);
    made.flop_source = count.source;
    const double range = double(count.high.value_or(most)) - double(count.low.value_or(most));
    made.flop_uncertainty = most > 0 && range > 0 ? range / 2 / double(most) : 0;
  }
  std::string others;
  for (const auto& [precision, count] : work.flop)
    if (precision != made.precision && count.value > 0)
      others += (others.empty() ? "" : ", ") + std::string(spelling(precision));
  if (!others.empty())
    made.notes.push_back("The point shows " + std::string(spelling(*made.precision)) +
                         " alone; work in " + others +
                         " is apart and counts in the explained time.");
}

/// Zero FLOPs of one precision and another one not counted are no count of none.
void put_uncounted_flop(const Work& work, const Region& region, Evaluation& made) {
  const auto one = uncounted_flop(work, region.missing);
  if (!one || made.flop_source == Source::declared) return;
  const bool precision = one->quantity.starts_with("flop.");
  made.uncounted_flop = one->quantity == "tensor" ? "tensor operations not counted"
                        : precision ? "FLOPs of " + one->quantity.substr(5) + " not counted"
                                    : "some FLOPs not counted";
  if (made.flop == 0) {
    made.flop_counted = false;
    return;
  }
  made.notes.push_back(made.uncounted_flop + ": they are not in the time that its work explains.");
}

}  // namespace

Explained explain(const std::vector<Part>& parts) {
  Explained explained;
  const Part* most = nullptr;
  for (const Part& part : parts) {
    explained.serial += part.seconds;
    if (part.seconds > 0 && (!most || heavier(*most, part))) most = &part;
  }
  if (!most) return explained;
  explained.overlapped = most->seconds;
  const Part& named = outermost_of_equals(parts, *most);
  explained.binding[named.name] = named;
  return explained;
}

void add(Explained& sum, const Explained& child) {
  sum.overlapped += child.overlapped;
  sum.serial += child.serial;
  for (const auto& [name, part] : child.binding) {
    const auto [mine, is_new] = sum.binding.try_emplace(name, part);
    if (is_new) continue;
    Part& total = mine->second;
    // Each of the two at its own ceiling: the mean ceiling is what the sum of the times implies.
    total.uncertainty = std::max(total.uncertainty, part.uncertainty);
    total.amount_uncertainty = std::max(total.amount_uncertainty, part.amount_uncertainty);
    total.source = std::max(total.source, part.source);
    total.seconds += part.seconds;
    total.amount += part.amount;
    if (total.seconds > 0) total.ceiling.per_s = total.amount / total.seconds;
    if (total.ceiling.threads != part.ceiling.threads) total.ceiling.threads = 0;
  }
}

const Part* binding_part(const Explained& explained) {
  const Part* most = nullptr;
  for (const auto& [name, part] : explained.binding)
    if (!most || heavier(*most, part)) most = &part;
  return most;
}

const Part* largest(const std::vector<Part>& parts, Kind kind) {
  const Part* most = nullptr;
  for (const Part& part : parts)
    if (part.kind == kind && (!most || heavier(*most, part))) most = &part;
  return most;
}

std::vector<Part> written_parts(const Work& work, const Region& region, const Machine& machine,
                                const Setting& setting) {
  return written_parts(work, traffic_of(work, region, machine, setting.memory_kind), machine,
                       setting);
}

std::vector<Part> written_parts(const Work& work, const TrafficOfRegion& traffic,
                                const Machine& machine, const Setting& setting) {
  std::vector<Part> parts = memory_parts(traffic, machine, setting);
  for (Part& part : compute_parts(work.mix, machine, setting).parts)
    parts.push_back(std::move(part));
  return parts;
}

double cores_used(const Region& region, const Work& work, const Machine& machine) {
  const double all = cores_of(machine);
  double cores = all;
  if (const auto sampled = time_of(region.cores_used))
    cores = *sampled;
  else if (region.threads == 1)
    cores = 1;
  else if (const auto thread_s = time_of(work.thread_s), wall_s = time_of(work.wall_s);
           thread_s && wall_s)
    cores = *thread_s / *wall_s;
  return std::clamp(cores, 1.0, all);
}

namespace {

/// The cores that a region may have used at most, where too few looks found it to say how many.
std::optional<double> most_cores(const Region& region, const Machine& machine) {
  const auto& used = region.cores_used;
  if (!used || used->source != Source::estimated || !used->high) return std::nullopt;
  return std::clamp(*used->high, 1.0, static_cast<double>(cores_of(machine)));
}

/// The region's own clock, where it is known well enough to hold compute ceilings to it.
std::optional<double> clock_of(const Region& region) {
  const auto& clock = region.clock_hz;
  if (!clock || !is_rate(clock->value)) return std::nullopt;
  if (clock->low.has_value() != clock->high.has_value()) return std::nullopt;
  if (relative_half_range(*clock) > thresholds().clock_range) return std::nullopt;
  return clock->value;
}

bool has_clock(const Machine& machine) {
  if (machine.clock_hz && is_rate(*machine.clock_hz)) return true;
  return std::any_of(machine.compute.begin(), machine.compute.end(),
                     [](const ComputeCeiling& one) { return is_rate(one.flop_per_cycle); });
}

void follow_clock(const Region& region, const Machine& machine, Evaluation& made) {
  const auto clock_hz = clock_of(region);
  if (!clock_hz || !has_clock(machine)) return;
  made.clock_hz = clock_hz;
  const bool gpu = is_gpu(machine);
  std::string note =
      fmt::format("{} ran at {:.2f} GHz",
                  gpu ? "While it was counted its multiprocessors" : "Its cores", *clock_hz * 1e-9);
  if (machine.clock_hz && is_rate(*machine.clock_hz))
    note += fmt::format(", the {} ceilings {} {:.2f} GHz", gpu ? "GPU's" : "machine's",
                        gpu ? "hold at" : "were measured at", *machine.clock_hz * 1e-9);
  made.notes.push_back(note +
                       (gpu ? ": the verdict scales compute ceilings to its clock, not memory's."
                            : ": compute ceilings of the code as written are scaled to its clock, "
                              "memory's are not."));
}

/// Work that the assumed cores can't have done in its time was done by more of them.
void assume_more_cores(const Work& work, const Region& region, const Machine& machine,
                       Evaluation& made) {
  const auto most = most_cores(region, machine);
  if (!most || !made.wall_s || *most <= made.cores) return;
  const Setting assumed = as_it_ran(made);
  if (explain(written_parts(work, region, machine, assumed)).overlapped <= *made.wall_s) return;
  made.cores = *most;
  made.notes.push_back("It was too short to see on how many cores it ran, and did more than " +
                       std::string(assumed.cores == 1 ? "one core" : "those that were seen") +
                       " can: the as-written roof is of those that the program kept busy.");
}

}  // namespace

Setting as_it_ran(const Evaluation& evaluation) {
  Setting setting{evaluation.cores};
  setting.large_page_share = evaluation.large_page_share;
  setting.clock_hz = evaluation.clock_hz;
  setting.memory_kind = evaluation.memory_kind;
  return setting;
}

Evaluation evaluate(const Work& work, const Region& region, const Machine& machine,
                    const MemoryOfProgram& memory) {
  Evaluation made;
  made.large_page_share = memory.large_page_share;
  made.memory_kind = memory.kind;
  made.wall_s = time_of(work.wall_s);
  if (work.wall_s) made.wall_uncertainty = relative_half_range(*work.wall_s);
  made.cores = cores_used(region, work, machine);
  count_flop(work, made);
  put_uncounted_flop(work, region, made);
  if (made.flop > 0) follow_clock(region, machine, made);
  assume_more_cores(work, region, machine, made);

  const TrafficOfRegion traffic = traffic_of(work, region, machine, memory.kind);
  made.uncounted = traffic.uncounted;
  made.main_memory_uncounted = traffic.main_memory_uncounted;
  made.notes.insert(made.notes.end(), traffic.notes.begin(), traffic.notes.end());
  if (!made.uncounted.empty() && !made.main_memory_uncounted)
    made.notes.push_back(listed(made.uncounted) + ": what it would bound is not known.");

  made.machine = topmost_parts(traffic, machine);
  if (made.flop > 0) {
    const ComputeTime compute = topmost_compute(work, made.flop_source, machine, cores_of(machine));
    if (compute.part) made.machine.push_back(*compute.part);
    made.no_ceiling = compute.no_ceiling;
  }
  add_tensor(work, machine, {}, made.machine, made);
  point_at_tensor(work, made);
  if (region.flags.count("tensor_uncounted")) {
    made.uncounted.insert(made.uncounted.begin(), "tensor operations not counted");
    made.main_memory_uncounted = true;  // nothing can be said of where it stands without them
  }
  place_levels(made);

  if (auto reason = withheld(work, region, machine, made)) {
    made.placed = memory_parts(traffic, machine, as_it_ran(made));
    const ComputeTime compute =
        topmost_compute(work, made.flop_source, machine, made.cores, made.clock_hz);
    if (compute.part) made.placed.push_back(*compute.part);
    add_tensor(work, machine, made.clock_hz, made.placed, made);
    // No tool tells which instructions of a GPU its classes would be.
    if (made.flop_source != Source::declared && !is_gpu(machine) && !no_machine(machine))
      made.notes.push_back("The as-written roof is withheld: " + *reason + ".");
    return made;
  }
  made.as_written = written_parts(work, traffic, machine, as_it_ran(made));
  return made;
}

}  // namespace roofmark::model
