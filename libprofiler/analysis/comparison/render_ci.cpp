// What CI systems read: Markdown for a comment, JUnit's XML, the commands of GitHub Actions.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/numbers.hpp"
#include "analysis/text/plain_text.hpp"
#include "render.hpp"
#include "sentences.hpp"

namespace roofmark::comparison {
namespace {

using text::markdown;
using text::markup;
using text::path_text;
using text::printable;

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// A property or message of a workflow command: a line, with its own signs spelt out.
std::string command_text(const std::string& raw, bool property) {
  std::string safe = replaced(printable(raw), "%", "%25");
  if (!property) return safe;
  return replaced(replaced(safe, ":", "%3A"), ",", "%2C");
}

std::string cell(const RegionChange& region, const char* quantity) {
  const auto found = region.changes.find(quantity);
  if (found == region.changes.end()) return "-";
  const std::string text = change_text(found->second);
  return found->second.beyond_noise ? "**" + text + "**" : text;
}

std::string duration_of(const RegionChange& region, bool after) {
  const auto found = region.changes.find("time");
  if (found == region.changes.end()) return "-";
  return time_text(found->second, after);
}

}  // namespace

std::string render_markdown(const Judged& judged) {
  const Comparison& comparison = judged.comparison;
  std::string text =
      "### Roofmark: " +
      std::string(any_holds(judged.outcomes) ? "a limit was exceeded" : "comparison") + "\n\n";
  bool listed = false;
  for (const Outcome& outcome : judged.outcomes) {
    if (outcome.state == Outcome::State::passes) continue;
    const bool held = outcome.state == Outcome::State::holds;
    text += fmt::format("- {}**{}**: {}\n", held ? "" : "not judged: ",
                        markdown(path_text(comparison.regions[outcome.region].path)),
                        markdown(outcome.text));
    listed = true;
  }
  if (listed) text += "\n";
  for (const std::string& warning : comparison.warnings) text += "> " + markdown(warning) + "\n\n";
  text +=
      fmt::format("{}\n\n| Region | Before | After | Time | FLOPs | {} bytes | FLOP/B | Roof |\n",
                  markdown(summary_of(comparison)), markdown(comparison.level));
  text += "|---|--:|--:|--:|--:|--:|--:|--:|\n";
  const std::vector<std::size_t> rows = shown(comparison, false);
  for (const std::size_t i : rows) {
    const RegionChange& region = comparison.regions[i];
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", markdown(path_text(region.path)),
                    duration_of(region, false), duration_of(region, true), cell(region, "time"),
                    cell(region, "flop"), cell(region, "bytes"), cell(region, "intensity"),
                    cell(region, "roof_fraction"));
  }
  text += "\nBold: beyond the noise.\n\n";
  for (const std::size_t i : rows)
    for (const std::string& sentence : comparison.regions[i].sentences)
      text +=
          "- " + markdown(path_text(comparison.regions[i].path)) + ": " + markdown(sentence) + "\n";
  text += "\n<sub>" + markdown(method_of(comparison)) + "</sub>\n";
  return text;
}

std::string render_junit(const Judged& judged) {
  std::size_t failures = 0, skipped = 0;
  std::string cases;
  for (const Outcome& outcome : judged.outcomes) {
    const Condition& condition = judged.conditions[outcome.condition];
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                         markup(path_text(judged.comparison.regions[outcome.region].path)),
                         markup(condition.text));
    if (outcome.state == Outcome::State::passes) {
      cases += "/>\n";
      continue;
    }
    const bool failed = outcome.state == Outcome::State::holds;
    ++(failed ? failures : skipped);
    cases += fmt::format(">\n      <{} message=\"{}\"/>\n    </testcase>\n",
                         failed ? "failure" : "skipped", markup(outcome.text));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"roofmark compare\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
      "skipped=\"{}\">\n"
      "{}  </testsuite>\n</testsuites>\n",
      judged.outcomes.size(), failures, skipped, cases);
}

std::string render_github(const Judged& judged) {
  std::string text;
  for (const std::string& warning : judged.comparison.warnings)
    text += "::warning title=Roofmark::" + command_text(warning, false) + "\n";
  for (const Outcome& outcome : judged.outcomes) {
    if (outcome.state == Outcome::State::passes) continue;
    const std::string path = path_text(judged.comparison.regions[outcome.region].path);
    text += (outcome.state == Outcome::State::holds ? "::error title=" : "::warning title=") +
            command_text("Roofmark: " + path, true) +
            "::" + command_text(path + ": " + outcome.text, false) + "\n";
  }
  text += "::notice title=Roofmark::" + command_text(summary_of(judged.comparison), false) + "\n";
  return text;
}

}  // namespace roofmark::comparison
