// One sentence that says what binds, with the numbers it rests on.
#include <fmt/format.h>

#include <cmath>

#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/compute_time.hpp"
#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/roofline/judgement.hpp"
#include "analysis/roofline/sane.hpp"
#include "analysis/roofline/thresholds.hpp"
#include "analysis/text/quantities.hpp"

namespace roofmark::model {
namespace {

using namespace text;

std::string cores_text(double cores) {
  const std::string text = plain(cores);
  return cores == 1 ? "1 core"
                    : (cores == double(int(cores)) ? std::to_string(int(cores)) : text) + " cores";
}

std::string source_text(const Part& part) {
  return part.source == Source::counted || part.source == Source::measured
             ? ""
             : std::string(" ") + std::string(spelling(part.source));
}

/// " on 1 core": a ceiling of some cores stands beside a roof of all of them. Nothing where the
/// machine has one core, or where the ceiling is a mean over children with different numbers.
std::string scope_text(const Case& it, double cores) {
  return cores_of(it.machine) > 1 && cores > 0 ? " on " + cores_text(cores) : "";
}

/// The mean ceiling of a mix has no range of its own: it is as sure as the time that it gives.
double spread_of_ceiling(const Part& part) {
  const double own = uncertainty_of(part.ceiling);
  return own > 0 ? own : part.uncertainty;
}

std::string wall_text(const Case& it) {
  return duration(within_share(*it.evaluation.wall_s, it.evaluation.wall_uncertainty));
}

/// "DRAM traffic (12.3 GB modelled against 16.4 GB/s on 2 cores)"
std::string work_text(const Case& it, const Part& part) {
  const std::string scope = scope_text(it, part.ceiling.threads);
  if (part.kind == Kind::memory)
    return fmt::format(
        "{} traffic ({}{} against {}{})", part.name,
        with_prefix(within_share(part.amount, part.amount_uncertainty), "B"), source_text(part),
        with_prefix(within_share(part.ceiling.per_s, spread_of_ceiling(part)), "B/s"), scope);
  return fmt::format(
      "{} work ({}{}{} against {}{})", part.name,
      with_prefix(within_share(part.amount, part.amount_uncertainty), "FLOP"), source_text(part),
      part.mixed_precision ? " of several precisions" : "",
      with_prefix(within_share(part.ceiling.per_s, spread_of_ceiling(part)), "FLOP/s"), scope);
}

/// Where the time would be too short for the ceiling's value, and is not for what was seen of it.
std::string scatter_text(const Part& part, double wall_s) {
  const double beyond = part.seconds / wall_s;
  const Ceiling& ceiling = part.ceiling;
  if (beyond <= 1 + thresholds().above_margin || ceiling.high < ceiling.per_s * beyond) return "";
  return fmt::format("; that ceiling scatters: it was up to {} when it was measured",
                     with_prefix(within_share(ceiling.high, spread_of_ceiling(part)),
                                 part.kind == Kind::memory ? "B/s" : "FLOP/s"));
}

std::string explained_text(const Case& it) {
  const Explained& time = it.time;
  const double wall_s = *it.evaluation.wall_s;
  const Part* part = binding_part(time);
  if (!part) return fmt::format("no ceiling explains any of its {}", wall_text(it));
  const double spread = std::hypot(part->uncertainty, it.evaluation.wall_uncertainty);
  return fmt::format("{} explains {} of {} ({}){}", work_text(it, *part),
                     duration(within_share(part->seconds, part->uncertainty)), wall_text(it),
                     percent_text(part->seconds / wall_s, spread), scatter_text(*part, wall_s));
}

std::string all_ceilings_text(const Case& it) {
  const Explained& time = it.time;
  const double wall_s = *it.evaluation.wall_s;
  const Part* part = binding_part(time);
  const double spread = part ? part->uncertainty : 0;
  return fmt::format(
      "all ceilings together explain {} of {} ({}) even without any overlap",
      duration(within_share(time.serial, spread)), wall_text(it),
      percent_text(time.serial / wall_s, std::hypot(spread, it.evaluation.wall_uncertainty)));
}

/// What the region's operations allow: its FLOPs over what these parts' arithmetic needs at least,
/// both of all precisions; of the point's alone it would lie below what the region did.
/// The rate of one part is of its own operations alone, so many divides a second and not FLOPs.
std::optional<Ceiling> rate_of_region(const Evaluation& evaluation,
                                      const std::vector<Part>& parts) {
  const Part* longest = largest(parts, Kind::compute);
  if (!longest || !is_time(longest->seconds) || evaluation.flop == 0) return std::nullopt;
  return Ceiling{longest->name, double(evaluation.flop) / longest->seconds};
}

/// The topmost peak of some cores for the same FLOPs; of several precisions it is the mean.
std::optional<Part> peak_for(const Case& it, double cores, std::optional<double> clock_hz = {}) {
  return topmost_compute(it.work, it.evaluation.flop_source, it.machine, cores, clock_hz).part;
}

/// What scalar code can reach beside the peak of the same cores and that of all of them, where the
/// width is what limits.
std::string scalar_text(const Case& it) {
  const Evaluation& evaluation = it.evaluation;
  const auto share = scalar_share(it.work);
  if (!share || *share < thresholds().mostly || !evaluation.precision || !evaluation.as_written)
    return "";
  const auto written = rate_of_region(evaluation, *evaluation.as_written);
  const auto top = peak_for(it, evaluation.cores, evaluation.clock_hz);
  if (!written || !top) return "";
  const auto peak = rate_of_region(evaluation, {*top});
  if (!peak || peak->per_s < 1.5 * written->per_s) return "";
  const Part* longest = largest(*evaluation.as_written, Kind::compute);
  std::string text = fmt::format(
      "; {} of the work is scalar: scalar code reaches at most {} of the "
      "{} peak ({}){}",
      percent_text(*share),
      with_prefix(within_share(written->per_s, spread_of_ceiling(*longest)), "FLOP/s"),
      with_prefix(within_share(peak->per_s, spread_of_ceiling(*top)), "FLOP/s"),
      top->mixed_precision ? "of its precisions" : peak->name, scope_text(it, evaluation.cores));
  const double all = cores_of(it.machine);
  const auto of_all = peak_for(it, all);
  const auto whole = of_all ? rate_of_region(evaluation, {*of_all}) : std::nullopt;
  if (whole && evaluation.cores < all && whole->per_s > peak->per_s)
    text +=
        fmt::format(", {} on all {}",
                    with_prefix(within_share(whole->per_s, spread_of_ceiling(*of_all)), "FLOP/s"),
                    cores_text(all));
  return text;
}

std::string ridge_text(const Case& it, const Roofline& roofline) {
  const Part* part = binding_part(it.time);
  if (!part || it.is_sum) return "";
  const auto level = roofline.levels.find(part->kind == Kind::memory ? part->name
                                          : is_gpu(it.machine)       ? "HBM"
                                                                     : "DRAM");
  if (level == roofline.levels.end() || level->second.intensity <= 0) return "";
  const LevelPlacement& place = level->second;
  const double cores = cores_of(it.machine);
  const double spread = std::hypot(part->amount_uncertainty, it.evaluation.flop_uncertainty);
  return fmt::format("; {} FLOP/B at {} {} the machine's ridge of {}{}",
                     plain(place.intensity, spread), level->first,
                     place.intensity < place.ridge ? "is below" : "is above",
                     plain(place.ridge, uncertainty_of(part->ceiling)),
                     cores > 1 ? ", which is of all " + cores_text(cores) : "");
}

/// What is sure although no verdict can be given.
std::string known_text(const Case& it) {
  const Part* compute = largest(it.evaluation.machine, Kind::compute);
  if (!compute || !it.evaluation.wall_s) return "";
  return fmt::format("; its FLOPs alone would take {} of {} at the machine's peak{}",
                     duration(within_share(compute->seconds, compute->uncertainty)), wall_text(it),
                     scope_text(it, cores_of(it.machine)));
}

std::string suspect_text(const Case& it) {
  const Part* part = binding_part(it.time);
  if (part->source == Source::modelled) return "the modelled bytes or that ceiling is wrong";
  if (part->source == Source::declared) return "the declaration or that ceiling is wrong";
  return "that ceiling was measured too low or the count is too high";
}

std::string instructions_text(const Case& it) {
  const auto ipc = instructions_per_cycle(it);
  return ipc ? fmt::format("; {} instructions per cycle", plain(*ipc)) : "";
}

std::string too_small_text(const Case& it) {
  const double wall_s = it.evaluation.wall_s.value_or(0);
  if (!is_time(it.region.marker_s))
    return fmt::format("its {} hold no more than a marker can tell", duration(wall_s));
  return fmt::format("the markers took {} beside the {} of the region itself",
                     duration(it.region.marker_s), duration(wall_s));
}

/// "MPI calls took 0.4 s of a mean rank's 0.5 s (80 %); rank 3 was in them for 2 ms, rank 0 for 0.5
/// s"
std::string communication_text(const Case& it) {
  std::string text = fmt::format("MPI calls took {} of {}{} ({})", duration(it.region.mpi_s->value),
                                 it.region.ranks ? "a mean rank's " : "",
                                 duration(mean_rank_s(it.region).value_or(0)),
                                 percent_text(communication_share(it).value_or(0)));
  const auto& spread = it.region.mpi_ranks;
  if (!spread) return text;
  text += fmt::format(": {} of rank {}, {} of rank {}", duration(spread->min_s), spread->min_rank,
                      duration(spread->max_s), spread->max_rank);
  if (const auto awaited = awaited_rank(it))
    text += fmt::format(", which waits for rank {}", *awaited);
  return text;
}

/// "between its kernels the GPU was idle for 3 ms of 4 ms (75 %)"
std::string launch_text(const Case& it) {
  const auto facts = launch_facts(it);
  if (!facts) return "launching its kernels takes the time";
  return fmt::format(
      "{} the GPU was idle for {} of {} ({}), and the host was in {} calls that launch for {}; a "
      "launch runs for {} on average",
      it.region.kernel ? "between the kernels of its region" : "between its kernels",
      duration(facts->idle_s), duration(facts->span_s), percent_text(facts->idle_s / facts->span_s),
      facts->calls, duration(facts->launch_s), duration(facts->kernel_mean_s));
}

std::string sentence(const Case& it, const Roofline& roofline) {
  const std::string& detail = roofline.verdict_detail;
  switch (roofline.verdict) {
    case Verdict::too_small:
      return too_small_text(it);
    case Verdict::undetermined:
      return detail + known_text(it);
    case Verdict::above_roof:
      return explained_text(it) + ", which can't be: " + suspect_text(it);
    case Verdict::no_flop:
      return "no floating-point work; " +
             (it.evaluation.main_memory_uncounted ? detail : explained_text(it)) +
             instructions_text(it);
    case Verdict::latency:
      if (detail == "not running")
        return fmt::format("its threads kept only {} of a core busy; {}",
                           plain(it.region.cores_used->value), all_ceilings_text(it));
      return all_ceilings_text(it) + scalar_text(it) + instructions_text(it);
    case Verdict::serial:
      return fmt::format("its {} threads kept only {} busy: the others would give up to {}; {}",
                         it.region.threads, cores_text(it.evaluation.cores),
                         gain_text(gain_of_idle_cores(it), 0), explained_text(it));
    case Verdict::imbalanced:
      if (it.region.ranks)
        return fmt::format(
            "rank {} took {}, {} of the ranks' mean: even shares would give up to {}; {}",
            it.region.ranks->max_rank, duration(it.region.ranks->max_s),
            percent_text(it.region.imbalance.value_or(1)), gain_text(gain_of_balance(it), 0),
            explained_text(it));
      return fmt::format(
          "its longest thread took {} of the mean: even shares would give up to {}; {}",
          percent_text(it.region.imbalance.value_or(1)), gain_text(gain_of_balance(it), 0),
          explained_text(it));
    case Verdict::at_roof:
      return fmt::format("{} of the machine's topmost roof; {}",
                         percent_text(roofline.fraction.value_or(0)), explained_text(it));
    case Verdict::memory:
    case Verdict::compute:
    case Verdict::balanced:
      return explained_text(it) + scalar_text(it) + ridge_text(it, roofline);
    case Verdict::communication:
      return communication_text(it) + "; " + explained_text(it);
    case Verdict::launch:
      return launch_text(it) + "; " + explained_text(it);
  }
  return "";
}

}  // namespace

std::string why(const Case& it, const Roofline& roofline) {
  std::string text = sentence(it, roofline);
  if (text.empty()) return text;
  // A sentence begins with a capital, unless it begins with a name ("f64 avx2 fma work ...").
  const bool name = text.starts_with("f64") || text.starts_with("f32") || text.starts_with("f16") ||
                    text.starts_with("tensor ");
  if (!name && text[0] >= 'a' && text[0] <= 'z') text[0] = char(text[0] - 'a' + 'A');
  return text + ".";
}

}  // namespace roofmark::model
