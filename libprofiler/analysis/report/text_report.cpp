// The report for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <roofmark/report.hpp>

#include "absences.hpp"
#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"
#include "chart_ceilings.hpp"
#include "declared_table.hpp"
#include "event_table.hpp"
#include "gpu_table.hpp"
#include "numbers.hpp"
#include "rank_table.hpp"
#include "region_facts.hpp"
#include "region_row.hpp"
#include "sections.hpp"
#include "text_regions.hpp"

namespace roofmark {
namespace {

using namespace report;
using namespace text;

class TextReport {
 public:
  TextReport(const Profile& profile, const TextOptions& options)
      : profile_(profile), options_(options) {}

  std::string render() {
    header();
    const std::vector<RegionRow> rows = rows_of(profile_, {options_.self, options_.level});
    if (rows.empty()) {
      paragraph("No region was recorded: the program has no markers, or they were not seen.");
    } else {
      text_ += regions_table(profile_, rows, options_, absences_);
      declared(rows);
      events(rows);
      ranks(rows);
      waiting(rows);
      gpus(rows);
      explained();
      details();
    }
    missing(rows);
    list("Flags", flag_sentences(profile_, options_.rows == 0 ? 0 : 3));
    list("Functions", function_sentences(profile_));
    list("Passes", pass_sentences(profile_));
    ceilings(rows);
    list("Notes", note_sentences(profile_));
    return std::move(text_);
  }

 private:
  /// Printable, and ASCII where the terminal can show nothing else.
  std::string clean(std::string_view text) const {
    return options_.utf8 ? printable(text) : printable_ascii(text);
  }

  void section(const std::string& title) {
    text_ += '\n' + painted(title, "1", options_.colour) + '\n';
  }

  /// Wrapped text, the first line after `lead`, the others below it.
  void paragraph(std::string_view text, const std::string& lead = "") {
    const std::size_t indent = columns(lead);
    const std::size_t room = options_.width > indent + 20 ? options_.width - indent : 20;
    bool first = true;
    for (const std::string& line : wrapped(clean(text), room)) {
      text_ += (first ? lead : std::string(indent, ' ')) + line + '\n';
      first = false;
    }
  }

  void list(const std::string& title, const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    section(title);
    for (const std::string& sentence : sentences) paragraph(sentence, "  ");
  }

  void header() {
    const std::string command =
        elided(clean(command_line(profile_.program)), options_.width, options_.utf8);
    text_ += painted(command, "1", options_.colour) + '\n';
    paragraph(fmt::format("{}", fmt::join(run_facts(profile_), ", ")));
    text_ += '\n';
  }

  void gpus(const std::vector<RegionRow>& rows) {
    const std::string table = gpu_text(profile_, rows, options_);
    if (table.empty()) return;
    section("GPU");
    text_ += table;
  }

  void events(const std::vector<RegionRow>& rows) {
    const std::string table = events_text(profile_, rows, options_, absences_);
    if (table.empty()) return;
    section("Events");
    text_ += table;
  }

  void ranks(const std::vector<RegionRow>& rows) {
    const std::string table = ranks_text(profile_, rows, options_);
    if (table.empty()) return;
    section("Ranks");
    text_ += table;
  }

  void waiting(const std::vector<RegionRow>& rows) {
    const std::string table = waiting_text(profile_, rows, options_);
    if (table.empty()) return;
    section("MPI time");
    text_ += table;
  }

  void declared(const std::vector<RegionRow>& rows) {
    const std::string table = declared_text(profile_, rows, options_);
    if (table.empty()) return;
    section("Declared against counted");
    text_ += table;
  }

  void explained() {
    const auto entries = explanations(profile_, options_.level, options_.explained);
    if (entries.empty()) return;
    section("Most time away from the roof");
    for (const Explanation& entry : entries) {
      // A line of its own for the facts where the two are too long for one.
      const std::string path = elided(clean(entry.path), options_.width - 4, options_.utf8);
      const std::string facts = clean(entry.facts);
      const bool fits = columns(path) + columns(facts) + 4 <= options_.width;
      text_ += "  " + painted(path, "1", options_.colour) + (fits ? ": " + facts : "") + '\n';
      if (!fits) paragraph(facts, "    ");
      paragraph(entry.why, "    ");
      const auto numbers = brief(facts_of(profile_, profile_.regions[entry.region], true));
      const auto tell = [&](bool ladder) {
        for (const BriefFacts& facts : numbers)
          if ((facts.title == title_of(Fact::Group::ladder)) == ladder)
            paragraph(facts.text, "    " + facts.title + ": ");
      };
      tell(true);
      // The model puts the best advice first; the page and --all have the rest.
      const std::size_t most = options_.rows == 0 ? entry.tries.size() : 2;
      for (std::size_t i = 0; i < std::min(most, entry.tries.size()); ++i)
        paragraph(entry.tries[i], "    Try: ");
      for (const std::string& note : entry.notes) paragraph(note, "    Note: ");
      tell(false);
    }
  }

  /// All numbers of the regions that were asked for.
  void details() {
    for (const std::size_t index : named_regions(profile_, options_.details)) {
      const Region& region = profile_.regions[index];
      section("Details of " +
              elided(clean(path_text(region.path)), options_.width - 11, options_.utf8));
      const Fact* before = nullptr;
      const std::vector<Fact> facts = facts_of(profile_, region, options_.self);
      for (const Fact& fact : facts) {
        if (before == nullptr || before->group != fact.group)
          text_ += "  " + painted(title_of(fact.group), "1", options_.colour) + '\n';
        before = &fact;
        if (fact.absent)
          paragraph("not known: " + fact.text, "    " + fact.name + ": ");
        else
          paragraph(fact.text + (fact.source.empty() ? "" : " [" + fact.source + "]"),
                    "    " + fact.name + ": ");
      }
    }
  }

  void missing(const std::vector<RegionRow>& rows) {
    for (const RegionRow& row : rows)
      for (const Missing& entry : profile_.regions[row.region].missing)
        absences_.add(entry, row.path);
    const auto entries = absences_.entries();
    if (entries.empty()) return;
    section("Not in this report, and why");
    std::size_t unmarked = 0, left_out = 0;
    for (const Absences::Entry& entry : entries) {
      // Every mark in the table is explained; of the other reasons a few.
      constexpr std::size_t most_unmarked = 8;
      if (entry.mark.empty() && options_.rows != 0 && ++unmarked > most_unmarked) {
        ++left_out;
        continue;
      }
      paragraph(sentence(entry, rows.size()),
                entry.mark.empty() ? "      " : left(fmt::format("  [{}]", entry.mark), 6));
    }
    if (left_out > 0) paragraph(fmt::format("{} more reasons: --all shows them", left_out), "  ");
  }

  /// The machine's own roof, with how far each ceiling scattered while it was measured.
  void ceilings(const std::vector<RegionRow>& rows) {
    ceilings_of("Ceilings", own_roof(profile_, rows));
    if (!own_roof(profile_, rows).empty() && !profile_.machine.measured_at.empty())
      paragraph("measured " + profile_.machine.measured_at, "  ");
    // Many, and of use to few: with everything else.
    if (options_.rows == 0) ceilings_of("Other ceilings", other_ceilings(profile_, rows));
    for (const Gpu& gpu : profile_.machine.gpus)
      ceilings_of("Ceilings of " + clean(gpu_name(profile_, gpu.uuid)), own_roof_of(profile_, gpu));
  }

  void ceilings_of(const std::string& title, const std::vector<ChartCeiling>& lines) {
    if (lines.empty()) return;
    section(title);
    TextTable table({{"", false, 24, 0, true},
                     {"", true, 16, 0, false},
                     {"", false, 24, 2, false},
                     {"", false, 12, 1, false},
                     {"", false, 30, 3, false}});
    for (const ChartCeiling& line : lines) {
      table.add({{"  " + clean(line.name), ""},
                 {rate_of(line), ""},
                 {spread_of(line.per_s), "2"},
                 {std::string(spelling(line.source)), "2"},
                 {clean(line.detail), "2"}});
    }
    const std::string body = table.render(options_.width, options_.utf8, options_.colour);
    text_ += body.substr(body.find('\n') + 1);  // the line of titles is empty
  }

  const Profile& profile_;
  const TextOptions& options_;
  Absences absences_;
  std::string text_;
};

}  // namespace

std::string render_text(const Profile& profile, const TextOptions& options) {
  TextOptions usable = options;
  usable.width = std::max(options.width, 60u);
  return TextReport(profile, usable).render();
}

}  // namespace roofmark
