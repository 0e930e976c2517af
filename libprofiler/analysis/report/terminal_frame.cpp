#include "terminal_frame.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"
#include "drawable.hpp"
#include "numbers.hpp"

namespace roofmark::report {

using namespace text;

TerminalFrame::TerminalFrame(const Chart& given, const TerminalChartOptions& how,
                             std::size_t number_of_rows)
    : chart(given),
      options(how),
      rows(number_of_rows),
      canvas(how.width - margin, number_of_rows, how.utf8),
      x{given.x_min, given.x_max, 0, static_cast<double>(canvas.dot_columns()) - 1},
      y{given.y_min, given.y_max, static_cast<double>(canvas.dot_rows()) - 1, 0} {}

std::string TerminalFrame::clean(std::string_view text) const {
  return options.utf8 ? printable(text) : printable_ascii(text);
}

std::optional<DotCanvas::Place> TerminalFrame::cell_of(double intensity, double flop_per_s) const {
  if (!drawable(intensity) || !drawable(flop_per_s)) return std::nullopt;
  if (intensity < chart.x_min || intensity > chart.x_max || flop_per_s < chart.y_min ||
      flop_per_s > chart.y_max)
    return std::nullopt;
  return DotCanvas::Place{
      static_cast<std::size_t>(std::lround(x.px(intensity))) / canvas.per_column(),
      static_cast<std::size_t>(std::lround(y.px(flop_per_s))) / canvas.per_row()};
}

std::optional<DotCanvas::Place> TerminalFrame::cell_of(const ChartPoint& point) const {
  return cell_of(point.intensity.value, point.flop_per_s.value);
}

std::string TerminalFrame::y_label(std::size_t row) const {
  const double per_row = static_cast<double>(canvas.per_row());
  const double top = static_cast<double>(row) * per_row - 0.5, bottom = top + per_row;
  const int first = static_cast<int>(std::floor(std::log10(chart.y_min)));
  const int last = static_cast<int>(std::ceil(std::log10(chart.y_max)));
  for (int exponent = first; exponent <= last; ++exponent) {
    const double value = std::pow(10.0, exponent);
    if (value < chart.y_min * 0.999 || value > chart.y_max * 1.001) continue;
    const double at = y.px(value);
    if (at >= top && at < bottom) return with_prefix(value, "FLOP/s");
  }
  return "";
}

std::string TerminalFrame::x_labels() const {
  std::string line(options.width, ' ');
  const std::string unit = "FLOP/byte";
  std::size_t free_from = margin - 1;
  const int first = static_cast<int>(std::floor(std::log10(chart.x_min)));
  const int last = static_cast<int>(std::ceil(std::log10(chart.x_max)));
  for (int exponent = first; exponent <= last; ++exponent) {
    const double value = std::pow(10.0, exponent);
    if (value < chart.x_min * 0.999 || value > chart.x_max * 1.001) continue;
    const std::string text = tick_text(value);
    const auto centre =
        margin + static_cast<std::size_t>(std::max(0.0, x.px(value))) / canvas.per_column();
    const std::size_t start = centre > text.size() / 2 ? centre - text.size() / 2 : 0;
    if (start < free_from || start + text.size() + unit.size() + 1 > line.size()) continue;
    line.replace(start, text.size(), text);
    free_from = start + text.size() + 1;
  }
  line.replace(line.size() - unit.size(), unit.size(), unit);
  return line;
}

std::string TerminalFrame::text() const {
  std::string text;
  for (std::size_t row = 0; row < rows; ++row)
    text += right(y_label(row), margin - 2) + " " + (options.utf8 ? "│" : "|") +
            canvas.line(row, options.colour) + '\n';
  text += std::string(margin - 1, ' ') + (options.utf8 ? "└" : "+");
  for (std::size_t i = margin; i < options.width; ++i) text += options.utf8 ? "─" : "-";
  return text + '\n' + x_labels() + '\n';
}

}  // namespace roofmark::report
