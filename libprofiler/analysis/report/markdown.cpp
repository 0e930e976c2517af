// The report for a comment, an issue or a wiki: a table, the explanations, what is missing.
#include <fmt/format.h>

#include <algorithm>
#include <roofmark/report.hpp>

#include "absences.hpp"
#include "analysis/text/plain_text.hpp"
#include "chart_ceilings.hpp"
#include "declared_table.hpp"
#include "gpu_table.hpp"
#include "numbers.hpp"
#include "region_facts.hpp"
#include "region_row.hpp"
#include "roof_share.hpp"
#include "sections.hpp"
#include "text_regions.hpp"

namespace roofmark {
namespace {

using namespace report;
using text::markdown;
using text::path_text;

/// What has no number has the letter of its reason.
std::string cell(const Figure& figure, const std::string& text, Absences& absences,
                 const std::string& path) {
  return figure ? text : "-\\[" + absences.mark_of(figure, path) + "\\]";
}

std::string roof_of(const RegionRow& row) {
  const std::string of = share_beside_verdict(row).of;
  return roof_percent(row) + (of.empty() ? "" : " " + of);
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

void add_ceilings(std::string& text, const std::string& title,
                  const std::vector<ChartCeiling>& ceilings) {
  if (ceilings.empty()) return;
  text += "\n**" + markdown(title) + "**\n\n| Ceiling | Value | Spread | Source | How |\n" +
          "|---|--:|--:|---|---|\n";
  for (const ChartCeiling& one : ceilings)
    text += fmt::format("| {} | {} | {} | {} | {} |\n", markdown(one.name), rate_of(one),
                        markdown(spread_of(one.per_s)), spelling(one.source), markdown(one.detail));
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
  Absences absences;
  for (const std::size_t index : shown) {
    const RegionRow& row = rows[index];
    const Region& region = profile.regions[row.region];
    const std::string flags = fmt::format("{}", fmt::join(region.flags, ", "));
    text += fmt::format(
        "| {}{} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        markdown(row.path + (region.kernel ? " (GPU)" : "")),
        flags.empty() ? "" : " (" + markdown(flags) + ")",
        has_visits(region) ? std::to_string(region.visits) : "",
        cell(row.time_s, duration(row.time_s.interval()), absences, row.path),
        cell(row.share, percent(row.share.interval()), absences, row.path),
        cell(row.flop_per_s, significant_padded(row.flop_per_s.interval(), 1e9), absences,
             row.path),
        row.precision.empty() ? "-" : row.precision,
        cell(row.intensity, significant_padded(row.intensity.interval()), absences, row.path),
        cell(row.fraction, roof_of(row), absences, row.path), verdict_of(row), source_of(row));
  }
  if (shown.size() < rows.size())
    text += fmt::format("\n{} lighter regions more.\n", rows.size() - shown.size());
  text += declared_markdown(profile, rows, shown);
  const auto entries = explanations(profile, options.level, options.explained);
  if (!entries.empty()) text += "\n**Most time away from the roof**\n\n";
  for (const Explanation& entry : entries) {
    text += "- **" + markdown(entry.path) + "**: " + markdown(entry.facts) + ". " +
            markdown(entry.why) + "\n";
    for (const std::string& advice : entry.tries) text += "  - Try: " + markdown(advice) + "\n";
    for (const std::string& note : entry.notes) text += "  - Note: " + markdown(note) + "\n";
    for (const BriefFacts& facts : brief(facts_of(profile, profile.regions[entry.region], true)))
      text += "  - " + facts.title + ": " + markdown(facts.text) + "\n";
  }
  for (const std::size_t index : named_regions(profile, options.details)) {
    const Region& region = profile.regions[index];
    text += "\n**Details of " + markdown(path_text(region.path)) + "**\n\n";
    text += "| | | | Source |\n|---|---|---|---|\n";
    for (const Fact& fact : facts_of(profile, region, options.self))
      text +=
          fmt::format("| {} | {} | {}{} | {} |\n", title_of(fact.group), markdown(fact.name),
                      fact.absent ? "not known: " : "", markdown(fact.text), markdown(fact.source));
  }
  for (const RegionRow& row : rows)
    for (const Missing& entry : profile.regions[row.region].missing) absences.add(entry, row.path);
  std::vector<std::string> missing;
  for (const Absences::Entry& entry : absences.entries())
    missing.push_back((entry.mark.empty() ? "" : "[" + entry.mark + "] ") +
                      sentence(entry, rows.size()));
  add_list(text, "Not in this report, and why", missing);
  add_list(text, "Flags", flag_sentences(profile, options.rows == 0 ? 0 : 3));
  add_list(text, "Functions", function_sentences(profile));
  add_list(text, "Passes", pass_sentences(profile));
  add_ceilings(text, "Ceilings", own_roof(profile, rows));
  if (options.rows == 0) add_ceilings(text, "Other ceilings", other_ceilings(profile, rows));
  for (const Gpu& gpu : profile.machine.gpus)
    add_ceilings(text, "Ceilings of " + gpu_name(profile, gpu.uuid), own_roof_of(profile, gpu));
  add_list(text, "Notes", note_sentences(profile));
  return text;
}

}  // namespace roofmark
