// Axes that hold what a chart shows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <roofmark/report.hpp>
#include <vector>

#include "drawable.hpp"

namespace roofmark {
namespace {

/// A span on a log axis that grows with what is put into it.
class Span {
 public:
  void add(double value) {
    if (!drawable(value)) return;
    low_ = std::min(low_, std::log10(value));
    high_ = std::max(high_, std::log10(value));
  }
  void add(const Interval& interval) {
    if (!drawable(interval.value)) return;
    add(interval.value);
    if (interval.low) add(*interval.low);
    if (interval.high) add(*interval.high);
  }
  bool empty() const { return low_ > high_; }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_ = INFINITY, high_ = -INFINITY;
};

/// 10^exponent moved outwards to 1, 2 or 5 times a power of ten.
double outward(double exponent, bool up) {
  exponent = std::clamp(exponent, -300.0, 300.0);
  const double decade = std::floor(exponent);
  const double part = exponent - decade;
  static constexpr double steps[] = {0, 0.30102999566398120, 0.69897000433601880, 1};
  constexpr double slack = 1e-9;  // 10^log10(x) may miss x by a rounding
  if (up) {
    for (const double step : steps)
      if (part <= step + slack) return std::pow(10, decade + step);
  } else {
    for (int i = 3; i >= 0; --i)
      if (part >= steps[i] - slack) return std::pow(10, decade + steps[i]);
  }
  return std::pow(10, exponent);
}

/// The lightest points that together have this share of the time don't stretch the axes at will: a
/// region with next to no FLOPs would by many decades, in which there is nothing.
constexpr double light_share = 0.05;
constexpr double little_time = 0.01;

/// From this weight on the axes have to hold a point. Given kernels have no weight: all count.
double weighty_from(const Chart& chart) {
  std::vector<double> weights;
  double all = 0;
  for (const ChartPoint& point : chart.points) {
    if (!drawable(point.intensity.value) || !drawable(point.flop_per_s.value)) continue;
    weights.push_back(point.weight);
    all += point.weight;
  }
  std::sort(weights.begin(), weights.end(), std::greater<>());
  double heavier = 0;
  for (const double weight : weights) {
    heavier += weight;
    if (heavier >= (1 - light_share) * all) return weight;
  }
  return 0;
}

void add_within(Span& span, const Span& weighty, double decades, double value) {
  if (!drawable(value)) return;
  const double at = std::log10(value);
  if (weighty.empty() || (at >= weighty.low() - decades && at <= weighty.high() + decades))
    span.add(value);
}

void add_points(const Chart& chart, Span& x, Span& y) {
  const double from = weighty_from(chart);
  for (const ChartPoint& point : chart.points) {
    if (point.weight < from) continue;
    x.add(point.intensity);
    y.add(point.flop_per_s);
    if (!point.before) continue;
    x.add(point.before->intensity);
    y.add(point.before->flop_per_s);
  }
  const Span weighty_x = x, weighty_y = y;
  for (const ChartPoint& point : chart.points) {
    if (point.weight >= from) continue;
    const double decades = point.weight < little_time ? 1 : 3;
    add_within(x, weighty_x, decades, point.intensity.value);
    add_within(y, weighty_y, decades, point.flop_per_s.value);
  }
}

void fit_linear_axes(Chart& chart) {
  // As far as the ridge of the slowest of the machine's own roofs and the points that matter,
  // unless these lie so far to the right that the slopes would all be one line.
  double peak = 0, slowest = 0;
  for (const ChartCeiling& ceiling : chart.ceilings) {
    if (!drawable(ceiling.per_s.value)) continue;
    if (ceiling.kind == ChartCeiling::Kind::compute)
      peak = std::max(peak, ceiling.per_s.value);
    else if (ceiling.emphasised && (slowest == 0 || ceiling.per_s.value < slowest))
      slowest = ceiling.per_s.value;
  }
  const double ridge = slowest > 0 ? peak / slowest : 0;
  Span x, y;
  add_points(chart, x, y);
  const double furthest = x.empty() ? 0 : std::pow(10, x.high());
  double right = ridge > 0 ? std::clamp(1.25 * furthest, 1.6 * ridge, 4 * ridge) : 1.25 * furthest;
  if (!drawable(right)) right = 1;
  double top = std::max(peak, y.empty() ? 0 : std::pow(10, y.high()));
  if (!drawable(top)) top = slowest > 0 ? slowest * right : 1;
  chart.x_min = chart.y_min = 0;
  if (!drawable(chart.x_max)) chart.x_max = right;
  if (!drawable(chart.y_max)) chart.y_max = 1.1 * top;
}

}  // namespace

std::size_t points_outside(const Chart& chart) {
  const auto outside = [](double value, double low, double high) {
    return drawable(value) && (value < low || value > high);
  };
  return static_cast<std::size_t>(
      std::count_if(chart.points.begin(), chart.points.end(), [&](const ChartPoint& point) {
        return outside(point.intensity.value, chart.x_min, chart.x_max) ||
               outside(point.flop_per_s.value, chart.y_min, chart.y_max);
      }));
}

std::string outside_sentence(const Chart& chart) {
  const std::size_t outside = points_outside(chart);
  if (outside == 0) return "";
  return fmt::format("{} point{} lie{} outside the chart; the report's table has {}.", outside,
                     outside == 1 ? "" : "s", outside == 1 ? "s" : "",
                     outside == 1 ? "it" : "them");
}

void make_linear(Chart& chart) {
  chart.linear = true;
  chart.x_min = chart.x_max = chart.y_min = chart.y_max = 0;
  fit_axes(chart);
}

void fit_axes(Chart& chart) {
  if (chart.linear) return fit_linear_axes(chart);
  double peak = 0, fastest = 0;
  for (const ChartCeiling& ceiling : chart.ceilings) {
    if (!drawable(ceiling.per_s.value)) continue;
    double& top = ceiling.kind == ChartCeiling::Kind::compute ? peak : fastest;
    top = std::max(top, ceiling.per_s.value);
  }
  Span x, y;
  double slowest_ridge = 0;
  for (const ChartCeiling& ceiling : chart.ceilings) {
    if (ceiling.kind != ChartCeiling::Kind::bandwidth || !drawable(ceiling.per_s.value)) continue;
    if (peak > 0) {
      x.add(peak / ceiling.per_s.value);
      slowest_ridge = std::max(slowest_ridge, peak / ceiling.per_s.value);
    }
  }
  add_points(chart, x, y);
  if (x.empty()) x.add(1);
  // Room to the right of the last ridge for the names of the flat roofs, and to the left of the
  // first for those of the slopes.
  const double x_low =
      std::min(x.low() - 0.3, slowest_ridge > 0 ? std::log10(slowest_ridge) - 1.7 : x.low() - 1);
  const double x_high =
      std::max(x.high() + 0.3, slowest_ridge > 0 ? std::log10(slowest_ridge) + 0.9 : x.high() + 1);
  if (!drawable(chart.x_min)) chart.x_min = outward(x_low, false);
  if (!drawable(chart.x_max)) chart.x_max = outward(x_high, true);

  for (const ChartCeiling& ceiling : chart.ceilings) {
    if (ceiling.kind == ChartCeiling::Kind::compute) {
      y.add(ceiling.per_s);
    } else if (peak <= 0) {
      y.add(ceiling.per_s.value * chart.x_max);
      y.add(ceiling.per_s.value * chart.x_min);
    } else if (ceiling.emphasised) {
      // Where the line enters on the left, unless that would squeeze the roofs into a corner.
      y.add(std::max(ceiling.per_s.value * chart.x_min, peak * 1e-4));
    }
  }
  if (y.empty()) y.add(1);
  if (!drawable(chart.y_min)) chart.y_min = outward(std::min(y.low() - 0.15, y.high() - 1), false);
  if (!drawable(chart.y_max)) chart.y_max = outward(y.high() + 0.25, true);
}

}  // namespace roofmark
