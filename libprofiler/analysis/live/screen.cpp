#include "screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <roofmark/report.hpp>
#include <roofmark/roofline.hpp>

#include "analysis/report/numbers.hpp"
#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"

namespace roofmark::live {
namespace {

using namespace text;

const Region* whole_of(const Profile& profile) {
  for (const Region& region : profile.regions)
    if (region.path.empty()) return &region;
  return nullptr;
}

std::string cores_text(const Region& whole) {
  if (!whole.work.wall_s || !(whole.work.wall_s->value > 0) || !whole.work.thread_s) return "";
  return ", " + report::significant(whole.work.thread_s->value / whole.work.wall_s->value, 2) +
         " cores busy since the start";
}

std::string mean_visit(const Region& region, bool utf8) {
  if (region.visits == 0 || !region.work.thread_s) return "-";
  return report::duration(region.work.thread_s->value / static_cast<double>(region.visits), utf8);
}

std::string table_of(const Snapshot& now, const std::vector<Row>& rows, std::size_t most,
                     const ScreenOptions& options) {
  const bool bytes = !now.level.empty();
  std::vector<TextColumn> columns = {{"Region", false, 60, 0, true},
                                     {"Now", true, 6, 0, false},
                                     {"Visits/s", true, 9, 2, false},
                                     {"Time", true, 9, 0, false},
                                     {"Visits", true, 9, 1, false},
                                     {"Mean", true, 9, bytes ? 4 : 3, false},
                                     {"GFLOP/s", true, 8, bytes ? 3 : 4, false}};
  if (bytes) columns.push_back({"GB/s", true, 8, 3, false});
  TextTable table(columns);
  std::size_t shown = 0;
  for (const Row& row : rows) {
    const Region& region = now.profile.regions[row.region];
    if (region.path.empty()) continue;
    if (shown++ == most) break;
    const std::string name = path_text(region.path);
    std::vector<TextCell> cells = {
        {options.utf8 ? printable(name) : printable_ascii(name), row.open ? "1" : ""},
        {fmt::format("{:.2f}", row.busy_threads), ""},
        {report::whole(row.visits_per_s), ""},
        {region.work.thread_s ? report::duration(region.work.thread_s->value, options.utf8) : "-",
         ""},
        {report::whole(static_cast<double>(region.visits)), ""},
        {mean_visit(region, options.utf8), ""},
        {row.flop_per_s ? report::significant(*row.flop_per_s * 1e-9) : "-", ""}};
    if (bytes)
      cells.push_back({row.bytes_per_s ? report::significant(*row.bytes_per_s * 1e-9) : "-", ""});
    table.add(std::move(cells));
  }
  return table.render(options.width, options.utf8, options.colour);
}

/// What the numbers are.
std::string foot_of(const Snapshot& now, std::size_t hidden) {
  std::string foot = "Now: threads in its own work. Time: of all threads, its parts included.";
  if (!now.level.empty())
    foot += " GB/s: at " + now.level +
            (now.directions == "both" ? "." : ", " + now.directions + " alone is counted.");
  if (now.why_not_counted) foot += " No counts: " + *now.why_not_counted + ".";
  if (hidden > 0) foot += fmt::format(" {} more.", hidden);
  return foot;
}

}  // namespace

std::string screen(const Snapshot& now, const std::vector<Row>& rows, const std::string& title,
                   const ScreenOptions& options) {
  std::string text;
  const Region* const whole = whole_of(now.profile);
  std::string head = title;
  if (whole != nullptr && whole->work.wall_s)
    head += fmt::format(": {}{}", report::duration(whole->work.wall_s->value, options.utf8),
                        cores_text(*whole));
  text +=
      elided(options.utf8 ? printable(head) : printable_ascii(head), options.width, options.utf8) +
      "\n";
  const std::size_t regions = now.profile.regions.size() - (whole != nullptr ? 1 : 0);
  if (regions == 0)
    return text + "No region was entered so far: the program has no markers, or they come later.\n";
  // The chart takes half of what is left, if that is enough for one.
  constexpr std::size_t least_chart = 12;
  const std::size_t around_table = 2 + wrapped(foot_of(now, regions), options.width).size();
  const std::size_t left = options.height > around_table ? options.height - around_table : 1;
  Chart chart;
  if (options.chart) {
    ChartOptions drawn;
    chart = chart_of(now.profile, drawn);
  }
  const bool has_chart = !chart.points.empty() && left / 2 >= least_chart;
  const std::size_t most = has_chart ? left - left / 2 : left;
  text += table_of(now, rows, most, options);
  for (const std::string& line :
       wrapped(foot_of(now, regions > most ? regions - most : 0), options.width))
    text += line + '\n';
  if (!has_chart) return text;
  TerminalChartOptions drawn;
  drawn.width = options.width;
  drawn.height = static_cast<unsigned>(left / 2);
  drawn.utf8 = options.utf8;
  drawn.colour = options.colour;
  return text + render_terminal_chart(chart, drawn);
}

}  // namespace roofmark::live
