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

constexpr std::array<const char*, 6> titles = {"Min", "by", "Median", "Max", "by", "Max/mean"};

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
  for (const char* title : titles) columns.push_back({title, true, 10, 0, false});
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
  for (const char* title : titles) text += fmt::format("<th scope=\"col\">{}</th>", title);
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

}  // namespace roofmark::report
