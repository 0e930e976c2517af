#include "theory.hpp"

#include <algorithm>
#include <cmath>

namespace roofmark::cupti {
namespace {

GpuCeiling ceiling(const std::string& quantity, double per_cycle, double clock_hz, Source source) {
  GpuCeiling made;
  made.quantity = quantity;
  made.per_cycle = per_cycle;
  made.per_s = per_cycle * clock_hz;
  made.low = made.high = made.per_s;
  made.source = source;
  return made;
}

/// What a measured share of the theoretical ceiling is plausible at least: published ones of memory
/// are 0.8 to 0.97, of arithmetic 0.93 and more, of tensor units under a power cap 0.7.
double least_share(const std::string& quantity) {
  if (quantity.rfind("tensor.", 0) == 0) return 0.6;
  if (quantity.rfind("bytes.", 0) == 0) return 0.7;
  return 0.85;
}
/// Clocks and counts are known to a percent or two.
constexpr double most_share = 1.03;

const GpuCeiling* of_quantity(const std::vector<GpuCeiling>& all, const std::string& quantity) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const GpuCeiling& candidate) {
    return candidate.quantity == quantity;
  });
  return found == all.end() ? nullptr : &*found;
}

void flag(GpuCeiling& measured, const std::vector<GpuCeiling>& theoretical, bool is_highest) {
  const GpuCeiling* theory = of_quantity(theoretical, measured.quantity);
  if (theory == nullptr) return;
  // At the clock that was seen, where both are known per cycle of the same clock.
  const bool per_cycle = measured.per_cycle > 0 && theory->per_cycle > 0;
  const double share =
      per_cycle ? measured.per_cycle / theory->per_cycle : measured.per_s / theory->per_s;
  if (share > most_share) measured.flags.emplace_back("above_theory");
  if (is_highest && share < least_share(measured.quantity))
    measured.flags.emplace_back("below_theory");
}

}  // namespace

std::vector<GpuCeiling> theoretical_ceilings(const Chip& chip, const DeviceFacts& facts) {
  std::vector<GpuCeiling> all;
  if (facts.sm_clock_hz && facts.multiprocessors > 0)
    for (const TheoreticalPeak& peak : chip.theory)
      all.push_back(ceiling(peak.quantity, peak.per_sm_cycle * facts.multiprocessors,
                            *facts.sm_clock_hz, Source::theoretical));
  // Host memory is shared with the cores, and its clock is not what the driver says.
  if (facts.memory_clock_hz && facts.memory_bus_bits > 0 && !facts.integrated)
    all.push_back(ceiling("bytes.HBM", 2.0 * facts.memory_bus_bits / 8, *facts.memory_clock_hz,
                          Source::theoretical));
  return all;
}

std::vector<GpuCeiling> derived_ceilings(const Chip& chip,
                                         const std::map<std::string, double>& values) {
  const auto value_of = [&](const std::string& metric) {
    const auto found = values.find(metric);
    return found == values.end() || !std::isfinite(found->second) ? 0.0 : found->second;
  };
  std::vector<GpuCeiling> all;
  for (const PeakFormula& peak : chip.peaks) {
    const double per_cycle = peak.per_cycle.weight * value_of(peak.per_cycle.metric);
    const double clock_hz = value_of(peak.clock);
    if (!(per_cycle > 0) || !(clock_hz > 0)) continue;
    GpuCeiling made = ceiling(peak.quantity, per_cycle, clock_hz, Source::estimated);
    const auto known = std::find_if(all.begin(), all.end(), [&](const GpuCeiling& other) {
      return other.quantity == made.quantity;
    });
    if (known == all.end())
      all.push_back(std::move(made));
    else if (known->per_s < made.per_s)
      *known = std::move(made);
  }
  return all;
}

std::vector<GpuCeiling> in_order(std::vector<GpuCeiling> measured,
                                 const std::vector<GpuCeiling>& derived,
                                 const std::vector<GpuCeiling>& theoretical) {
  std::stable_sort(measured.begin(), measured.end(), [](const auto& one, const auto& other) {
    return one.quantity != other.quantity ? one.quantity < other.quantity : one.per_s > other.per_s;
  });
  for (std::size_t i = 0; i < measured.size(); ++i)
    flag(measured[i], theoretical, i == 0 || measured[i - 1].quantity != measured[i].quantity);
  std::vector<GpuCeiling> all = std::move(measured);
  all.insert(all.end(), derived.begin(), derived.end());
  all.insert(all.end(), theoretical.begin(), theoretical.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& one, const auto& other) {
    return one.quantity < other.quantity;
  });
  return all;
}

std::vector<std::string> theory_notes(const Chip& chip) {
  std::vector<std::string> notes;
  for (const TheoreticalPeak& peak : chip.theory)
    if (!peak.note.empty()) notes.push_back(peak.quantity + ": " + peak.note);
  return notes;
}

}  // namespace roofmark::cupti
