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
#include "chart_ceilings.hpp"
#include "chart_key.hpp"
#include "chart_layout.hpp"
#include "dot_canvas.hpp"
#include "drawable.hpp"
#include "numbers.hpp"

namespace roofmark {
namespace {

using namespace report;
using namespace text;
using Kind = ChartCeiling::Kind;

constexpr std::size_t margin = 13;  // "100 GFLOP/s", a blank and the axis

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
        rows_(options.height > key_.lines.size() + 6 ? options.height - key_.lines.size() - 3 : 5),
        canvas_(options.width - margin, rows_, options.utf8) {
    x_ = {chart.x_min, chart.x_max, 0, static_cast<double>(canvas_.dot_columns()) - 1};
    y_ = {chart.y_min, chart.y_max, static_cast<double>(canvas_.dot_rows()) - 1, 0};
    // Points of one place have one letter: of two, one would be in the key and not on the chart.
    key_ =
        key_of(by_place(), names(), {options.width, std::max<std::size_t>(key_.lines.size(), 1)});
  }

  std::string render() {
    for (const ChartCeiling& ceiling : chart_.ceilings)
      if (drawable(ceiling.per_s.value)) draw(ceiling);
    place_points();
    for (const bool emphasised : {true, false})
      for (const ChartCeiling& ceiling : chart_.ceilings)
        if (ceiling.emphasised == emphasised && drawable(ceiling.per_s.value)) name(ceiling);
    std::string text;
    for (std::size_t row = 0; row < rows_; ++row)
      text += right(y_label(row), margin - 2) + " " + axis_mark() +
              canvas_.line(row, options_.colour) + '\n';
    text += std::string(margin - 1, ' ') + corner() + horizontal() + '\n';
    text += x_labels() + '\n';
    for (const std::string& line : key_.lines) text += line + '\n';
    return text;
  }

  /// Of the points that have no letter in the key, once they are placed.
  std::string unnamed_sentence() const {
    std::size_t unnamed = 0, seen = 0, moved = 0;
    for (std::size_t i = 0; i < chart_.points.size(); ++i) {
      if (key_.letters[i] || !cell_of(chart_.points[i])) continue;
      ++unnamed;
      if (canvas_.at(*cell_of(chart_.points[i])) == "*") ++seen;
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
      const auto cell = cell_of(before->intensity, before->flop_per_s);
      if (!cell)
        add(beyond, letter);
      else if (canvas_.at(*cell) != text::lowered(letter))
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
  std::string clean(std::string_view text) const {
    return options_.utf8 ? printable(text) : printable_ascii(text);
  }
  std::string axis_mark() const { return options_.utf8 ? "│" : "|"; }
  std::string corner() const { return options_.utf8 ? "└" : "+"; }
  std::string horizontal() const {
    std::string line;
    for (std::size_t i = margin; i < options_.width; ++i) line += options_.utf8 ? "─" : "-";
    return line;
  }

  double top_peak() const {
    double top = 0;
    for (const ChartCeiling& ceiling : chart_.ceilings)
      if (ceiling.kind == Kind::compute && drawable(ceiling.per_s.value))
        top = std::max(top, ceiling.per_s.value);
    return top > 0 ? top : INFINITY;
  }
  double fastest() const {
    double top = 0;
    for (const ChartCeiling& ceiling : chart_.ceilings)
      if (ceiling.kind == Kind::bandwidth && drawable(ceiling.per_s.value))
        top = std::max(top, ceiling.per_s.value);
    return top;
  }

  /// The height of a ceiling at a dot column, or nothing where it is not drawn.
  std::optional<double> height(const ChartCeiling& ceiling, std::size_t dot_column) const {
    const double part = static_cast<double>(dot_column) / std::max(1.0, x_.to_px);
    const double intensity = chart_.x_min * std::pow(chart_.x_max / chart_.x_min, part);
    const double value =
        ceiling.kind == Kind::compute ? ceiling.per_s.value : ceiling.per_s.value * intensity;
    const double end = ceiling.ends_at > 0             ? ceiling.ends_at
                       : ceiling.kind == Kind::compute ? fastest()
                                                       : top_peak();
    const double edge = ceiling.kind == Kind::compute ? end * intensity : end;
    const bool beyond = end > 0 && value > edge * 1.0001;
    if (beyond || value < chart_.y_min || value > chart_.y_max) return std::nullopt;
    return y_.px(value);
  }

  void draw(const ChartCeiling& ceiling) {
    const char stroke = ceiling.kind == Kind::compute ? (ceiling.emphasised ? '-' : '.')
                                                      : (ceiling.emphasised ? '/' : ':');
    for (std::size_t column = 0; column < canvas_.dot_columns(); ++column) {
      if (!ceiling.emphasised && column % 4 > 1 && options_.utf8) continue;
      if (const auto at = height(ceiling, column))
        canvas_.dot(static_cast<long>(column), std::lround(*at), stroke);
    }
  }

  void name(const ChartCeiling& ceiling) {
    const std::string value = " " + rate_of(ceiling);
    if (put_name(ceiling, elided(clean(name_of(chart_, ceiling)), 30, options_.utf8) + value))
      return;
    // Of the lines of all cores one may go without their number.
    const bool of_all =
        std::none_of(chart_.ceilings.begin(), chart_.ceilings.end(),
                     [&](const ChartCeiling& other) { return other.cores > ceiling.cores; });
    if (of_all) put_name(ceiling, elided(clean(ceiling.name), 30, options_.utf8) + value);
  }

  bool put_name(const ChartCeiling& ceiling, const std::string& text) {
    const std::size_t length = columns(text);
    const auto width = static_cast<long>(options_.width - margin);
    const auto try_at = [&](long column, long row, bool dots_too) {
      if (!canvas_.vacant(column - 1, row, length + 2, dots_too) &&
          !(column == 0 && canvas_.vacant(column, row, length + 1, dots_too)))
        return false;
      canvas_.text(static_cast<std::size_t>(column), static_cast<std::size_t>(row), text,
                   ceiling.emphasised ? "" : "2");
      return true;
    };
    if (ceiling.kind == Kind::compute) {
      const long row =
          std::lround(y_.px(ceiling.per_s.value)) / static_cast<long>(canvas_.per_row());
      // Above the line, or on it, so that the names of close lines stand in the order of the lines.
      for (const auto& [at, dots_too] : {std::pair(row - 1, true), {row, false}})
        for (long column = width - static_cast<long>(length) - 1; column > width / 3; column -= 2)
          if (try_at(column, at, dots_too)) return true;
      return false;
    }
    // To the right of the slope, from its lower end upwards.
    for (const bool dots_too : {true, false})
      for (std::size_t dot = 0; dot < canvas_.dot_columns(); dot += canvas_.per_column()) {
        const auto at = height(ceiling, dot);
        if (!at) continue;
        const long row = std::lround(*at) / static_cast<long>(canvas_.per_row());
        const long column = static_cast<long>(dot / canvas_.per_column());
        if (try_at(column + 3, row, dots_too)) return true;
      }
    return false;
  }

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
    const long column = std::lround(x_.px(x)), row = std::lround(y_.px(y));
    if (point.intensity.low || point.intensity.high)
      for (auto [at, end] = span(x_, point.intensity); at <= end; ++at) canvas_.dot(at, row, '-');
    if (const Interval rates = bar_of(point); rates.low || rates.high)
      for (auto [at, end] = span(y_, rates); at <= end; ++at) canvas_.dot(column, at, '|');
  }

  void place_points() {
    for (std::size_t i = 0; i < chart_.points.size(); ++i)
      if (key_.letters[i]) draw_bars(chart_.points[i]);
    // The heaviest last, so that its letter is on top; where they were below all that is.
    for (std::size_t i = chart_.points.size(); i-- > 0;)
      if (const auto& before = chart_.points[i].before; before && key_.letters[i])
        put(cell_of(before->intensity, before->flop_per_s),
            text::lowered(letter_of(*key_.letters[i])), chart_.points[i].side);
    for (std::size_t i = chart_.points.size(); i-- > 0;)
      if (!key_.letters[i]) put(cell_of(chart_.points[i]), "*", chart_.points[i].side);
    for (std::size_t i = chart_.points.size(); i-- > 0;)
      if (key_.letters[i])
        put(cell_of(chart_.points[i]), letter_of(*key_.letters[i]), chart_.points[i].side);
  }

  /// Column and row; nothing outside the axes.
  using Cell = DotCanvas::Place;
  std::optional<Cell> cell_of(double x, double y) const {
    if (!drawable(x) || !drawable(y)) return std::nullopt;
    if (x < chart_.x_min || x > chart_.x_max || y < chart_.y_min || y > chart_.y_max)
      return std::nullopt;
    return Cell{static_cast<std::size_t>(std::lround(x_.px(x))) / canvas_.per_column(),
                static_cast<std::size_t>(std::lround(y_.px(y))) / canvas_.per_row()};
  }
  std::optional<Cell> cell_of(const ChartPoint& point) const {
    return cell_of(point.intensity.value, point.flop_per_s.value);
  }

  void put(const std::optional<Cell>& cell, const std::string& letter, Side side) {
    if (cell) canvas_.put(cell->column, cell->row, letter, paint_of(side));
  }

  std::string y_label(std::size_t row) const {
    const double per_row = static_cast<double>(canvas_.per_row());
    const double top = static_cast<double>(row) * per_row - 0.5, bottom = top + per_row;
    const int first = static_cast<int>(std::floor(std::log10(chart_.y_min)));
    const int last = static_cast<int>(std::ceil(std::log10(chart_.y_max)));
    for (int exponent = first; exponent <= last; ++exponent) {
      const double value = std::pow(10.0, exponent);
      if (value < chart_.y_min * 0.999 || value > chart_.y_max * 1.001) continue;
      const double at = y_.px(value);
      if (at >= top && at < bottom) return with_prefix(value, "FLOP/s");
    }
    return "";
  }

  std::string x_labels() const {
    std::string line(options_.width, ' ');
    const std::string unit = "FLOP/byte";
    std::size_t free_from = margin - 1;
    const int first = static_cast<int>(std::floor(std::log10(chart_.x_min)));
    const int last = static_cast<int>(std::ceil(std::log10(chart_.x_max)));
    for (int exponent = first; exponent <= last; ++exponent) {
      const double value = std::pow(10.0, exponent);
      if (value < chart_.x_min * 0.999 || value > chart_.x_max * 1.001) continue;
      const std::string text = tick_text(value);
      const auto centre =
          margin + static_cast<std::size_t>(std::max(0.0, x_.px(value))) / canvas_.per_column();
      const std::size_t start = centre > text.size() / 2 ? centre - text.size() / 2 : 0;
      if (start < free_from || start + text.size() + unit.size() + 1 > line.size()) continue;
      line.replace(start, text.size(), text);
      free_from = start + text.size() + 1;
    }
    line.replace(line.size() - unit.size(), unit.size(), unit);
    return line;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const ChartPoint& point : chart_.points)
      names.push_back(elided(clean(point.name), 28, options_.utf8));
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
      if (const auto cell = cell_of(chart_.points[i])) {
        const auto [at, is_new] = group_at.try_emplace({cell->column, cell->row}, groups.size());
        if (is_new) groups.emplace_back();
        groups[at->second].push_back(i);
      }
    return groups;
  }

  Chart chart_;
  TerminalChartOptions options_;
  ChartKey key_;
  std::size_t rows_;
  DotCanvas canvas_;
  Axis x_, y_;
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
