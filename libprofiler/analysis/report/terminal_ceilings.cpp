#include "terminal_ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/text/plain_text.hpp"
#include "chart_ceilings.hpp"
#include "drawable.hpp"
#include "numbers.hpp"

namespace roofmark::report {
namespace {

using namespace text;
using Kind = ChartCeiling::Kind;

double top_peak(const TerminalFrame& frame) {
  double top = 0;
  for (const ChartCeiling& ceiling : frame.chart.ceilings)
    if (ceiling.kind == Kind::compute && drawable(ceiling.per_s.value))
      top = std::max(top, ceiling.per_s.value);
  return top > 0 ? top : INFINITY;
}

double fastest(const TerminalFrame& frame) {
  double top = 0;
  for (const ChartCeiling& ceiling : frame.chart.ceilings)
    if (ceiling.kind == Kind::bandwidth && drawable(ceiling.per_s.value))
      top = std::max(top, ceiling.per_s.value);
  return top;
}

/// The height of a ceiling at a dot column, or nothing where it is not drawn.
std::optional<double> height(const TerminalFrame& frame, const ChartCeiling& ceiling,
                             std::size_t dot_column) {
  const double part = static_cast<double>(dot_column) / std::max(1.0, frame.x.to_px);
  const double intensity =
      frame.chart.x_min * std::pow(frame.chart.x_max / frame.chart.x_min, part);
  const double value =
      ceiling.kind == Kind::compute ? ceiling.per_s.value : ceiling.per_s.value * intensity;
  const double end = ceiling.ends_at > 0             ? ceiling.ends_at
                     : ceiling.kind == Kind::compute ? fastest(frame)
                                                     : top_peak(frame);
  const double edge = ceiling.kind == Kind::compute ? end * intensity : end;
  const bool beyond = end > 0 && value > edge * 1.0001;
  if (beyond || value < frame.chart.y_min || value > frame.chart.y_max) return std::nullopt;
  return frame.y.px(value);
}

void draw_line(TerminalFrame& frame, const ChartCeiling& ceiling) {
  const char stroke = ceiling.kind == Kind::compute ? (ceiling.emphasised ? '-' : '.')
                                                    : (ceiling.emphasised ? '/' : ':');
  for (std::size_t column = 0; column < frame.canvas.dot_columns(); ++column) {
    if (!ceiling.emphasised && column % 4 > 1 && frame.options.utf8) continue;
    if (const auto at = height(frame, ceiling, column))
      frame.canvas.dot(static_cast<long>(column), std::lround(*at), stroke);
  }
}

bool put_name(TerminalFrame& frame, const ChartCeiling& ceiling, const std::string& text) {
  const std::size_t length = columns(text);
  const auto width = static_cast<long>(frame.options.width - TerminalFrame::margin);
  const auto try_at = [&](long column, long row, bool dots_too) {
    if (!frame.canvas.vacant(column - 1, row, length + 2, dots_too) &&
        !(column == 0 && frame.canvas.vacant(column, row, length + 1, dots_too)))
      return false;
    frame.canvas.text(static_cast<std::size_t>(column), static_cast<std::size_t>(row), text,
                      ceiling.emphasised ? "" : "2");
    return true;
  };
  if (ceiling.kind == Kind::compute) {
    const long row =
        std::lround(frame.y.px(ceiling.per_s.value)) / static_cast<long>(frame.canvas.per_row());
    // Above the line, or on it, so that the names of close lines stand in the order of the lines.
    for (const auto& [at, dots_too] : {std::pair(row - 1, true), {row, false}})
      for (long column = width - static_cast<long>(length) - 1; column > width / 3; column -= 2)
        if (try_at(column, at, dots_too)) return true;
    return false;
  }
  // To the right of the slope, from its lower end upwards.
  for (const bool dots_too : {true, false})
    for (std::size_t dot = 0; dot < frame.canvas.dot_columns(); dot += frame.canvas.per_column()) {
      const auto at = height(frame, ceiling, dot);
      if (!at) continue;
      const long row = std::lround(*at) / static_cast<long>(frame.canvas.per_row());
      const long column = static_cast<long>(dot / frame.canvas.per_column());
      if (try_at(column + 3, row, dots_too)) return true;
    }
  return false;
}

void put_name_of(TerminalFrame& frame, const ChartCeiling& ceiling) {
  const std::string value = " " + rate_of(ceiling);
  if (put_name(frame, ceiling,
               elided(frame.clean(name_of(frame.chart, ceiling)), 30, frame.options.utf8) + value))
    return;
  // Of the lines of all cores one may go without their number.
  const bool of_all =
      std::none_of(frame.chart.ceilings.begin(), frame.chart.ceilings.end(),
                   [&](const ChartCeiling& other) { return other.cores > ceiling.cores; });
  if (of_all)
    put_name(frame, ceiling, elided(frame.clean(ceiling.name), 30, frame.options.utf8) + value);
}

}  // namespace

void draw_ceilings(TerminalFrame& frame) {
  for (const ChartCeiling& ceiling : frame.chart.ceilings)
    if (drawable(ceiling.per_s.value)) draw_line(frame, ceiling);
}

void name_ceilings(TerminalFrame& frame) {
  for (const bool emphasised : {true, false})
    for (const ChartCeiling& ceiling : frame.chart.ceilings)
      if (ceiling.emphasised == emphasised && drawable(ceiling.per_s.value))
        put_name_of(frame, ceiling);
}

}  // namespace roofmark::report
