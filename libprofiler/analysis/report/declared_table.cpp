#include "declared_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"
#include "numbers.hpp"
#include "text_regions.hpp"

namespace roofmark::report {
using namespace text;

namespace {

/// The main memory that most regions have bytes of.
std::string memory_of(const Profile& profile) {
  for (const Region& region : profile.regions)
    for (const auto& [level, traffic] : region.work.bytes)
      if (distance_of_level(level) >= 100) return level;
  return "DRAM";
}

Figure declared(const std::optional<Count>& count) {
  Figure figure;
  if (!count) return figure;
  figure.number = Interval{static_cast<double>(count->value), {}, {}};
  figure.source = Source::declared;
  return figure;
}

Figure counted_bytes(const Work& work, const std::string& level) {
  Figure bytes = bytes_at(work, level, {});
  return bytes && bytes.source != Source::declared ? bytes : Figure{};
}

std::string text_of(const Figure& figure, std::string_view unit) {
  if (!figure) return "-";
  return with_prefix(figure.interval(), unit);
}

std::string ratio_text(const Figure& figure) {
  if (!figure) return "-";
  if (figure.value() > 0 && figure.value() < 0.001) return "<0.001";
  return significant_padded(figure.interval());
}

constexpr const char* explained =
    "counted per declared: FLOPs near 1 where the formula and the count are right, above 1 where "
    "more was done than the algorithm needs; bytes above 1 are traffic that better blocking could "
    "save, below 1 data that was in a cache.";

}  // namespace

Figure counted_flop(const Work& work) {
  Figure all;
  for (const Rate& rate : rates_of(work, {})) {
    if (!rate.flop || rate.flop.source == Source::declared) continue;
    if (!all) {
      all = rate.flop;
      continue;
    }
    const Interval& more = *rate.flop.number;
    Interval& sum = *all.number;
    const bool low = sum.low || more.low, high = sum.high || more.high;
    const double low_sum = sum.low.value_or(sum.value) + more.low.value_or(more.value);
    const double high_sum = sum.high.value_or(sum.value) + more.high.value_or(more.value);
    sum.value += more.value;
    if (low) sum.low = low_sum;
    if (high) sum.high = high_sum;
  }
  return all;
}

DeclaredTable declared_table(const Profile& profile, const std::vector<RegionRow>& rows) {
  DeclaredTable table;
  table.level = memory_of(profile);
  bool any = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Region& region = profile.regions[rows[i].region];
    if (!region.self.declared_flop && !region.self.declared_bytes) continue;
    DeclaredRow row;
    row.row = i;
    row.path = rows[i].path;
    row.declared_flop = declared(region.self.declared_flop);
    row.declared_bytes = declared(region.self.declared_bytes);
    if (row.declared_flop) row.counted_flop = counted_flop(region.work);
    if (row.declared_bytes) row.counted_bytes = counted_bytes(region.work, table.level);
    row.flop_ratio = ratio(row.counted_flop, row.declared_flop);
    row.bytes_ratio = ratio(row.counted_bytes, row.declared_bytes);
    any = any || row.counted_flop || row.counted_bytes;
    table.rows.push_back(std::move(row));
  }
  if (!any) table.rows.clear();
  return table;
}

std::string declared_text(const Profile& profile, const std::vector<RegionRow>& rows,
                          const TextOptions& options) {
  const DeclaredTable declared = declared_table(profile, rows);
  const std::vector<std::size_t> heavy = heaviest(profile, rows, options.rows);
  const std::set<std::size_t> shown(heavy.begin(), heavy.end());
  TextTable table({{"  Region", false, 400, 0, true},
                   {"FLOP", true, 11, 1, false},
                   {"counted", true, 11, 2, false},
                   {"ratio", true, 7, 0, false},
                   {declared.level + " bytes", true, 11, 3, false},
                   {"counted", true, 11, 4, false},
                   {"ratio", true, 7, 0, false}});
  std::size_t lines = 0;
  for (const DeclaredRow& row : declared.rows) {
    if (!shown.contains(row.row)) continue;
    ++lines;
    table.add({{"  " + (options.utf8 ? printable(row.path) : printable_ascii(row.path)), ""},
               {text_of(row.declared_flop, ""), ""},
               {text_of(row.counted_flop, ""), ""},
               {ratio_text(row.flop_ratio), ""},
               {text_of(row.declared_bytes, "B"), ""},
               {text_of(row.counted_bytes, "B"), ""},
               {ratio_text(row.bytes_ratio), ""}});
  }
  if (lines == 0) return "";
  return table.render(options.width, options.utf8, options.colour) +
         indented(std::string("ratio: ") + explained, 2, 2, options.width);
}

std::string declared_markdown(const Profile& profile, const std::vector<RegionRow>& rows,
                              const std::vector<std::size_t>& shown) {
  const DeclaredTable table = declared_table(profile, rows);
  const std::set<std::size_t> wanted(shown.begin(), shown.end());
  std::string lines;
  for (const DeclaredRow& row : table.rows)
    if (wanted.contains(row.row))
      lines += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", markdown(row.path),
                           text_of(row.declared_flop, ""), text_of(row.counted_flop, ""),
                           ratio_text(row.flop_ratio), text_of(row.declared_bytes, "B"),
                           text_of(row.counted_bytes, "B"), ratio_text(row.bytes_ratio));
  if (lines.empty()) return "";
  return fmt::format(
      "\n**Declared against counted**\n\n| Region | FLOP declared | counted | ratio | {} bytes "
      "declared | counted | ratio |\n|---|--:|--:|--:|--:|--:|--:|\n{}\nRatio: {}\n",
      markdown(table.level), lines, explained);
}

std::string declared_html(const Profile& profile, const std::vector<RegionRow>& rows,
                          const std::vector<std::size_t>& shown) {
  const DeclaredTable table = declared_table(profile, rows);
  const std::set<std::size_t> wanted(shown.begin(), shown.end());
  std::string lines;
  for (const DeclaredRow& row : table.rows) {
    if (!wanted.contains(row.row)) continue;
    lines += fmt::format("<tr><td class=\"left\">{}</td>", markup(row.path));
    for (const std::string& text : {text_of(row.declared_flop, ""), text_of(row.counted_flop, ""),
                                    ratio_text(row.flop_ratio), text_of(row.declared_bytes, "B"),
                                    text_of(row.counted_bytes, "B"), ratio_text(row.bytes_ratio)})
      lines += fmt::format("<td>{}</td>", markup(text));
    lines += "</tr>\n";
  }
  if (lines.empty()) return "";
  return fmt::format(
      "<h2>Declared against counted</h2>\n<div class=\"scroll\"><table id=\"declared\"><thead><tr>"
      "<th class=\"left\" scope=\"col\">Region</th><th scope=\"col\">FLOP declared</th>"
      "<th scope=\"col\">counted</th><th scope=\"col\">ratio</th>"
      "<th scope=\"col\">{} bytes declared</th><th scope=\"col\">counted</th>"
      "<th scope=\"col\">ratio</th></tr></thead>\n<tbody>\n{}</tbody></table></div>\n"
      "<p>Ratio: {}</p>\n",
      markup(table.level), lines, markup(explained));
}

}  // namespace roofmark::report
