#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/report/numbers.hpp"
#include "analysis/text/plain_text.hpp"
#include "sentences.hpp"

namespace roofmark::comparison {
namespace {

const Change* change_of(const std::map<std::string, Change>& changes, const char* quantity) {
  const auto found = changes.find(quantity);
  return found == changes.end() ? nullptr : &found->second;
}

/// The number that speaks for all runs in the place of this run's; its range goes with it.
void put(Interval& number, double value) {
  const double by = number.value > 0 ? value / number.value : 1;
  number.value = value;
  if (number.low) *number.low *= by;
  if (number.high) *number.high *= by;
}

/// "Without an arrow: solve, setup and 2 more (it is new)."
std::string without_arrow(const std::vector<std::string>& names, const std::string& why) {
  constexpr std::size_t most_named = 4;
  std::string list;
  for (std::size_t i = 0; i < std::min(most_named, names.size()); ++i)
    list += (i > 0 ? ", " : "") + text::elided(names[i], 40);
  if (names.size() > most_named) list += fmt::format(" and {} more", names.size() - most_named);
  return fmt::format("Without an arrow: {} ({}).", list, why);
}

}  // namespace

Chart chart_of(const Comparison& comparison, const Profile& after) {
  ChartOptions options;
  options.level = comparison.level;
  options.self = false;
  Chart chart = roofmark::chart_of(after, options);
  const PointChange not_compared;
  std::size_t still = 0;
  std::map<std::string, std::vector<std::string>> unknown;  // why: of which regions
  for (ChartPoint& point : chart.points) {
    if (!point.region) continue;
    const auto& path = after.regions[*point.region].path;
    const auto region = std::find_if(comparison.regions.begin(), comparison.regions.end(),
                                     [&](const RegionChange& one) { return one.path == path; });
    if (region == comparison.regions.end()) continue;
    if (!region->before.present) {
      unknown["it is new"].push_back(point.name);
      continue;
    }
    // A region has a point for each of its precisions, and each of these came from its own place.
    const auto own = region->points.find(point.precision);
    const PointChange& moved = own == region->points.end() ? not_compared : own->second;
    const Change* x = change_of(moved.changes, "intensity");
    const Change* y = change_of(moved.changes, "flop_per_s");
    if (x == nullptr || y == nullptr) {
      const char* const quantity = x == nullptr ? "intensity" : "flop_per_s";
      const auto reason = moved.absent.find(quantity);
      unknown[std::string(x == nullptr ? "intensity" : "rate") + ": " +
              (reason == moved.absent.end() ? "it was not compared" : reason->second)]
          .push_back(point.name);
      continue;
    }
    const double faster = point.flop_per_s.value > 0 ? y->after / point.flop_per_s.value : 1;
    put(point.intensity, x->after);
    put(point.flop_per_s, y->after);
    if (point.visits_low) *point.visits_low *= faster;
    if (point.visits_high) *point.visits_high *= faster;
    if (!x->beyond_noise && !y->beyond_noise) {
      ++still;
      continue;
    }
    point.before = ChartPlace{x->before, y->before};
    if (const Change* time = change_of(region->changes, "time"))
      point.note = "time " + change_text(*time) + (point.note.empty() ? "" : ", ") + point.note;
  }
  const auto gone = std::count_if(
      comparison.regions.begin(), comparison.regions.end(),
      [](const RegionChange& one) { return one.before.present && !one.after.present; });
  // The axes were fitted to where the points are; where they were has to be inside as well.
  chart.x_min = chart.x_max = chart.y_min = chart.y_max = 0;
  fit_axes(chart);
  for (const auto& [why, names] : unknown) chart.notes.push_back(without_arrow(names, why));
  if (gone > 0)
    chart.notes.push_back(fmt::format("Not drawn: {} region{} of the runs before, gone after.",
                                      gone, gone == 1 ? "" : "s"));
  if (still > 0)
    chart.notes.insert(
        chart.notes.begin(),
        fmt::format("Without an arrow: {} point{} that did not move beyond the noise.", still,
                    still == 1 ? "" : "s"));
  return chart;
}

}  // namespace roofmark::comparison
