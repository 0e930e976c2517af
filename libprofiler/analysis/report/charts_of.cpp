// One chart for each roof that a profile has regions under.
#include <fmt/format.h>

#include <algorithm>
#include <roofmark/report.hpp>
#include <set>

#include "analysis/roofline/gpu_machine.hpp"
#include "chart_ceilings.hpp"
#include "gpu_table.hpp"
#include "region_row.hpp"

namespace roofmark {
namespace {

/// More nobody looks at one under the other; each can be drawn by itself.
constexpr std::size_t most_charts = 16;

}  // namespace

std::vector<Chart> charts_of(const Profile& profile, const ChartOptions& options) {
  std::vector<Chart> charts{chart_of(profile, options)};
  if (!options.locus.empty()) return charts;
  const std::string first = default_locus(profile);
  std::size_t left_out = 0;
  for (const std::string& locus : loci_of(profile)) {
    if (locus == first) continue;
    if (charts.size() >= most_charts) {
      ++left_out;
      continue;
    }
    ChartOptions other = options;
    other.locus = locus;
    // A GPU may have no such interface.
    const std::vector<std::string> levels = report::levels_of(profile, locus);
    if (std::find(levels.begin(), levels.end(), options.level) == levels.end()) other.level.clear();
    Chart chart = chart_of(profile, other);
    if (chart.points.empty() && locus == "cpu") continue;
    chart.title = "Roofline of " +
                  (locus == "cpu" ? "the host"
                                  : report::gpu_name(profile, std::string(device_of_locus(locus))));
    charts.push_back(std::move(chart));
  }
  if (left_out > 0)
    charts.back().notes.push_back(
        fmt::format("{} more GPUs have no chart here: --locus gpu:UUID draws one.", left_out));
  return charts;
}

std::vector<Chart> charts_of(const Machine& machine) {
  std::vector<Chart> charts{chart_of(machine)};
  for (const Gpu& gpu : machine.gpus) {
    std::set<std::string> tensor;
    for (const GpuCeiling& ceiling : gpu.ceilings)
      if (ceiling.quantity.starts_with("tensor.")) tensor.insert(ceiling.quantity.substr(7));
    Chart chart;
    chart.title = "Roofs of " + (gpu.name.empty() ? gpu.uuid : gpu.name);
    chart.subtitle = gpu.uuid;
    chart.ceilings = report::gpu_chart_ceilings(
        machine_of(gpu), {Precision::f64, Precision::f32, Precision::f16}, tensor);
    chart.notes = gpu.notes;
    if (chart.ceilings.empty()) chart.notes.push_back("No ceilings of this GPU are known.");
    fit_axes(chart);
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace roofmark
