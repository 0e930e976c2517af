// The frame of a chart in characters: its axes, what stands beside them, and the canvas within.
#pragma once

#include <cstddef>
#include <optional>
#include <roofmark/report.hpp>
#include <string>
#include <string_view>

#include "chart_layout.hpp"
#include "dot_canvas.hpp"

namespace roofmark::report {

/// Of a chart and options that outlive it.
struct TerminalFrame {
  static constexpr std::size_t margin = 13;  ///< "100 GFLOP/s", a blank and the axis

  TerminalFrame(const Chart& chart, const TerminalChartOptions& options, std::size_t rows);

  std::string clean(std::string_view text) const;
  /// Nothing outside the axes.
  std::optional<DotCanvas::Place> cell_of(double intensity, double flop_per_s) const;
  std::optional<DotCanvas::Place> cell_of(const ChartPoint& point) const;

  /// The canvas with its axes.
  std::string text() const;

  const Chart& chart;
  const TerminalChartOptions& options;
  std::size_t rows;
  DotCanvas canvas;
  Axis x, y;

 private:
  std::string y_label(std::size_t row) const;
  std::string x_labels() const;
};

}  // namespace roofmark::report
