#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/numbers.hpp"
#include "sentences.hpp"

namespace roofmark::comparison {
namespace {

const Change* change_of(const RegionChange& region, const char* quantity) {
  const auto found = region.changes.find(quantity);
  return found == region.changes.end() ? nullptr : &found->second;
}

}  // namespace

Chart chart_of(const Comparison& comparison, const Profile& after) {
  ChartOptions options;
  options.level = comparison.level;
  options.self = false;
  Chart chart = roofmark::chart_of(after, options);
  std::size_t still = 0;
  for (ChartPoint& point : chart.points) {
    if (!point.region) continue;
    const auto& path = after.regions[*point.region].path;
    const auto region = std::find_if(comparison.regions.begin(), comparison.regions.end(),
                                     [&](const RegionChange& one) { return one.path == path; });
    if (region == comparison.regions.end()) continue;
    const Change* x = change_of(*region, "intensity");
    const Change* y = change_of(*region, "flop_per_s");
    if (x == nullptr || y == nullptr) continue;
    point.intensity.value = x->after;
    point.flop_per_s.value = y->after;
    if (!x->beyond_noise && !y->beyond_noise) {
      ++still;
      continue;
    }
    point.before = ChartPlace{x->before, y->before};
    if (const Change* time = change_of(*region, "time"))
      point.note =
          "time " + change_text(time->ratio) + (point.note.empty() ? "" : ", ") + point.note;
  }
  // The axes were fitted to where the points are; where they were has to be inside as well.
  chart.x_min = chart.x_max = chart.y_min = chart.y_max = 0;
  fit_axes(chart);
  if (still > 0)
    chart.notes.insert(
        chart.notes.begin(),
        fmt::format("{} region{} did not move beyond the noise.", still, still == 1 ? "" : "s"));
  return chart;
}

}  // namespace roofmark::comparison
