#include "projection_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"
#include "numbers.hpp"
#include "region_row.hpp"
#include "sections.hpp"

namespace roofmark {
namespace {

using namespace report;
using namespace text;

double own_time(const Region& region) {
  return region.self.wall_s ? region.self.wall_s->value : 0;
}

/// The line on which this one would lie.
ChartCeiling* same_line(Chart& chart, const ChartCeiling& ceiling) {
  for (ChartCeiling& line : chart.ceilings)
    if (line.kind == ceiling.kind && line.emphasised && line.per_s.value == ceiling.per_s.value)
      return &line;
  return nullptr;
}

/// A region and its time take some 34 columns, a roof up to 24.
std::size_t roofs_beside(unsigned width) {
  return width < 82 ? 1 : (width - 34) / 24;
}

std::string cell_of(const Projected& projected, double time_s, bool utf8) {
  if (!projected.at_best_s) return "-";
  std::string text = duration(*projected.at_best_s, utf8);
  // Nothing is faster than its roof, but a measurement may be by its noise.
  if (*projected.at_best_s > 0 && time_s > 0)
    text += fmt::format(" {}x", significant(time_s / *projected.at_best_s, 2));
  return projected.binding.empty() ? text : text + " " + printable(projected.binding);
}

}  // namespace

std::string projection_text(const Profile& profile, const std::vector<NamedRoof>& roofs,
                            const TextOptions& options) {
  const auto clean = [&](const std::string& raw) {
    return options.utf8 ? printable(raw) : printable_ascii(raw);
  };
  std::vector<Projection> rows = project(profile, roofs);
  std::stable_sort(rows.begin(), rows.end(), [&](const Projection& a, const Projection& b) {
    return own_time(profile.regions[a.region]) > own_time(profile.regions[b.region]);
  });
  std::vector<const Projection*> shown;
  std::size_t unknown = 0;
  for (const Projection& row : rows) {
    if (std::none_of(row.roofs.begin(), row.roofs.end(),
                     [](const Projected& p) { return p.at_best_s.has_value(); }))
      ++unknown;
    else if (options.rows == 0 || shown.size() < options.rows)
      shown.push_back(&row);
  }
  std::string text = painted("Under other roofs", "1", options.colour) + "\n";
  // As many roofs beside one another as there is room for; the others below.
  const std::size_t together = roofs_beside(options.width);
  for (std::size_t first = 0; first < roofs.size(); first += together) {
    const std::size_t end = std::min(roofs.size(), first + together);
    std::vector<TextColumn> columns{{"Region", false, 60, 0, true}, {"Time", true, 9, 0, false}};
    for (std::size_t i = first; i < end; ++i)
      columns.push_back({clean(roofs[i].name), true, 36, 0, false});
    TextTable table(columns);
    for (const Projection* row : shown) {
      const Region& region = profile.regions[row->region];
      std::vector<TextCell> cells{{clean(path_text(region.path)), ""},
                                  {duration(own_time(region), options.utf8), ""}};
      for (std::size_t i = first; i < end; ++i)
        cells.push_back({clean(cell_of(row->roofs[i], own_time(region), options.utf8)), ""});
      table.add(std::move(cells));
    }
    text += (first == 0 ? "" : "\n") + table.render(options.width, options.utf8, options.colour);
  }
  std::string foot =
      "Time: of the region without its children, as measured. Under each roof: the time below "
      "which "
      "no run can get with this work and these bytes, by how much that would be faster, and the "
      "ceiling that then binds. What the ceilings do not explain (latency, waiting) comes on top. "
      "The bytes are those of the caches that they were counted with: others would let others "
      "through.";
  if (unknown > 0)
    foot += fmt::format(" {} region{} without a bound {} left out.", unknown,
                        unknown == 1 ? "" : "s", unknown == 1 ? "is" : "are");
  for (const std::string& line : wrapped(foot, options.width))
    text += painted(line, "2", options.colour) + "\n";
  return text;
}

namespace {

double highest(const std::vector<ChartCeiling>& lines, ChartCeiling::Kind kind) {
  double top = 0;
  for (const ChartCeiling& line : lines)
    if (line.kind == kind) top = std::max(top, line.per_s.value);
  return top;
}

/// Each line ends where it meets its own roof: no other's.
void end_at_their_roof(std::vector<ChartCeiling>& lines) {
  using Kind = ChartCeiling::Kind;
  const double peak = highest(lines, Kind::compute), fastest = highest(lines, Kind::bandwidth);
  for (ChartCeiling& line : lines) line.ends_at = line.kind == Kind::compute ? fastest : peak;
}

}  // namespace

void add_roofs(Chart& chart, const Profile& profile, const std::vector<NamedRoof>& roofs) {
  if (!roofs.empty()) end_at_their_roof(chart.ceilings);
  const std::vector<RegionRow> rows = rows_of(profile, {});
  Profile there;
  there.regions = profile.regions;  // which ceilings there are hangs on what ran
  for (const NamedRoof& roof : roofs) {
    there.machine = roof.machine;
    std::vector<ChartCeiling> lines = own_roof(there, rows);
    end_at_their_roof(lines);
    for (ChartCeiling& ceiling : lines) {
      // In common: it goes as far as either needs.
      if (ChartCeiling* line = same_line(chart, ceiling)) {
        line->ends_at = std::max(line->ends_at, ceiling.ends_at);
        continue;
      }
      ceiling.roof = roof.name;
      ceiling.name = roof.name + ": " + ceiling.name;
      ceiling.emphasised = false;
      chart.ceilings.push_back(std::move(ceiling));
    }
  }
  chart.notes.insert(chart.notes.begin(),
                     "Dashed lines with a name before the colon are other roofs; the points were "
                     "measured under the first.");
}

}  // namespace roofmark
