// The roofline chart in characters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <roofmark/report.hpp>
#include <utility>

#include "analysis/text/parsing.hpp"
#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"
#include "chart_key.hpp"
#include "chart_layout.hpp"
#include "drawable.hpp"
#include "numbers.hpp"
#include "terminal_ceilings.hpp"
#include "terminal_frame.hpp"

namespace roofmark {
namespace {

using namespace report;
using namespace text;

std::string paint_of(Side side) {
  switch (side) {
    case Side::memory:
      return "1;34";
    case Side::compute:
      return "1;33";
    case Side::balanced:
      return "1;32";
    case Side::unknown:
      break;
  }
  return "1";
}

/// "A, B and C"
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " and ") + words[i];
  return text;
}

class TerminalChart {
 public:
  TerminalChart(const Chart& chart, const TerminalChartOptions& options)
      : chart_(chart),
        options_(options),
        key_(key_of(each_for_itself(), names(), {options.width})),
        frame_(
            chart, options,
            options.height > key_.lines.size() + 6 ? options.height - key_.lines.size() - 3 : 5) {
    // Points of one place have one letter: of two, one would be in the key and not on the chart.
    key_ =
        key_of(by_place(), names(), {options.width, std::max<std::size_t>(key_.lines.size(), 1)});
  }

  std::string render() {
    draw_ceilings(frame_);
    place_points();
    name_ceilings(frame_);
    std::string text = frame_.text();
    for (const std::string& line : key_.lines) text += line + '\n';
    return text;
  }

  /// Of the points that have no letter in the key, once they are placed.
  std::string unnamed_sentence() const {
    std::size_t unnamed = 0, seen = 0, moved = 0;
    for (std::size_t i = 0; i < chart_.points.size(); ++i) {
      if (key_.letters[i] || !frame_.cell_of(chart_.points[i])) continue;
      ++unnamed;
      if (frame_.canvas.at(*frame_.cell_of(chart_.points[i])) == "*") ++seen;
      if (chart_.points[i].before) ++moved;
    }
    if (unnamed == 0) return "";
    std::string text =
        fmt::format("{}{} point{} with less of the time than those{}; the table has {}.",
                    seen > 0 ? "*: " : "", unnamed, unnamed == 1 ? "" : "s",
                    seen > 0       ? ""
                    : unnamed == 1 ? " lies under their letters"
                                   : " lie under their letters",
                    unnamed == 1 ? "its name" : "their names");
    if (moved > 0) text += fmt::format(" Where {} of them moved from is not drawn.", moved);
    return text;
  }

  /// Of the small letters that another letter hides, or that lie beyond the axes.
  std::string hidden_sentence() const {
    std::vector<std::string> under, beyond;
    const auto add = [](std::vector<std::string>& to, const std::string& letter) {
      if (std::find(to.begin(), to.end(), letter) == to.end()) to.push_back(letter);
    };
    for (std::size_t i = 0; i < chart_.points.size(); ++i) {
      const auto& before = chart_.points[i].before;
      if (!before || !key_.letters[i]) continue;
      const std::string letter = letter_of(*key_.letters[i]);
      const auto cell = frame_.cell_of(before->intensity, before->flop_per_s);
      if (!cell)
        add(beyond, letter);
      else if (frame_.canvas.at(*cell) != text::lowered(letter))
        add(under, letter);
    }
    std::string text;
    if (!under.empty())
      text += fmt::format("Under another letter: where {} {}.", listed(under),
                          under.size() == 1 ? "was" : "were");
    if (!beyond.empty())
      text += fmt::format("{}Outside the chart: where {} {}.", text.empty() ? "" : " ",
                          listed(beyond), beyond.size() == 1 ? "was" : "were");
    return text;
  }

 private:
  /// Ranges of what has a letter: of others they would be a thicket.
  void draw_bars(const ChartPoint& point) {
    const double x = point.intensity.value, y = point.flop_per_s.value;
    if (x < chart_.x_min || x > chart_.x_max || y < chart_.y_min || y > chart_.y_max) return;
    const auto span = [](const Axis& axis, const Interval& ends) {
      const double low = ends.low.value_or(ends.value), high = ends.high.value_or(ends.value);
      const double least = std::min(axis.from_px, axis.to_px);
      const double most = std::max(axis.from_px, axis.to_px);
      const double one = drawable(low) ? axis.px(low) : axis.from_px;
      const double other = drawable(high) ? axis.px(high) : axis.from_px;
      return std::pair(std::lround(std::clamp(std::min(one, other), least, most)),
                       std::lround(std::clamp(std::max(one, other), least, most)));
    };
    const long column = std::lround(frame_.x.px(x)), row = std::lround(frame_.y.px(y));
    if (point.intensity.low || point.intensity.high)
      for (auto [at, end] = span(frame_.x, point.intensity); at <= end; ++at)
        frame_.canvas.dot(at, row, '-');
    if (const Interval rates = bar_of(point); rates.low || rates.high)
      for (auto [at, end] = span(frame_.y, rates); at <= end; ++at)
        frame_.canvas.dot(column, at, '|');
  }

  void place_points() {
    for (std::size_t i = 0; i < chart_.points.size(); ++i)
      if (key_.letters[i]) draw_bars(chart_.points[i]);
    // The heaviest last, so that its letter is on top; where they were below all that is.
    for (std::size_t i = chart_.points.size(); i-- > 0;)
      if (const auto& before = chart_.points[i].before; before && key_.letters[i])
        put(frame_.cell_of(before->intensity, before->flop_per_s),
            text::lowered(letter_of(*key_.letters[i])), chart_.points[i].side);
    for (std::size_t i = chart_.points.size(); i-- > 0;)
      if (!key_.letters[i]) put(frame_.cell_of(chart_.points[i]), "*", chart_.points[i].side);
    for (std::size_t i = chart_.points.size(); i-- > 0;)
      if (key_.letters[i])
        put(frame_.cell_of(chart_.points[i]), letter_of(*key_.letters[i]), chart_.points[i].side);
  }

  using Cell = DotCanvas::Place;

  void put(const std::optional<Cell>& cell, const std::string& letter, Side side) {
    if (cell) frame_.canvas.put(cell->column, cell->row, letter, paint_of(side));
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const ChartPoint& point : chart_.points)
      names.push_back(elided(options_.utf8 ? printable(point.name) : printable_ascii(point.name),
                             28, options_.utf8));
    return names;
  }
  PointGroups each_for_itself() const {
    PointGroups groups;
    for (std::size_t i = 0; i < chart_.points.size(); ++i) groups.push_back({i});
    return groups;
  }
  PointGroups by_place() const {
    PointGroups groups;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> group_at;
    for (std::size_t i = 0; i < chart_.points.size(); ++i)
      if (const auto cell = frame_.cell_of(chart_.points[i])) {
        const auto [at, is_new] = group_at.try_emplace({cell->column, cell->row}, groups.size());
        if (is_new) groups.emplace_back();
        groups[at->second].push_back(i);
      }
    return groups;
  }

  Chart chart_;
  TerminalChartOptions options_;
  ChartKey key_;
  TerminalFrame frame_;
};

/// In very few rows the chart goes before the sentence: the table has every region anyway.
std::vector<std::string> lines_outside(const Chart& chart, const TerminalChartOptions& options) {
  constexpr unsigned enough_rows = 20;
  const std::string outside = outside_sentence(chart);
  if (outside.empty() || options.height < enough_rows) return {};
  return wrapped(outside, options.width);
}

}  // namespace

std::string terminal_chart_notes(const Chart& given, const TerminalChartOptions& options) {
  Chart chart = given;
  fit_axes(chart);
  TerminalChartOptions usable = options;
  usable.width = std::clamp(options.width, 40u, 400u);
  usable.height = std::clamp(options.height, 12u, 200u);
  std::vector<std::string> notes = chart.notes;
  usable.height -= static_cast<unsigned>(lines_outside(chart, usable).size());
  TerminalChart drawn(chart, usable);
  drawn.render();
  for (std::string sentence : {drawn.hidden_sentence(), drawn.unnamed_sentence()})
    if (!sentence.empty()) notes.insert(notes.begin(), std::move(sentence));
  std::string text;
  for (const std::string& note : notes)
    for (const std::string& line :
         wrapped(options.utf8 ? printable(note) : printable_ascii(note), usable.width))
      text += line + '\n';
  return text;
}

std::string render_terminal_chart(const Chart& given, const TerminalChartOptions& options) {
  Chart chart = given;
  fit_axes(chart);
  TerminalChartOptions usable = options;
  usable.width = std::clamp(options.width, 40u, 400u);
  usable.height = std::clamp(options.height, 12u, 200u);
  const std::vector<std::string> below = lines_outside(chart, usable);
  usable.height -= static_cast<unsigned>(below.size());
  std::string text = TerminalChart(chart, usable).render();
  for (const std::string& line : below) text += line + '\n';
  return text;
}

}  // namespace roofmark
