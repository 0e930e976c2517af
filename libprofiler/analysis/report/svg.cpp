// The chart as an SVG document.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <roofmark/report.hpp>

#include "analysis/text/plain_text.hpp"
#include "chart_ceilings.hpp"
#include "chart_layout.hpp"
#include "flag_words.hpp"
#include "numbers.hpp"
#include "svg_marks.hpp"
#include "web_files.hpp"

namespace roofmark {
namespace {

using namespace report;
using namespace text;

// Presentation attributes repeat the light palette for programs that know no CSS variables; where
// the style sheet is understood it wins.

class SvgWriter {
 public:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  void raw(const std::string& text) { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string safe_id(const std::string& id) {
  std::string safe;
  for (const char c : id)
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-')
      safe += c;
  return safe.empty() || safe[0] == '-' || (safe[0] >= '0' && safe[0] <= '9') ? "chart" + safe
                                                                              : safe;
}

std::string rate_text(const Interval& interval, std::string_view unit) {
  return with_prefix(interval, unit) +
         range_text(interval, [&](double end) { return with_prefix(end, unit); });
}

std::string intensity_text(const Interval& interval) {
  return significant(interval) + range_text(interval, [](double end) { return significant(end); });
}

/// What the picture shows, for people who cannot see it.
std::string description(const Chart& chart) {
  std::string text = fmt::format("{} roofline chart: FLOP/s over FLOP per byte. Ceilings: ",
                                 chart.linear ? "Linear" : "Log-log");
  std::size_t count = 0;
  for (const ChartCeiling& ceiling : chart.ceilings) {
    if (count++ > 0) text += "; ";
    text += printable(name_of(chart, ceiling)) + " " + rate_of(ceiling);
  }
  if (count == 0) text += "none";
  text += ". Points: ";
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(chart.points.size(), most); ++i) {
    const ChartPoint& point = chart.points[i];
    text += fmt::format("{}{} at {} FLOP/byte, {}", i > 0 ? "; " : "", printable(point.name),
                        significant(point.intensity), with_prefix(point.flop_per_s, "FLOP/s"));
  }
  if (chart.points.empty()) text += "none";
  if (chart.points.size() > most) text += fmt::format("; and {} more", chart.points.size() - most);
  return text + ".";
}

std::string point_tooltip(const ChartPoint& point) {
  std::string text = fmt::format(
      "{}\n{}{}\n{} FLOP/byte{}", printable(point.name), rate_text(point.flop_per_s, "FLOP/s"),
      point.precision.empty() || point.precision == "any" ? std::string()
                                                          : " " + printable(point.precision),
      intensity_text(point.intensity), point.level.empty() ? "" : " of " + printable(point.level));
  if (point.visits_low && point.visits_high)
    text += fmt::format(
        "\nsingle visits: {} to {} (one standard deviation{})",
        with_prefix(*point.visits_low, "FLOP/s", 2), with_prefix(*point.visits_high, "FLOP/s", 2),
        point.visits_differ
            ? fmt::format("; dashed: {}: as if each did the same", meaning_of_flag("visits_differ"))
            : "");
  if (!point.attainable)
    text +=
        "\n" + percent_text(point.share.value_or(Interval{point.weight, {}, {}})) + " of the time";
  if (point.before)
    text +=
        fmt::format("\nbefore: {} at {} FLOP/byte", with_prefix(point.before->flop_per_s, "FLOP/s"),
                    significant(point.before->intensity));
  if (!point.note.empty()) text += "\n" + printable(point.note);
  return text;
}

void draw_grid(SvgWriter& out, const ChartLayout& layout) {
  out.line("<g class=\"grid\" stroke=\"#dfe3e8\" stroke-width=\"1\">");
  const auto kind = [](const Tick& tick) { return tick.fine ? "fine" : "decade"; };
  const auto shade = [](const Tick& tick) { return tick.fine ? "#f0f2f4" : "#dfe3e8"; };
  for (const Tick& tick : layout.x_ticks)
    out.line("<path class=\"{}\" stroke=\"{}\" d=\"M{} {}V{}\"/>", kind(tick), shade(tick),
             px(tick.px), px(layout.top), px(layout.bottom));
  for (const Tick& tick : layout.y_ticks)
    out.line("<path class=\"{}\" stroke=\"{}\" d=\"M{} {}H{}\"/>", kind(tick), shade(tick),
             px(layout.left), px(tick.px), px(layout.right));
  out.line("<path class=\"frame\" fill=\"none\" stroke=\"#57606a\" d=\"M{} {}V{}H{}\"/>",
           px(layout.left), px(layout.top), px(layout.bottom), px(layout.right));
  out.line("</g>");
  out.line("<g class=\"axis\" font-size=\"12\" fill=\"#57606a\">");
  for (const Tick& tick : layout.x_ticks)
    if (!tick.text.empty())
      out.line("<text class=\"soft\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>",
               px(tick.px), px(layout.bottom + 17), markup(tick.text));
  for (const Tick& tick : layout.y_ticks)
    if (!tick.text.empty())
      out.line("<text class=\"soft\" text-anchor=\"end\" x=\"{}\" y=\"{}\">{}</text>",
               px(layout.left - 8), px(tick.px + 4), markup(tick.text));
  out.line("</g>");
}

/// So that a script can hide line, spread and name together.
std::string roof(const Chart& chart, const ChartCeiling& ceiling) {
  return fmt::format(" data-roof=\"{} {}\"", markup(printable(name_of(chart, ceiling))),
                     rate_of(ceiling));
}

void draw_ceilings(SvgWriter& out, const Chart& chart, const ChartLayout& layout) {
  out.line("<g class=\"bands\" fill=\"#57606a\" fill-opacity=\"0.13\">");
  for (const PlacedCeiling& placed : layout.ceilings) {
    if (placed.band.empty()) continue;
    std::string shape;
    for (const Spot& corner : placed.band)
      shape += fmt::format("{}{} {}", shape.empty() ? "M" : "L", px(corner.x), px(corner.y));
    out.line("<path class=\"band\"{} d=\"{}Z\"/>", roof(chart, chart.ceilings[placed.ceiling]),
             shape);
  }
  out.line("</g>");
  out.line("<g class=\"ceilings\" fill=\"none\" stroke=\"#1c2128\">");
  for (const PlacedCeiling& placed : layout.ceilings) {
    const ChartCeiling& ceiling = chart.ceilings[placed.ceiling];
    const bool compute = ceiling.kind == ChartCeiling::Kind::compute;
    out.line(
        "<path class=\"{}\"{} stroke=\"{}\" stroke-width=\"{}\"{} d=\"M{} {}L{} "
        "{}\"><title>{}</title></path>",
        ceiling.emphasised ? "roof" : "rung", roof(chart, ceiling),
        ceiling.emphasised ? "#1c2128" : "#8a939e", ceiling.emphasised ? "2.2" : "1.3",
        ceiling.emphasised ? "" : " stroke-dasharray=\"6 4\"", px(placed.line.from.x),
        px(placed.line.from.y), px(placed.line.to.x), px(placed.line.to.y),
        multiline_markup(fmt::format(
            "{}: {}\n{}{}{}", printable(ceiling.name),
            rate_of(ceiling) + range_text(ceiling.per_s,
                                          [&](double end) {
                                            return with_prefix(end, compute ? "FLOP/s" : "B/s");
                                          }),
            printable(ceiling.detail), ceiling.detail.empty() ? "" : ", ",
            spelling(ceiling.source))));
  }
  out.line("</g>");
  out.line("<g class=\"ridges\">");
  for (const PlacedRidge& ridge : layout.ridges)
    out.line(
        "<circle class=\"ridge\" fill=\"#fff\" stroke=\"#1c2128\" stroke-width=\"1.6\" cx=\"{}\" "
        "cy=\"{}\" r=\"3.5\"><title>{}</title></circle>",
        px(ridge.at.x), px(ridge.at.y), markup(ridge.tooltip));
  out.line("</g>");
}

/// A small ring where the point was, a line, and a head at the rim of its mark.
std::string arrow(const Segment& move, Side side) {
  constexpr double ring_px = 3.5, head_px = 8, half_px = 3.5;
  const double dx = move.to.x - move.from.x, dy = move.to.y - move.from.y;
  const double length = std::hypot(dx, dy);
  const Spot along{dx / length, dy / length};
  const Spot neck{move.to.x - head_px * along.x, move.to.y - head_px * along.y};
  return fmt::format(
      "<path {14} d=\"M{1} {2}L{3} {4}\"/><path {0} d=\"M{5} {6}L{7} "
      "{8}L{9} "
      "{10}Z\"/><circle {15} cx=\"{11}\" cy=\"{12}\" r=\"{13}\"/>",
      paint(side, Brush::solid), px(move.from.x + ring_px * along.x),
      px(move.from.y + ring_px * along.y), px(neck.x), px(neck.y), px(move.to.x), px(move.to.y),
      px(neck.x - half_px * along.y), px(neck.y + half_px * along.x),
      px(neck.x + half_px * along.y), px(neck.y - half_px * along.x), px(move.from.x),
      px(move.from.y), px(ring_px), paint(side, Brush::line), paint(side, Brush::hollow));
}

void draw_points(SvgWriter& out, const Chart& chart, const ChartLayout& layout) {
  out.line("<g class=\"points\" stroke-width=\"1.4\" fill-opacity=\"0.72\">");
  // The lightest last, so that a large mark does not hide a small one.
  for (const PlacedPoint& placed : layout.points) {
    const ChartPoint& point = chart.points[placed.point];
    std::string bars;
    for (const auto* bar : {&placed.x_bar, &placed.y_bar})
      if (*bar)
        bars += fmt::format(
            "<path {}{} d=\"M{} {}L{} {}\"/>", paint(point.side, Brush::line),
            bar == &placed.y_bar && point.visits_differ ? " stroke-dasharray=\"2 2\"" : "",
            px((*bar)->from.x), px((*bar)->from.y), px((*bar)->to.x), px((*bar)->to.y));
    if (placed.move) bars += arrow(*placed.move, point.side);
    out.line(
        "<g class=\"point\"{}>{}{}<title>{}</title></g>",
        point.region ? fmt::format(" data-region=\"{}\"", *point.region) : std::string(), bars,
        mark(point.side, placed.at, placed.radius, point.attainable ? Brush::hollow : Brush::solid),
        multiline_markup(point_tooltip(point)));
  }
  out.line("</g>");
}

void draw_text(SvgWriter& out, const PlacedText& text, const char* classes,
               const std::string& more = "") {
  const std::string turn =
      std::abs(text.angle) < 1e-6
          ? std::string()
          : fmt::format(" transform=\"rotate({} {} {})\"", px(text.angle * 180 / std::acos(-1.0)),
                        px(text.at.x), px(text.at.y));
  out.line("<text class=\"{}\"{} font-size=\"{}\" x=\"{}\" y=\"{}\"{}>{}</text>", classes, more,
           px(text.font_px), px(text.at.x), px(text.at.y), turn, markup(text.text));
}

void draw_labels(SvgWriter& out, const Chart& chart, const ChartLayout& layout) {
  out.line(
      "<g class=\"halo\" text-anchor=\"middle\" stroke=\"#fff\" stroke-width=\"3.5\" "
      "stroke-linejoin=\"round\" paint-order=\"stroke\" pointer-events=\"none\">");
  for (const PlacedCeiling& placed : layout.ceilings)
    if (placed.label)
      draw_text(out, *placed.label, chart.ceilings[placed.ceiling].emphasised ? "upper" : "lower",
                roof(chart, chart.ceilings[placed.ceiling]));
  for (const PlacedRidge& ridge : layout.ridges)
    if (ridge.label) draw_text(out, *ridge.label, "lower");
  out.line("<g class=\"names\" font-weight=\"600\">");
  for (const PlacedPoint& placed : layout.points) {
    if (!placed.label) continue;
    if (placed.leader)
      out.line("<path class=\"leader\" stroke=\"#57606a\" stroke-width=\"1\" d=\"M{} {}L{} {}\"/>",
               px(placed.leader->from.x), px(placed.leader->from.y), px(placed.leader->to.x),
               px(placed.leader->to.y));
    draw_text(out, *placed.label, "name");
  }
  out.line("</g>");
  out.line("</g>");
}

/// With the level where all points are of one.
std::string x_title(const Chart& chart) {
  std::string level;
  for (const ChartPoint& point : chart.points) {
    if (!level.empty() && point.level != level) return "Intensity, FLOP/byte";
    level = point.level;
  }
  return level.empty() ? "Intensity, FLOP/byte"
                       : "Intensity at " + printable(level) + ", FLOP/byte";
}

void draw_key(SvgWriter& out, const Chart& chart, const ChartLayout& layout, bool every_side) {
  double x = layout.left;
  const double y = layout.bottom + 60;
  out.line("<g class=\"key\" font-size=\"11.5\" fill=\"#57606a\">");
  const auto entry = [&](Side side, Brush brush, const std::string& text) {
    out.line("{}", mark(side, {x + 5, y - 4}, 5, brush));
    out.line("<text class=\"soft\" x=\"{}\" y=\"{}\">{}</text>", px(x + 16), px(y), markup(text));
    x += 16 + text_width(text, 11.5) + 20;
  };
  bool hollow = false, sized = false;
  for (const ChartPoint& point : chart.points) {
    hollow = hollow || point.attainable;
    sized = sized || !point.attainable;
  }
  for (const Side side : {Side::memory, Side::compute, Side::balanced, Side::unknown}) {
    const bool used = std::any_of(chart.points.begin(), chart.points.end(),
                                  [&](const ChartPoint& point) { return point.side == side; });
    if (used || every_side)
      entry(side, hollow && !sized ? Brush::hollow : Brush::solid,
            side == Side::unknown
                ? "side unknown"
                : std::string(spelling(side)) + (side == Side::balanced ? "" : " side"));
  }
  const std::string size = hollow && !sized ? "hollow: on the roof, not measured"
                           : sized          ? "area: share of the time"
                                            : "";
  const bool moved = std::any_of(layout.points.begin(), layout.points.end(),
                                 [](const PlacedPoint& point) { return point.move.has_value(); });
  // A chart that is redrawn may get bars that it has not now.
  const bool bars = every_side || std::any_of(layout.points.begin(), layout.points.end(),
                                              [](const PlacedPoint& point) {
                                                return point.x_bar || point.y_bar;
                                              });
  const std::string text =
      size + (bars && sized ? "; bars: ranges, and one standard deviation of visits" : "") +
      (moved ? "; arrow: from before to after" : "");
  if (!size.empty())
    out.line("<text class=\"soft\" x=\"{}\" y=\"{}\">{}</text>", px(x), px(y), markup(text));
  out.line("</g>");
}

std::vector<std::string> footnotes(const Chart& chart, const ChartLayout& layout, double room,
                                   bool redrawn) {
  std::vector<std::string> notes;
  if (!layout.unlabelled_ceilings.empty()) {
    std::string text = "Without a label: ";
    for (std::size_t i = 0; i < layout.unlabelled_ceilings.size(); ++i) {
      const ChartCeiling& ceiling = chart.ceilings[layout.unlabelled_ceilings[i]];
      text += (i > 0 ? ", " : "") + printable(name_of(chart, ceiling)) + " " + rate_of(ceiling);
    }
    notes.push_back(text + ".");
  }
  std::size_t moved = 0, drawn = 0;
  for (const ChartPoint& point : chart.points) moved += point.before ? 1 : 0;
  for (const PlacedPoint& point : layout.points) drawn += point.move ? 1 : 0;
  if (moved > drawn)
    notes.push_back(fmt::format(
        "Without an arrow: {} point{} that moved less than the mark is wide, or from or to where "
        "the "
        "chart does not reach; the table has {}.",
        moved - drawn, moved - drawn == 1 ? "" : "s", moved - drawn == 1 ? "it" : "them"));
  constexpr std::size_t most = 8;
  // The page says it of the view that is shown.
  if (const std::string outside = outside_sentence(chart); !outside.empty() && !redrawn)
    notes.push_back(outside);
  for (const std::string& note : chart.notes)
    if (notes.size() < most) notes.push_back(printable(note));
  std::vector<std::string> lines;
  for (const std::string& note : notes)
    for (const std::string& line :
         wrapped(note, static_cast<std::size_t>(std::max(20.0, room / 6.6))))
      lines.push_back(line);
  return lines;
}

struct ChartDrawing {
  double width = 0, height = 0;
  std::string title, description, text;
};

ChartDrawing drawing_of(const Chart& given, const SvgOptions& options) {
  Chart chart = given;
  fit_axes(chart);
  const ChartLayout layout = lay_out(chart, options);
  const auto notes = footnotes(chart, layout, layout.right - layout.left, options.every_side);
  ChartDrawing drawing;
  drawing.width = layout.right + 24;
  drawing.height = layout.bottom + 76 + 16 * static_cast<double>(notes.size());
  drawing.title = chart.title.empty() ? "Roofline" : chart.title;
  drawing.description = description(chart);
  SvgWriter out;
  out.line("<rect class=\"paper\" fill=\"#fff\" width=\"{}\" height=\"{}\"/>", px(drawing.width),
           px(drawing.height));
  if (!chart.title.empty())
    out.line("<text font-size=\"16\" font-weight=\"600\" x=\"{}\" y=\"26\">{}</text>",
             px(layout.left),
             markup(elided(printable(chart.title),
                           static_cast<std::size_t>((layout.right - layout.left) / 10.5))));
  if (!chart.subtitle.empty())
    out.line("<text class=\"soft\" font-size=\"12\" fill=\"#57606a\" x=\"{}\" y=\"{}\">{}</text>",
             px(layout.left), chart.title.empty() ? "24" : "45",
             markup(elided(printable(chart.subtitle),
                           static_cast<std::size_t>((layout.right - layout.left) / 7.2))));
  draw_grid(out, layout);
  draw_ceilings(out, chart, layout);
  draw_points(out, chart, layout);
  draw_labels(out, chart, layout);
  out.line(
      "<text class=\"axis x-title\" font-size=\"12.5\" text-anchor=\"middle\" x=\"{}\" "
      "y=\"{}\">{}</text>",
      px((layout.left + layout.right) / 2), px(layout.bottom + 38), markup(x_title(chart)));
  out.line("<text class=\"axis y-title\" font-size=\"12.5\" x=\"{}\" y=\"{}\">Performance</text>",
           px(20), px(layout.top - 10));
  if (chart.ceilings.empty() && chart.points.empty())
    out.line(
        "<text class=\"soft\" font-size=\"14\" fill=\"#57606a\" text-anchor=\"middle\" x=\"{}\" "
        "y=\"{}\">Nothing to draw: no ceilings of this machine, and no region with FLOPs and "
        "bytes.</text>",
        px((layout.left + layout.right) / 2), px((layout.top + layout.bottom) / 2));
  draw_key(out, chart, layout, options.every_side && !chart.points.empty());
  for (std::size_t i = 0; i < notes.size(); ++i)
    out.line("<text class=\"soft\" font-size=\"11.5\" fill=\"#57606a\" x=\"{}\" y=\"{}\">{}</text>",
             px(layout.left), px(layout.bottom + 78 + 16 * static_cast<double>(i)),
             markup(notes[i]));
  drawing.text = out.take();
  return drawing;
}

}  // namespace

std::string render_svg(const std::vector<Chart>& charts, const SvgOptions& options) {
  const std::string id = safe_id(options.id);
  std::vector<ChartDrawing> drawings;
  double width = 0, height = 0;
  std::string description;
  for (const Chart& chart : charts) {
    const ChartDrawing& drawing = drawings.emplace_back(drawing_of(chart, options));
    width = std::max(width, drawing.width);
    height += drawing.height;
    description += (description.empty() ? "" : " ") +
                   (charts.size() > 1 ? drawing.title + ": " : std::string()) + drawing.description;
  }
  SvgWriter out;
  out.line(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"rm-chart\" id=\"{0}\" role=\"img\" "
      "aria-labelledby=\"{0}-title {0}-desc\" viewBox=\"0 0 {1} {2}\" width=\"{1}\" "
      "height=\"{2}\" font-family=\"sans-serif\">",
      id, px(width), px(height));
  out.line("<title id=\"{}-title\">{}</title>", id,
           markup(drawings.empty() ? "Roofline" : drawings.front().title));
  out.line("<desc id=\"{}-desc\">{}</desc>", id, markup(description));
  out.line("<style>{}</style>", web_file("chart.css"));
  double top = 0;
  for (const ChartDrawing& drawing : drawings) {
    if (top > 0) out.line("<g transform=\"translate(0 {})\">", px(top));
    out.raw(drawing.text);
    if (top > 0) out.line("</g>");
    top += drawing.height;
  }
  out.line("</svg>");
  return out.take();
}

std::string render_svg(const Chart& chart, const SvgOptions& options) {
  return render_svg(std::vector<Chart>{chart}, options);
}

}  // namespace roofmark
