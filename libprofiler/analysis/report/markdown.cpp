// The report for a comment, an issue or a wiki: a table, the explanations, what is missing.
#include <fmt/format.h>

#include <algorithm>
#include <roofmark/report.hpp>

#include "absences.hpp"
#include "analysis/text/plain_text.hpp"
#include "numbers.hpp"
#include "region_row.hpp"
#include "sections.hpp"
#include "text_regions.hpp"

namespace roofmark {
namespace {

using namespace report;
using text::markdown;

std::string cell(const Figure& figure, const std::string& text) {
  if (!figure) return "-";
  return (figure.number->low || figure.number->high ? "~" : "") + text;
}

std::string verdict_of(const RegionRow& row) {
  if (!row.roofline) return "-";
  std::string verdict(spelling(row.roofline->verdict));
  std::replace(verdict.begin(), verdict.end(), '_', ' ');
  const std::string& detail = row.roofline->verdict_detail;
  return markdown(detail.empty() ? verdict : verdict + " " + detail);
}

std::string source_of(const RegionRow& row) {
  const auto word = [](const std::optional<Source>& source) {
    return source ? std::string(spelling(*source)) : "-";
  };
  const std::string flop = word(row.flop_source), bytes = word(row.bytes_source);
  return flop == bytes ? flop : flop + ", " + bytes;
}

void add_list(std::string& text, const std::string& title,
              const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  text += "\n**" + title + "**\n\n";
  for (const std::string& sentence : sentences) text += "- " + markdown(sentence) + "\n";
}

}  // namespace

std::string render_markdown(const Profile& profile, const TextOptions& options) {
  const std::string level = options.level.empty() ? default_level(profile) : options.level;
  const std::vector<RegionRow> rows = rows_of(profile, {options.self, level});
  std::string text = "### " + markdown(command_line(profile.program)) + "\n\n" +
                     markdown(fmt::format("{}", fmt::join(run_facts(profile), ", "))) + "\n\n";
  if (rows.empty())
    return text + "No region was recorded: the program has no markers, or they were not seen.\n";
  text += fmt::format(
      "| Region | Visits | Time | Share | GFLOP/s | Unit | FLOP/B ({}) | Roof | Verdict | Source "
      "|\n",
      markdown(level));
  text += "|---|--:|--:|--:|--:|---|--:|--:|---|---|\n";
  const std::vector<std::size_t> shown = heaviest(profile, rows, options.rows);
  for (const std::size_t index : shown) {
    const RegionRow& row = rows[index];
    const Region& region = profile.regions[row.region];
    const std::string flags = fmt::format("{}", fmt::join(region.flags, ", "));
    text += fmt::format(
        "| {}{} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        markdown(row.path + (region.kernel ? " (GPU)" : "")),
        flags.empty() ? "" : " (" + markdown(flags) + ")", region.visits,
        cell(row.time_s, duration(row.time_s.value())), cell(row.share, percent(row.share.value())),
        cell(row.flop_per_s, significant_padded(row.flop_per_s.value() / 1e9)),
        row.precision.empty() ? "-" : row.precision,
        cell(row.intensity, significant_padded(row.intensity.value())),
        cell(row.fraction, percent(row.fraction.value())), verdict_of(row), source_of(row));
  }
  if (shown.size() < rows.size())
    text += fmt::format("\n{} lighter regions more.\n", rows.size() - shown.size());
  const auto entries = explanations(profile, options.level, options.explained);
  if (!entries.empty()) text += "\n**Most time away from the roof**\n\n";
  for (const Explanation& entry : entries) {
    text += "- **" + markdown(entry.path) + "**: " + markdown(entry.facts) + ". " +
            markdown(entry.why) + "\n";
    for (const std::string& advice : entry.tries) text += "  - Try: " + markdown(advice) + "\n";
    for (const std::string& note : entry.notes) text += "  - Note: " + markdown(note) + "\n";
  }
  Absences absences;
  for (const RegionRow& row : rows)
    for (const Missing& entry : profile.regions[row.region].missing) absences.add(entry, row.path);
  std::vector<std::string> missing;
  for (const Absences::Entry& entry : absences.entries())
    missing.push_back(sentence(entry, rows.size()));
  add_list(text, "Not in this report, and why", missing);
  add_list(text, "Notes", note_sentences(profile));
  return text;
}

}  // namespace roofmark
