#include "rank_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"
#include "numbers.hpp"
#include "text_regions.hpp"

namespace roofmark::report {
using namespace text;

namespace {

constexpr std::array<const char*, 6> spread_titles = {"Min", "by", "Median",
                                                      "Max", "by", "Max/mean"};

std::string factor_of(const RankSpread& spread) {
  return spread.mean_s > 0 ? significant(spread.max_s / spread.mean_s) : "-";
}

std::array<std::string, 6> cells_of(const RankSpread& spread, bool utf8) {
  return {duration(spread.min_s, utf8),
          std::to_string(spread.min_rank),
          (spread.median_estimated ? "~" : "") + duration(spread.median_s, utf8),
          duration(spread.max_s, utf8),
          std::to_string(spread.max_rank),
          factor_of(spread)};
}

bool has_spread(const Profile& profile) {
  return std::any_of(profile.regions.begin(), profile.regions.end(),
                     [](const Region& region) { return region.ranks.has_value(); });
}

constexpr std::array<const char*, 8> waiting_titles = {"MPI",    "Share", "Least by", "Most by",
                                                       "Asleep", "Roof",  "Without",  "Work"};
constexpr const char* waiting_key =
    "MPI: time in MPI calls, of a mean rank, and its share of that rank's time; by: rank that was "
    "in them for the shortest and the "
    "longest time. Asleep: outside MPI calls, by looks at the program. Roof: share of the "
    "machine's "
    "roof, with that time and without it. Work: a mean rank's time without it.";

bool has_mpi(const Region& region) {
  return region.mpi_s && region.mpi_s->value > 0;
}

std::array<std::string, 8> waiting_cells(const Region& region, const RegionRow& row, bool utf8) {
  const double wall_s = mean_rank_s(region).value_or(0);
  const double mpi_s = region.mpi_s->value;
  const double asleep_s = region.off_cpu_s ? region.off_cpu_s->value : 0;
  const auto of = [&](double time_s, std::uint64_t rank) {
    return duration(time_s, utf8) + " " + std::to_string(rank);
  };
  const Roofline* const line = row.roofline;
  const auto& spread = region.mpi_ranks;
  return {duration(mpi_s, utf8),
          wall_s > 0 ? percent(std::min(1.0, mpi_s / wall_s)) : "-",
          spread ? of(spread->min_s, spread->min_rank) : "-",
          spread ? of(spread->max_s, spread->max_rank) : "-",
          region.off_cpu_s ? "~" + duration(asleep_s, utf8) : "-",
          line && line->fraction ? percent(*line->fraction, line->uncertainty) : "-",
          line && line->fraction_without_waiting
              ? percent(*line->fraction_without_waiting, line->uncertainty)
              : "-",
          duration(std::max(0.0, wall_s - mpi_s - asleep_s), utf8)};
}

}  // namespace

std::string job_text(const Program& program) {
  if (!program.ranks) return "";
  const JobRanks& job = *program.ranks;
  if (job.rank)
    return fmt::format("rank {} of {}", *job.rank, job.size) +
           (job.on_node ? fmt::format(", one of {} on its node", *job.on_node) : "");
  return (job.recorded == job.size ? fmt::format("{} ranks", job.size)
                                   : fmt::format("{} of {} ranks", job.recorded, job.size)) +
         fmt::format(" on {} node{}", job.nodes, job.nodes == 1 ? "" : "s");
}

std::string spread_text(const RankSpread& spread) {
  return fmt::format("{} (rank {}) to {} (rank {}), median {}{}, mean {}", duration(spread.min_s),
                     spread.min_rank, duration(spread.max_s), spread.max_rank,
                     spread.median_estimated ? "~" : "", duration(spread.median_s),
                     duration(spread.mean_s));
}

std::string ranks_text(const Profile& profile, const std::vector<RegionRow>& rows,
                       const TextOptions& options) {
  if (!has_spread(profile)) return "";
  std::vector<TextColumn> columns = {{"  Region", false, 400, 0, true}};
  for (const char* title : spread_titles) columns.push_back({title, true, 10, 0, false});
  TextTable table(columns);
  for (const std::size_t index : heaviest(profile, rows, options.rows)) {
    const RegionRow& row = rows[index];
    const auto& spread = profile.regions[row.region].ranks;
    if (!spread) continue;
    std::vector<TextCell> line = {
        {"  " + (options.utf8 ? printable(row.path) : printable_ascii(row.path)), ""}};
    for (std::string& cell : cells_of(*spread, options.utf8)) line.push_back({std::move(cell), ""});
    table.add(std::move(line));
  }
  return table.render(options.width, options.utf8, options.colour) +
         indented(
             "Wall time of each rank in the region; by: the rank's number. Above, a region's time "
             "is for how long any rank was in it, and its counts are sums over ranks.",
             2, 2, options.width);
}

std::string ranks_html(const Profile& profile, const std::vector<RegionRow>& rows,
                       const std::vector<std::size_t>& shown) {
  if (!has_spread(profile)) return "";
  std::string text =
      "<h2>Ranks</h2>\n<div class=\"scroll\"><table id=\"ranks\"><thead><tr>"
      "<th class=\"left\" scope=\"col\">Region</th>";
  for (const char* title : spread_titles) text += fmt::format("<th scope=\"col\">{}</th>", title);
  text += "</tr></thead>\n<tbody>\n";
  for (const std::size_t index : shown) {
    const RegionRow& row = rows[index];
    const auto& spread = profile.regions[row.region].ranks;
    if (!spread) continue;
    text += fmt::format("<tr><td class=\"left\">{}</td>", markup(row.path));
    for (const std::string& cell : cells_of(*spread, true))
      text += fmt::format("<td>{}</td>", markup(cell));
    text += "</tr>\n";
  }
  return text +
         "</tbody></table></div>\n<p>Wall time of each rank in the region; by: the rank's number. "
         "Above, a region's time is for how long any rank was in it, and its counts are sums over "
         "ranks.</p>\n";
}

std::string waiting_text(const Profile& profile, const std::vector<RegionRow>& rows,
                         const TextOptions& options) {
  std::vector<TextColumn> columns = {{"  Region", false, 400, 0, true}};
  for (std::size_t i = 0; i < waiting_titles.size(); ++i) {
    const bool last = i + 1 == waiting_titles.size();
    columns.push_back({waiting_titles[i], true, 14, last ? 1 : 0, false});
  }
  TextTable table(columns);
  bool any = false;
  for (const std::size_t index : heaviest(profile, rows, options.rows)) {
    const RegionRow& row = rows[index];
    const Region& region = profile.regions[row.region];
    if (!has_mpi(region)) continue;
    any = true;
    std::vector<TextCell> line = {
        {"  " + (options.utf8 ? printable(row.path) : printable_ascii(row.path)), ""}};
    for (std::string& cell : waiting_cells(region, row, options.utf8))
      line.push_back({std::move(cell), ""});
    table.add(std::move(line));
  }
  if (!any) return "";
  return table.render(options.width, options.utf8, options.colour) +
         indented(waiting_key, 2, 2, options.width);
}

std::string waiting_html(const Profile& profile, const std::vector<RegionRow>& rows,
                         const std::vector<std::size_t>& shown) {
  std::string body;
  for (const std::size_t index : shown) {
    const RegionRow& row = rows[index];
    const Region& region = profile.regions[row.region];
    if (!has_mpi(region)) continue;
    body += fmt::format("<tr><td class=\"left\">{}</td>", markup(row.path));
    for (const std::string& cell : waiting_cells(region, row, true))
      body += fmt::format("<td>{}</td>", markup(cell));
    body += "</tr>\n";
  }
  if (body.empty()) return "";
  std::string head;
  for (const char* title : waiting_titles) head += fmt::format("<th scope=\"col\">{}</th>", title);
  return fmt::format(
      "<h2>MPI time</h2>\n<div class=\"scroll\"><table id=\"mpi\"><thead><tr>"
      "<th class=\"left\" scope=\"col\">Region</th>{}</tr></thead>\n<tbody>\n{}</tbody></table>"
      "</div>\n<p>{}</p>\n",
      head, body, markup(waiting_key));
}

}  // namespace roofmark::report
