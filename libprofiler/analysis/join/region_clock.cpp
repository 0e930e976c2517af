#include "region_clock.hpp"

#include <algorithm>
#include <cmath>

namespace roofmark {
namespace {

/// The markers' scatter may be this share of the cycles, and the kernel's time this share of all,
/// where a clock is still called measured.
constexpr double narrow_enough = 0.01;
constexpr double ns_per_s = 1e9;

/// A region of several kinds of cores has no one clock: so much of its time is to be of one.
constexpr double of_one_kind = 0.999;

/// Where the plan counts a quantity that is one event of a thread, of each kind of core.
struct Place {
  std::size_t group = 0, event = 0;
};

std::vector<Place> places_of(const CounterPlan& plan, const RegionSums& sums,
                             const char* quantity) {
  std::vector<Place> places;
  for (const Formula* formula : plan.formulas) {
    if (formula->quantity != quantity || formula->scope != Scope::process) continue;
    if (formula->sum.size() != std::max(plan.kinds.size(), std::size_t{1})) continue;
    for (const FormulaTerm& term : formula->sum)
      for (std::size_t g = 0; term.weight == 1 && g < plan.groups.size(); ++g) {
        if (plan.groups[g].cpu >= 0 || sums[g].kind_share.value_or(1) < of_one_kind) continue;
        for (std::size_t e = 0; e < plan.groups[g].events.size(); ++e)
          if (plan.groups[g].events[e].name == term.event) places.push_back({g, e});
      }
  }
  return places;
}

double amount(const RegionSums& sums, Place place) {
  const EventSum& event = sums[place.group].events[place.event];
  if (!sums[place.group].complete() || !(event.unscaled > 0)) return 0;
  const double value = static_cast<double>(event.unscaled);
  return std::sqrt(static_cast<double>(event.variance)) <= narrow_enough * value ? value : 0;
}

Measure by_running(double cycles, double running_s, double system_s) {
  const double low = cycles / running_s;
  if (!(system_s > 0)) return {low, Source::measured, {}, {}};
  // All that the kernel did for the program may have been for this region, and then hardly ran it.
  const double user_s = std::max(running_s - system_s, 0.0);
  const bool narrow = system_s <= narrow_enough * running_s;
  Measure clock{low, narrow ? Source::measured : Source::estimated, low, {}};
  if (user_s > 0) clock.high = cycles / user_s;
  return clock;
}

}  // namespace

std::optional<Measure> region_clock(const MeasuredPasses& passes, const RegionSums& sums,
                                    const TimeFacts& facts) {
  const std::vector<Place> cycles = places_of(passes.plan, sums, "cycles");
  for (const Place& place : cycles)  // another kind of core has a clock of its own
    if (passes.plan.groups[place.group].pmu != passes.plan.groups[cycles.front().group].pmu)
      return std::nullopt;
  for (const Place& reference : places_of(passes.plan, sums, "reference_cycles"))
    for (const Place& place : cycles) {
      if (place.group != reference.group || !facts.reference_hz) continue;
      const double counted = amount(sums, place), constant = amount(sums, reference);
      if (counted > 0 && constant > 0)
        return Measure{counted / constant * *facts.reference_hz, Source::measured, {}, {}};
    }
  for (const Place& place : cycles) {
    const GroupSums& group = sums[place.group];
    const double counted = amount(sums, place);
    const double running_s = (group.running - group.running_cost) / ns_per_s;
    if (counted > 0 && running_s > 0) return by_running(counted, running_s, facts.system_s);
  }
  return std::nullopt;
}

}  // namespace roofmark
