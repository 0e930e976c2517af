#include "html_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/text/plain_text.hpp"
#include "numbers.hpp"
#include "roof_share.hpp"

namespace roofmark::report {
namespace {

using namespace text;

std::string cell(const Figure& figure, const std::string& text, const std::string& source,
                 Absences& absences, const std::string& path) {
  if (!figure) {
    const std::string mark = absences.mark_of(figure, path);
    return fmt::format("<td><span class=\"absent\" title=\"{}\">-<sup>{}</sup></span></td>",
                       markup(figure.reason + (figure.fix.empty() ? "" : "; " + figure.fix)), mark);
  }
  return fmt::format("<td>{}{}</td>", markup(text),
                     source.empty()
                         ? std::string()
                         : fmt::format("<span class=\"source\">{}</span>", markup(source)));
}

std::string spelt(const std::optional<Source>& source) {
  return source ? std::string(spelling(*source)) : std::string();
}

std::string verdict_cell(const RegionRow& row) {
  if (!row.roofline) return "<td class=\"left\"><span class=\"absent\">-</span></td>";
  std::string text(spelling(row.roofline->verdict));
  const std::string name = text;
  std::replace(text.begin(), text.end(), '_', ' ');
  if (!row.roofline->verdict_detail.empty()) text += " " + row.roofline->verdict_detail;
  return fmt::format("<td class=\"left\"><span class=\"verdict v-{}\">{}</span></td>", name,
                     markup(text));
}

}  // namespace

std::string regions_head() {
  std::string text = "<thead><tr>";
  static constexpr struct {
    const char *column, *title, *hint, *classes;
  } heads[] = {
      {"name", "Region", "call path", "left"},
      {"visits", "Visits", "entries and exits", ""},
      {"time", "Time", "wall time and its source", ""},
      {"share", "Share", "of the run's wall time", ""},
      {"rate", "GFLOP/s", "achieved, of one precision, and the source of the FLOPs", ""},
      {"intensity", "FLOP/byte", "at the chosen memory level, and the source of the bytes", ""},
      {"fraction", "Roof", "share of the machine's roof reached, unless another is named", ""},
      {"verdict", "Verdict", "what bounds it", "left"},
  };
  for (const auto& head : heads)
    text += fmt::format("<th class=\"{}\" data-column=\"{}\" title=\"{}\" scope=\"col\">{}</th>",
                        head.classes, head.column, head.hint, head.title);
  return text + "</tr></thead>";
}

std::string regions_rows(const Profile& profile, const std::vector<RegionRow>& rows,
                         const std::vector<std::size_t>& shown, Absences& absences) {
  std::string text;
  for (const std::size_t index : shown) {
    const RegionRow& row = rows[index];
    const Region& region = profile.regions[row.region];
    std::string flags;
    for (const std::string& flag : region.flags) flags += (flags.empty() ? "" : ", ") + flag;
    constexpr std::size_t deepest = 12;
    text += fmt::format(
        "<tr class=\"region\" data-region=\"{}\"><td class=\"name\" style=\"padding-left:{}px\" "
        "title=\"{}\">{}{}</td><td>{}</td>",
        row.region, 10 + 16 * std::min(row.depth, deepest),
        markup(row.path + (flags.empty() ? "" : " (" + flags + ")")),
        markup(row.name + (region.kernel ? " [GPU]" : "")), flags.empty() ? "" : " !",
        has_visits(region) ? whole(static_cast<double>(region.visits)) : "");
    const bool plain = row.precision.empty() || row.precision == "f64" || row.precision == "any";
    text += cell(row.time_s, duration(row.time_s.interval()), spelt(row.time_s.source), absences,
                 row.path);
    text += cell(row.share, percent(row.share.interval()), "", absences, row.path);
    text += cell(row.flop_per_s, significant(row.flop_per_s.interval(), 1e9),
                 spelt(row.flop_source) + (plain ? "" : " " + row.precision), absences, row.path);
    text += cell(row.intensity, significant(row.intensity.interval()), spelt(row.bytes_source),
                 absences, row.path);
    text += cell(row.fraction, roof_percent(row), share_beside_verdict(row).of, absences, row.path);
    text += verdict_cell(row) + "</tr>\n";
  }
  return text;
}

}  // namespace roofmark::report
