// Charts as data: from a profile, a machine or given numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <roofmark/report.hpp>
#include <roofmark/roofline.hpp>
#include <set>

#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/text/plain_text.hpp"
#include "chart_ceilings.hpp"
#include "numbers.hpp"
#include "region_row.hpp"
#include "roof_share.hpp"

namespace roofmark {
namespace {

/// "40 % of the roof"; of what is above another than the machine's, of which.
std::string roof_note(const report::RegionRow& row) {
  const std::string of = report::share_beside_verdict(row).of;
  std::string text = report::roof_percent(row);
  if (text.ends_with('%')) text.insert(text.size() - 1, " ");
  return text + " of the roof" + (of.empty() ? "" : " " + of);
}

using namespace report;
using namespace text;

std::string machine_line(const Machine& machine) {
  const auto field = [&](const char* name) {
    const auto found = machine.identity.find(name);
    return found == machine.identity.end() ? std::string() : printable(found->second);
  };
  std::string text = field("cpu_model");
  if (machine.topology.cores > 0 && machine.identity.count("kind") == 0)
    text += fmt::format("{}{} core{}", text.empty() ? "" : ", ", machine.topology.cores,
                        machine.topology.cores == 1 ? "" : "s");
  return text;
}

bool has_place(const Figure& figure) {
  return figure && figure.value() > 0;
}

ChartPoint point_of(const RegionRow& row, const Region& region, const Rate& rate,
                    const Figure& intensity, const std::string& level, bool several,
                    bool visits_are_its_own) {
  ChartPoint point;
  point.name = several ? row.path + " (" + rate.unit + ")" : row.path;
  point.region = row.region;
  point.level = level;
  point.precision = rate.unit;
  point.intensity = *intensity.number;
  point.flop_per_s = *rate.flop_per_s.number;
  // Visits hold the children's time too: without these their scatter is another's.
  if (const auto scatter = scatter_of_visits(region); scatter && visits_are_its_own) {
    point.visits_low = point.flop_per_s.value * scatter->low;
    point.visits_high = point.flop_per_s.value * scatter->high;
    point.visits_differ = region.flags.contains("visits_differ");
  }
  point.share = row.share.number;
  point.weight = row.share ? std::clamp(row.share.value(), 0.0, 1.0) : 0;
  if (row.roofline) {
    // The ridge is that of the precision that was judged; another one's is not in the profile.
    if (row.roofline->precision.empty() || row.roofline->precision == point.precision ||
        rate.unit == "any")
      point.side = side_at(*row.roofline, level);
    point.verdict = row.roofline->verdict;
  }
  if (row.fraction && point.precision == row.precision) point.note = roof_note(row);
  if (row.flop_source && row.bytes_source)
    point.note += fmt::format("{}FLOPs {}, bytes {}", point.note.empty() ? "" : ", ",
                              spelling(*row.flop_source), spelling(*row.bytes_source));
  return point;
}

/// "Not drawn: solve/dot, setup and 3 more (no FLOPs)."; those with the most time are named.
std::string undrawn_text(const std::string& why,
                         std::vector<std::pair<double, std::string>>& regions) {
  constexpr std::size_t most_named = 4;
  std::stable_sort(regions.begin(), regions.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string names;
  for (std::size_t i = 0; i < std::min(most_named, regions.size()); ++i)
    names += (i > 0 ? ", " : "") + elided(regions[i].second, 40);
  if (regions.size() > most_named)
    names += fmt::format(" and {} more", regions.size() - most_named);
  return fmt::format("Not drawn: {} ({}).", names, printable(why));
}

/// A second precision gets a point of its own where it is a visible part of the work.
constexpr double visible_share = 0.1;

}  // namespace

Chart chart_of(const Profile& profile, const ChartOptions& options) {
  Chart chart;
  const std::string locus = options.locus.empty() ? default_locus(profile) : options.locus;
  const std::string level = options.level.empty() ? default_level(profile, locus) : options.level;
  // A GPU's roof is its own: the host's regions are on another chart.
  const Gpu* const gpu = gpu_of(profile.machine, device_of_locus(locus));
  const Machine machine = gpu != nullptr   ? machine_of(*gpu)
                          : locus == "cpu" ? profile.machine
                                           : Machine{};
  for (const std::string& word : profile.program.command)
    chart.title += (chart.title.empty() ? "" : " ") + printable(word);
  chart.title = elided(chart.title.empty() ? "Roofline" : chart.title, 80);
  chart.linear = options.linear;
  chart.subtitle = fmt::format("{}{}FLOPs per byte of {} traffic, {}", machine_line(machine),
                               machine_line(machine).empty() ? "" : "; ", printable(level),
                               locus != "cpu" ? "kernels"
                               : options.self ? "regions without their children"
                                              : "regions with their children");

  std::set<Precision> precisions;
  std::set<std::string> tensor;
  std::map<std::string, std::vector<std::pair<double, std::string>>> undrawn;
  for (const RegionRow& row : rows_of(profile, {options.self, level})) {
    const Region& region = profile.regions[row.region];
    if (locus_of(region) != locus) continue;
    const Work& work = options.self ? region.self : region.work;
    const Figure bytes = bytes_for_intensity(region, work, level_for(region, level));
    const std::vector<Rate> rates = rates_of(work, region.missing);
    double total = 0;
    for (const Rate& rate : rates) total += rate.flop.value();
    std::size_t drawn = 0;
    for (const Rate& rate : rates) {
      const Figure intensity = ratio(rate.flop, bytes);
      if (!has_place(intensity) || !has_place(rate.flop_per_s)) continue;
      if (drawn > 0 && rate.flop.value() < visible_share * total) continue;
      const bool several = rates.size() > 1 && rates[1].flop.value() >= visible_share * total;
      chart.points.push_back(
          point_of(row, region, rate, intensity, level, several, row.leaf || !options.self));
      if (rate.unit.starts_with("tensor "))
        tensor.insert(rate.unit.substr(7));
      else
        precisions.insert(rate.precision == Precision::any ? Precision::f64 : rate.precision);
      ++drawn;
    }
    if (drawn == 0) {
      std::string why = "no FLOPs";
      if (!row.flop_per_s)
        why = row.flop_per_s.quantity + ": " + row.flop_per_s.reason;
      else if (row.flop_per_s.value() > 0 && !row.intensity)
        why = row.intensity.quantity + ": " + row.intensity.reason;
      undrawn[why].emplace_back(row.share.value(), row.path);
    }
  }
  std::stable_sort(chart.points.begin(), chart.points.end(),
                   [](const ChartPoint& a, const ChartPoint& b) { return a.weight > b.weight; });
  if (chart.points.size() > options.points) {
    chart.notes.push_back(fmt::format("The {} points with the most time are drawn, of {}.",
                                      options.points, chart.points.size()));
    chart.points.resize(options.points);
  }
  for (auto& [why, regions] : undrawn) chart.notes.push_back(undrawn_text(why, regions));
  if (precisions.empty()) precisions.insert(gpu != nullptr ? Precision::f32 : Precision::f64);
  chart.ceilings = gpu != nullptr ? gpu_chart_ceilings(machine, precisions, tensor)
                                  : chart_ceilings(machine, precisions);
  if (chart.ceilings.empty())
    chart.notes.push_back(gpu != nullptr ? "No ceilings of this GPU are known."
                                         : "No ceilings: this machine was not measured.");
  fit_axes(chart);
  return chart;
}

Chart chart_of(const Machine& machine) {
  Chart chart;
  chart.title = "Roofs of this machine";
  chart.subtitle = machine_line(machine);
  chart.ceilings = chart_ceilings(machine, {Precision::f64, Precision::f32});
  chart.notes = machine.notes;
  fit_axes(chart);
  return chart;
}

Chart chart_of(const GivenNumbers& given) {
  Chart chart;
  chart.title = "Roofline from given numbers";
  const auto add = [&](const GivenNumber& number, ChartCeiling::Kind kind) {
    ChartCeiling line;
    line.kind = kind;
    line.name = number.name;
    line.detail = "given";
    line.per_s.value = number.value;
    line.source = Source::theoretical;
    chart.ceilings.push_back(line);
  };
  double peak = INFINITY, bandwidth = 0;
  for (const GivenNumber& number : given.bandwidths_bytes_per_s) {
    add(number, ChartCeiling::Kind::bandwidth);
    if (bandwidth == 0 || number.value < bandwidth) bandwidth = number.value;
  }
  double top = 0;
  for (const GivenNumber& number : given.peaks_flop_per_s) {
    add(number, ChartCeiling::Kind::compute);
    top = std::max(top, number.value);
  }
  if (top > 0) peak = top;
  for (const GivenKernel& kernel : given.kernels) {
    ChartPoint point;
    point.name = kernel.name;
    point.intensity.value = kernel.intensity;
    const double limit =
        roof(FlopPerSecond{peak}, BytesPerSecond{bandwidth}, Intensity{kernel.intensity}).value;
    point.flop_per_s.value = kernel.flop_per_s.value_or(limit);
    point.attainable = !kernel.flop_per_s;
    point.side =
        side_of(Intensity{kernel.intensity}, ridge(FlopPerSecond{peak}, BytesPerSecond{bandwidth}));
    point.verdict = point.side == Side::memory ? Verdict::memory : Verdict::compute;
    point.note = point.attainable ? "attainable at most"
                                  : percent_text(point.flop_per_s.value / limit) + " of the roof";
    point.weight = 0.1;
    chart.points.push_back(point);
  }
  fit_axes(chart);
  return chart;
}

}  // namespace roofmark
