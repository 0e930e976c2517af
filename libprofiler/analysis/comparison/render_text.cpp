#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/numbers.hpp"
#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"
#include "render.hpp"
#include "sentences.hpp"

namespace roofmark::comparison {
namespace {

using namespace text;

const char* const worse = "31";
const char* const better = "32";

/// A change in brackets is within the noise.
TextCell cell_of(const RegionChange& region, const std::string& quantity, bool less_is_better,
                 bool neutral = false) {
  const auto found = region.changes.find(quantity);
  if (found == region.changes.end()) return {"-", ""};
  const Change& change = found->second;
  if (!change.beyond_noise) return {"(" + change_text(change) + ")", "2"};
  const char* const paint = (change.ratio < 1) == less_is_better ? better : worse;
  return {change_text(change), neutral ? "" : paint};
}

std::string verdict_text(const Placement& place) {
  std::string text(spelling(place.verdict));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string verdicts_of(const RegionChange& region) {
  if (!region.before.present) return "new";
  if (!region.after.present) return "gone";
  const std::string before = verdict_text(region.before), after = verdict_text(region.after);
  return before == after ? after : before + " > " + after;
}

std::string time_of(const RegionChange& region, bool after, bool utf8) {
  const auto found = region.changes.find("time");
  if (found == region.changes.end()) return "-";
  return time_text(found->second, after, utf8);
}

class Text {
 public:
  Text(const Judged& judged, const TextOptions& options)
      : judged_(judged), comparison_(judged.comparison), options_(options) {}

  std::string render() {
    for (const std::string& warning : comparison_.warnings) paragraph("Warning: " + warning, "", 9);
    if (!comparison_.warnings.empty()) text_ += '\n';
    const std::vector<std::size_t> rows = shown(comparison_, options_.all);
    table(rows);
    paragraph(summary_of(comparison_) + " In brackets: within the noise. FLOP/B at " +
              comparison_.level + ".");
    sentences(rows);
    outcomes();
    text_ += '\n';
    paragraph(method_of(comparison_));
    return std::move(text_);
  }

 private:
  std::string clean(const std::string& text) const {
    return options_.utf8 ? printable(text) : printable_ascii(text);
  }

  void paragraph(const std::string& text, const std::string& lead = "", std::size_t hang = 0) {
    const std::size_t indent = lead.size() + hang;
    bool first = true;
    for (const std::string& line : wrapped(clean(text), options_.width - indent)) {
      text_ += (first ? lead : std::string(indent, ' ')) + line + '\n';
      first = false;
    }
  }

  void table(const std::vector<std::size_t>& rows) {
    if (rows.empty()) {
      paragraph("Nothing moved beyond the noise; --all shows every region.");
      return;
    }
    TextTable table({{"Region", false, 60, 0, true},
                     {"Before", true, 10, 1, false},
                     {"After", true, 10, 1, false},
                     {"Time", true, 9, 0, false},
                     {"FLOPs", true, 9, 4, false},
                     {"Bytes", true, 9, 4, false},
                     {"FLOP/B", true, 9, 3, false},
                     {"Roof", true, 9, 0, false},
                     {"Verdict", false, 24, 2, false}});
    for (const std::size_t i : rows) {
      const RegionChange& region = comparison_.regions[i];
      table.add({{clean(path_text(region.path)), ""},
                 {time_of(region, false, options_.utf8), ""},
                 {time_of(region, true, options_.utf8), ""},
                 cell_of(region, "time", true),
                 cell_of(region, "flop", true, true),
                 cell_of(region, "bytes", true, true),
                 cell_of(region, "intensity", false, true),
                 cell_of(region, "roof_fraction", false),
                 {verdicts_of(region), ""}});
    }
    text_ += table.render(options_.width, options_.utf8, options_.colour);
  }

  void sentences(const std::vector<std::size_t>& rows) {
    constexpr std::size_t most = 8;
    std::size_t told = 0;
    for (const std::size_t i : rows) {
      const RegionChange& region = comparison_.regions[i];
      if (region.sentences.empty() || (told >= most && !options_.all)) continue;
      if (told++ == 0) text_ += '\n' + painted("What moved", "1", options_.colour) + '\n';
      const std::string path =
          elided(clean(path_text(region.path)), options_.width - 2, options_.utf8);
      text_ += "  " + painted(path, "1", options_.colour) + '\n';
      for (const std::string& sentence : region.sentences) paragraph(sentence, "    ");
    }
  }

  void outcomes() {
    if (judged_.conditions.empty()) return;
    text_ += '\n' + painted("Limits", "1", options_.colour) + '\n';
    for (std::size_t c = 0; c < judged_.conditions.size(); ++c) {
      std::size_t passed = 0, unknown = 0, held = 0;
      std::string first_unknown;
      for (const Outcome& outcome : judged_.outcomes) {
        if (outcome.condition != c) continue;
        const std::string path = path_text(comparison_.regions[outcome.region].path);
        if (outcome.state == Outcome::State::passes) ++passed;
        if (outcome.state == Outcome::State::unknown && unknown++ == 0)
          first_unknown = path + ": " + outcome.text;
        if (outcome.state != Outcome::State::holds) continue;
        ++held;
        paragraph("FAILED " + path + ": " + outcome.text, "  ", 7);
      }
      std::string line =
          fmt::format("{}: {} passed, {} failed", judged_.conditions[c].text, passed, held);
      if (unknown > 0) line += fmt::format(", {} not known ({})", unknown, first_unknown);
      paragraph(line, "  ", 2);
    }
  }

  const Judged& judged_;
  const Comparison& comparison_;
  const TextOptions& options_;
  std::string text_;
};

}  // namespace

std::vector<std::size_t> shown(const Comparison& comparison, bool all) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < comparison.regions.size(); ++i) {
    const RegionChange& region = comparison.regions[i];
    const bool moved = !region.before.present || !region.after.present ||
                       std::any_of(region.changes.begin(), region.changes.end(),
                                   [](const auto& change) { return change.second.beyond_noise; });
    // The whole program always: what it all comes to.
    if (all || moved || region.path.empty()) rows.push_back(i);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return comparison.regions[a].time_share > comparison.regions[b].time_share;
  });
  return rows;
}

std::string render_text(const Judged& judged, const TextOptions& options) {
  TextOptions usable = options;
  usable.width = std::max(options.width, 60U);
  return Text(judged, usable).render();
}

}  // namespace roofmark::comparison
