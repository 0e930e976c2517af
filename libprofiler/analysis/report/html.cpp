// The report as one self-contained page.
#include <fmt/format.h>

#include <algorithm>
#include <roofmark/report.hpp>

#include "absences.hpp"
#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/text/plain_text.hpp"
#include "chart_ceilings.hpp"
#include "chart_layout.hpp"
#include "declared_table.hpp"
#include "event_table.hpp"
#include "gpu_table.hpp"
#include "html_data.hpp"
#include "html_table.hpp"
#include "icicle.hpp"
#include "numbers.hpp"
#include "rank_table.hpp"
#include "region_facts.hpp"
#include "region_row.hpp"
#include "sections.hpp"
#include "text_regions.hpp"
#include "web_files.hpp"

namespace roofmark {
namespace {

using namespace report;
using namespace text;

constexpr std::size_t static_rows = 200;  ///< more are there, but only without a script
/// Of the picture that is there before the script draws its own.
constexpr std::size_t static_points = 1000;

// Nothing is fetched: the policy also stops whatever an escaping mistake might let in from asking
// for anything outside.
constexpr std::string_view policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

std::string page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"Roofmark\">\n<title>{}</title>\n<style>\n{}</style>\n"
      "</head>\n<body>\n{}</body>\n</html>\n",
      policy, markup(title), web_file("page.css"), body);
}

std::string list(const std::string& title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  std::string text = fmt::format("<h2>{}</h2>\n<ul class=\"plain\">\n", markup(title));
  for (const std::string& sentence : sentences)
    text += fmt::format("<li>{}</li>\n", prose_markup(sentence));
  return text + "</ul>\n";
}

/// Each number with its source; of what is absent the reason.
std::string facts_html(const std::vector<Fact>& facts) {
  std::string text = "<table class=\"told\"><tbody>";
  const Fact* before = nullptr;
  for (const Fact& fact : facts) {
    if (before == nullptr || before->group != fact.group)
      text += fmt::format("<tr><th colspan=\"2\" class=\"left\" scope=\"colgroup\">{}</th></tr>",
                          title_of(fact.group));
    before = &fact;
    text += fmt::format(
        "<tr><td class=\"left\">{}</td><td class=\"left\">{}{}</td></tr>", markup(fact.name),
        fact.absent ? "<span class=\"absent\">not known:</span> " : "",
        prose_markup(fact.text) +
            (fact.source.empty() ? ""
                                 : "<span class=\"source\">" + markup(fact.source) + "</span>"));
  }
  return text + "</tbody></table>";
}

std::string cards(const Profile& profile, const std::string& level) {
  const auto entries = explanations(profile, level, 6);
  if (entries.empty()) return "";
  std::string text = "<h2>Most time away from the roof</h2>\n<div class=\"cards\">\n";
  for (const Explanation& entry : entries) {
    text +=
        fmt::format("<div class=\"card\"><h3>{}</h3><p class=\"soft\">{}</p><p>{}</p>",
                    markup(elided(entry.path, 120)), markup(entry.facts), prose_markup(entry.why));
    for (const std::string& advice : entry.tries)
      text += fmt::format("<p class=\"try\">{}</p>", prose_markup(advice));
    for (const std::string& note : entry.notes)
      text += fmt::format("<p class=\"soft\">{}</p>", prose_markup(note));
    const std::vector<Fact> facts = facts_of(profile, profile.regions[entry.region], true);
    for (const BriefFacts& line : brief(facts))
      if (line.title == title_of(Fact::Group::ladder))
        text += fmt::format("<p><b>{}:</b> {}</p>", line.title, markup(line.text));
    text += "<details><summary>All its numbers</summary>" + facts_html(facts) + "</details>";
    text += "</div>\n";
  }
  return text + "</div>\n";
}

std::string ceilings_table(const std::string& title, const std::vector<ChartCeiling>& ceilings) {
  if (ceilings.empty()) return "";
  std::string text =
      (title.empty() ? std::string() : fmt::format("<h2>{}</h2>\n", markup(title))) +
      "<div class=\"scroll\"><table><thead><tr><th class=\"left\">Ceiling</th>"
      "<th>Value</th><th>Spread</th><th class=\"left\">Source</th><th class=\"left\">How</th></tr>"
      "</thead>\n<tbody>\n";
  for (const ChartCeiling& ceiling : ceilings) {
    text += fmt::format(
        "<tr><td class=\"left\">{}</td><td>{}</td><td>{}</td><td class=\"left\">{}</td>"
        "<td class=\"left\">{}</td></tr>\n",
        markup(ceiling.name), rate_of(ceiling), markup(spread_of(ceiling.per_s)),
        spelling(ceiling.source), markup(ceiling.detail));
  }
  return text + "</tbody></table></div>\n";
}

/// Places of single threads or ranks, which the script may show: lower than their region's.
void add_dots(const Profile& profile, const Chart& view, bool self, Chart& all) {
  for (const ChartPoint& point : view.points) {
    if (!point.region || !profile.regions[*point.region].shares) continue;
    const WorkShares& shares = *profile.regions[*point.region].shares;
    for (const WorkShare& share : shares.each) {
      const WorkShare::Part& part = self ? share.self : share.work;
      const auto bytes = part.bytes.find(point.level);
      const auto precision = parse_word<Precision>(point.precision);
      if (!precision || bytes == part.bytes.end() || part.flop.count(*precision) == 0) continue;
      const double flop = static_cast<double>(part.flop.at(*precision));
      if (!(flop > 0) || bytes->second == 0 || !(part.wall_s > 0)) continue;
      ChartPoint dot = point;
      dot.intensity = {flop / static_cast<double>(bytes->second), {}, {}};
      dot.flop_per_s = {flop / part.wall_s, {}, {}};
      dot.weight = point.weight / static_cast<double>(shares.each.size());
      all.points.push_back(dot);
    }
  }
}

/// Axes that hold the points of every level, with and without children, so that the script can
/// switch.
void fit_every_view(const Profile& profile, const std::string& wanted_locus, Chart& chart) {
  Chart all = chart;
  const std::string locus = wanted_locus.empty() ? default_locus(profile) : wanted_locus;
  for (const std::string& level : levels_of(profile, locus))
    for (const bool self : {true, false}) {
      const Chart view =
          chart_of(profile, {level, self, static_cast<std::size_t>(-1), false, locus});
      all.points.insert(all.points.end(), view.points.begin(), view.points.end());
      add_dots(profile, view, self, all);
    }
  all.x_min = all.x_max = all.y_min = all.y_max = 0;
  fit_axes(all);
  chart.x_min = all.x_min;
  chart.x_max = all.x_max;
  chart.y_min = all.y_min;
  chart.y_max = all.y_max;
}

/// One for each roof that the page's own chart does not show: a GPU's, and the host's beside it.
std::string charts_of_other_loci(const Profile& profile, const ChartOptions& options) {
  std::string text;
  const std::vector<Chart> charts = charts_of(profile, options);
  for (std::size_t i = 1; i < charts.size(); ++i) {
    Chart chart = charts[i];
    SvgOptions svg;
    svg.width = 1180;
    svg.height = 640;
    svg.id = "roofline-" + std::to_string(i);
    // The page has them as text.
    chart.title.clear();
    chart.subtitle.clear();
    chart.notes.clear();
    text += fmt::format(
        "<h2>{}</h2>\n<p class=\"facts\">{}</p>\n"
        "<div class=\"chart\">\n{}</div>\n<p class=\"soft\">{}</p>\n",
        markup(charts[i].title), markup(charts[i].subtitle), render_svg(chart, svg),
        markup(fmt::format("{}", fmt::join(charts[i].notes, " "))));
  }
  return text;
}

/// What the page has room for: the regions with the most time of their own, with their ancestors.
Profile with_room_for(const Profile& profile, const std::string& level,
                      const HtmlOptions& options) {
  if (options.regions == 0) return profile;
  const std::vector<RegionRow> rows = rows_of(profile, {options.chart.self, level});
  // What a row takes as data, in both tables, and with its name in each.
  const auto bytes_of = [&](const RegionRow& row) {
    const Region& region = profile.regions[row.region];
    std::size_t bytes = 3000 + 5 * row.path.size();
    if (region.shares) bytes += 300 * region.shares->each.size();
    for (const auto* rooflines : {&region.rooflines, &region.self_rooflines})
      for (const Roofline& roofline : *rooflines) {
        bytes += roofline.why.size();
        for (const Advice& advice : roofline.advice)
          bytes += advice.text.size() + advice.falsifier.size();
      }
    return bytes;
  };
  for (std::size_t limit = options.regions;; limit /= 2) {
    const std::vector<std::size_t> chosen = heaviest(profile, rows, limit);
    std::size_t bytes = 0;
    for (const std::size_t row : chosen) bytes += bytes_of(rows[row]);
    if (bytes > options.bytes && limit > 1) continue;
    if (chosen.size() == rows.size()) return profile;
    Profile shown{profile.program, profile.machine, profile.passes, {}, profile.notes, {}};
    shown.sampling = profile.sampling;
    for (const std::size_t row : chosen) shown.regions.push_back(profile.regions[rows[row].region]);
    return shown;
  }
}

std::vector<std::size_t> every_row(const std::vector<RegionRow>& rows) {
  std::vector<std::size_t> all(rows.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

std::string points_table(const std::vector<ChartPoint>& points) {
  if (points.empty()) return "";
  std::string text =
      "<h2>Points</h2>\n<div class=\"scroll\"><table><thead><tr><th class=\"left\">Name</th>"
      "<th>FLOP/byte</th><th>FLOP/s</th><th class=\"left\">Side</th><th class=\"left\"></th></tr>"
      "</thead>\n<tbody>\n";
  for (const ChartPoint& point : points)
    text += fmt::format(
        "<tr><td class=\"left\">{}</td><td>{}</td><td>{}</td><td class=\"left\">{}</td>"
        "<td class=\"left\">{}</td></tr>\n",
        markup(point.name), significant(point.intensity), with_prefix(point.flop_per_s, "FLOP/s"),
        spelling(point.side), markup(point.note));
  return text + "</tbody></table></div>\n";
}

}  // namespace

std::string render_html(const Profile& whole, const HtmlOptions& options) {
  HtmlOptions usable = options;
  const std::string level =
      options.chart.level.empty() ? default_level(whole, options.chart.locus) : options.chart.level;
  usable.chart.level = level;
  const Profile profile = with_room_for(whole, level, usable);
  SvgOptions svg;
  svg.width = 1180;
  svg.height = 640;
  svg.every_side = true;
  ChartOptions still = usable.chart;
  still.points = std::min(still.points, static_points);
  Chart chart = chart_of(profile, still);
  // The page has a title, and its script says what is not drawn when the view changes.
  chart.title.clear();
  chart.subtitle.clear();
  std::vector<std::string> undrawn = std::move(chart.notes);
  chart.notes.clear();
  fit_every_view(profile, options.chart.locus, chart);
  if (const std::string outside = outside_sentence(chart); !outside.empty())
    undrawn.push_back(outside);
  const ChartLayout layout = lay_out(chart, svg);

  const std::vector<RegionRow> rows = rows_of(profile, {usable.chart.self, level});
  Absences absences;
  std::string table = fmt::format(
      "<div class=\"scroll\"><table id=\"regions\">{}\n<tbody>\n{}</tbody>"
      "</table></div>\n",
      regions_head(), regions_rows(profile, rows, heaviest(profile, rows, static_rows), absences));
  if (rows.size() > static_rows)
    table += fmt::format(
        "<noscript><h2>Every region</h2><div class=\"scroll\"><table>{}<tbody>{}</tbody></table>"
        "</div></noscript>\n",
        regions_head(), regions_rows(profile, rows, every_row(rows), absences));
  const std::string declared = declared_html(profile, rows, heaviest(profile, rows, static_rows));
  const std::string events = events_html(profile, rows, heaviest(profile, rows, static_rows),
                                         usable.chart.self, absences) +
                             ranks_html(profile, rows, heaviest(profile, rows, static_rows)) +
                             waiting_html(profile, rows, heaviest(profile, rows, static_rows)) +
                             gpu_html(profile, rows, heaviest(profile, rows, static_rows));
  for (const RegionRow& row : rows)
    for (const Missing& missing : profile.regions[row.region].missing)
      absences.add(missing, row.path);

  const std::string command = command_line(profile.program);
  const std::string title = elided(printable(command), 300);
  std::string body = fmt::format("<h1>{}</h1>\n<p class=\"facts\">{}</p>\n", markup(title),
                                 markup(fmt::format("{}", fmt::join(run_facts(whole), ", "))));
  body +=
      "<div class=\"bar scripted\"><fieldset id=\"level\"><legend>Bytes at</legend></fieldset>"
      "<fieldset id=\"scope\"><legend>Regions</legend></fieldset>"
      "<fieldset hidden><legend>Threads</legend><select id=\"cloud\" aria-label=\"Dots of single "
      "threads or ranks\"><option value=\"\">no dots</option><option value=\"one\">of the chosen "
      "region</option><option value=\"all\">of all points</option></select></fieldset>"
      "<details class=\"roofs\"><summary>Roofs</summary><div id=\"roofs\"></div></details>"
      "<span class=\"grow\"></span><fieldset><button type=\"button\" id=\"farther\" "
      "aria-label=\"Farther\">\u2212</button><button type=\"button\" id=\"whole\">Whole "
      "chart</button><button type=\"button\" id=\"nearer\" aria-label=\"Nearer\">+</button>"
      "</fieldset>"
      "<button type=\"button\" id=\"theme\">Light or dark</button></div>\n";
  body += "<div class=\"chart\">\n" + render_svg(chart, svg) + "</div>\n";
  body += fmt::format("<p class=\"soft\" id=\"drawn\">{}</p>\n",
                      markup(fmt::format("{}", fmt::join(undrawn, " "))));
  body += "<p class=\"soft scripted\" id=\"cloud-said\" role=\"status\" hidden></p>\n";
  if (const std::string icicle = icicle_svg(profile, 1180, "icicle"); !icicle.empty())
    body +=
        "<h2>Time by region</h2>\n<p class=\"soft scripted\">Callers above what they enter; what "
        "ran at the same time shares its width. A "
        "click "
        "looks closer, a second one goes back; a double click shows the region in the table.</p>\n"
        "<div class=\"chart\">\n" +
        icicle + "</div>\n";
  ChartOptions others = usable.chart;
  others.level = options.chart.level;  // what the host's chart shows need not be the GPUs'
  body += charts_of_other_loci(profile, others);
  body += cards(profile, level);
  body += fmt::format(
      "<h2>Regions</h2>\n<p class=\"soft static-only\">{}, intensity at {}.</p>\n"
      "<div class=\"bar scripted\"><input type=\"search\" id=\"filter\" placeholder=\"Filter by "
      "name\""
      " aria-label=\"Filter regions by name\"></div>\n",
      usable.chart.self ? "Without their children" : "With their children", markup(level));
  if (profile.regions.size() < whole.regions.size())
    body += fmt::format(
        "<p id=\"left-out\">The {} regions with the most time of their own are in this page, of "
        "{}. "
        "The profile (JSON) and <code>roofmark report --format csv</code> have every one; "
        "<code>--all</code> puts them into the page.</p>\n",
        profile.regions.size(), whole.regions.size());
  body += table;
  body += "<p id=\"more\" class=\"bar\" hidden><button type=\"button\">Show more</button></p>\n";
  body += declared;
  body += events;

  std::vector<std::string> reasons;
  for (const Absences::Entry& entry : absences.entries())
    reasons.push_back((entry.mark.empty() ? "" : "[" + entry.mark + "] ") +
                      sentence(entry, rows.size()));
  body += list("Not in this report, and why", reasons);
  body += list("Flags", flag_sentences(whole, 10));
  body += list("Functions", function_sentences(whole));
  body += list("Passes", pass_sentences(whole));
  body += ceilings_table("Ceilings", own_roof(profile, rows));
  if (const std::string others = ceilings_table("", other_ceilings(profile, rows)); !others.empty())
    body +=
        "<details id=\"other-ceilings\"><summary>Other ceilings of this machine: other patterns, "
        "widths, operations and numbers of cores</summary>\n" +
        others + "</details>\n";
  for (const Gpu& gpu : profile.machine.gpus)
    body += ceilings_table("Ceilings of " + gpu_name(profile, gpu.uuid), own_roof_of(profile, gpu));
  body += list("Notes", note_sentences(profile));
  body += fmt::format("<script type=\"application/json\" id=\"roofmark-data\">{}</script>\n",
                      html_data(profile, chart, layout, level, usable, svg.labelled));
  // The link last: it shows again what the others show.
  for (const char* script : {"numbers.js", "crowd.js", "page.js", "axes.js", "near.js", "view.js",
                             "icicle.js", "cloud.js", "link.js"})
    body += fmt::format("<script>\n{}</script>\n", web_file(script));
  return page(elided(printable(command), 80) + " - roofline", body);
}

std::string render_html(const std::vector<Chart>& charts) {
  std::string body;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const Chart& chart = charts[i];
    SvgOptions svg;
    svg.width = 1180;
    svg.height = 640;
    if (i > 0) svg.id += "-" + std::to_string(i);
    body += "<div class=\"chart\">\n" + render_svg(chart, svg) + "</div>\n";
    body += ceilings_table("Ceilings", chart.ceilings);
    body += points_table(chart.points);
    body += list("Notes", chart.notes);
  }
  const std::string title = charts.empty() ? "" : charts.front().title;
  return page(printable(title.empty() ? "Roofline" : title), body);
}

std::string render_html(const Chart& chart) {
  return render_html(std::vector<Chart>{chart});
}

}  // namespace roofmark
