// Where everything on a chart goes, in pixels: decided before anything is drawn, so that a test can
// look at it.
#pragma once

#include <optional>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "geometry.hpp"

namespace roofmark::report {

/// Value to pixel, logarithmic or linear.
struct Axis {
  double low = 1, high = 10;      ///< values
  double from_px = 0, to_px = 1;  ///< their places
  bool linear = false;
  double px(double value) const;
  double decade_px() const;  ///< signed; of a logarithmic axis
};

struct Tick {
  double value = 0, px = 0;
  std::string text;   ///< empty: a grid line without a number
  bool fine = false;  ///< between two whole steps of the axis
};

struct PlacedText {
  std::string text;  ///< printable, not yet escaped
  Spot at;           ///< middle of the baseline
  double angle = 0;  ///< radians
  Box box;
  double font_px = 12;
};

struct PlacedCeiling {
  std::size_t ceiling = 0;  ///< index into Chart::ceilings
  Segment line;
  std::optional<PlacedText> label;
  std::vector<Spot> band;  ///< polygon of the spread; empty where it is narrower than the line
};

struct PlacedRidge {
  Spot at;
  double intensity = 0;
  std::string tooltip;
  std::optional<PlacedText> label;
};

struct PlacedPoint {
  std::size_t point = 0;  ///< index into Chart::points
  Spot at;
  double radius = 4;
  std::optional<Segment> x_bar, y_bar;
  std::optional<Segment> move;  ///< from where it was to the rim of its mark
  std::optional<PlacedText> label;
  std::optional<Segment> leader;
};

struct ChartLayout {
  double left = 0, top = 0, right = 0, bottom = 0;  ///< the plot
  Axis x, y;
  std::vector<Tick> x_ticks, y_ticks;
  std::vector<PlacedCeiling> ceilings;
  std::vector<PlacedRidge> ridges;
  std::vector<PlacedPoint> points;               ///< heaviest first
  std::vector<std::size_t> unlabelled_ceilings;  ///< had no place on the plot: listed below it
};

/// Where the rate may lie and where those of single visits lie, together.
Interval bar_of(const ChartPoint& point);

ChartLayout lay_out(const Chart& chart, const SvgOptions& options);

/// All labels inside the plot.
std::vector<PlacedText> labels_of(const ChartLayout& layout);

/// Radius in pixels for a share of time: the area grows with it.
double radius_of(double weight);

}  // namespace roofmark::report
