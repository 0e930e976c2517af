#include "chart_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/text/plain_text.hpp"
#include "chart_ceilings.hpp"
#include "drawable.hpp"
#include "label_places.hpp"
#include "numbers.hpp"

namespace roofmark::report {
namespace {

using namespace text;

using Kind = ChartCeiling::Kind;

std::string tick_label(double value, std::string_view unit) {
  if (value == 0) return "0";
  return unit.empty() ? tick_text(value) : with_prefix(value, unit);
}

/// Steps of 1, 2 or 5 times a power of ten that leave a number its room.
std::vector<Tick> linear_ticks(const Axis& axis, double label_px, std::string_view unit) {
  std::vector<Tick> ticks;
  const double pixels = std::abs(axis.to_px - axis.from_px), span = axis.high - axis.low;
  const double least = span * 1.6 * label_px / std::max(pixels, 1.0);
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  double step = 10 * decade;
  for (const double digit : {5.0, 2.0, 1.0})
    if (digit * decade >= least) step = digit * decade;
  for (int i = 0; axis.low + i * step <= axis.high * (1 + 1e-9); ++i) {
    const double value = axis.low + i * step;
    ticks.push_back({value, axis.px(value), tick_label(value, unit), false});
  }
  return ticks;
}

std::vector<Tick> ticks_of(const Axis& axis, double label_px, std::string_view unit) {
  if (axis.linear) return linear_ticks(axis, label_px, unit);
  std::vector<Tick> ticks;
  const double decade = std::abs(axis.decade_px());
  // Names at every n-th decade, so that they have room; at 1-2-5 where a decade is wide enough.
  const int every = std::max(1, static_cast<int>(std::ceil(label_px / std::max(decade, 1e-6))));
  const bool fine = decade > label_px * 4.5;
  const int first = static_cast<int>(std::floor(std::log10(axis.low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(axis.high) - 1e-9));
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int digit = 1; digit <= (decade > 40 ? 9 : 1); ++digit) {
      const double value = digit * std::pow(10.0, exponent);
      if (value < axis.low * (1 - 1e-9) || value > axis.high * (1 + 1e-9)) continue;
      const bool named =
          (digit == 1 && exponent % every == 0) || (fine && (digit == 2 || digit == 5));
      ticks.push_back(
          {value, axis.px(value), named ? tick_label(value, unit) : std::string(), digit != 1});
    }
  }
  return ticks;
}

std::string label_of(const Chart& chart, const ChartCeiling& ceiling) {
  return elided(printable(name_of(chart, ceiling)), 36) + " " + rate_of(ceiling);
}

/// The highest peak, or nothing where there is no compute ceiling.
std::optional<double> top_peak(const Chart& chart) {
  std::optional<double> top;
  for (const ChartCeiling& ceiling : chart.ceilings)
    if (ceiling.kind == Kind::compute && drawable(ceiling.per_s.value))
      top = std::max(top.value_or(0), ceiling.per_s.value);
  return top;
}

double fastest_bandwidth(const Chart& chart) {
  double fastest = 0;
  for (const ChartCeiling& ceiling : chart.ceilings)
    if (ceiling.kind == Kind::bandwidth && drawable(ceiling.per_s.value))
      fastest = std::max(fastest, ceiling.per_s.value);
  return fastest;
}

struct Drawing {
  const Chart& chart;
  ChartLayout& layout;

  std::optional<double> peak_over(const ChartCeiling& bandwidth) const {
    return bandwidth.ends_at > 0 ? bandwidth.ends_at : top_peak(chart);
  }

  /// From where a bandwidth line enters the plot to the peak of its roof, or to where it leaves.
  std::optional<Segment> slope(const ChartCeiling& ceiling) const {
    const double bandwidth = ceiling.per_s.value;
    const double low = std::max(chart.x_min, chart.y_min / bandwidth);
    double high = std::min(chart.x_max, chart.y_max / bandwidth);
    if (const auto peak = peak_over(ceiling)) high = std::min(high, *peak / bandwidth);
    if (!(low < high)) return std::nullopt;
    return Segment{{layout.x.px(low), layout.y.px(bandwidth * low)},
                   {layout.x.px(high), layout.y.px(bandwidth * high)}};
  }

  /// From the fastest bandwidth line of its roof to the right edge.
  std::optional<Segment> flat(const ChartCeiling& ceiling, double peak) const {
    const double fastest = ceiling.ends_at > 0 ? ceiling.ends_at : fastest_bandwidth(chart);
    const double low = std::max(chart.x_min, fastest > 0 ? peak / fastest : chart.x_min);
    if (!(low < chart.x_max) || peak < chart.y_min || peak > chart.y_max) return std::nullopt;
    return Segment{{layout.x.px(low), layout.y.px(peak)},
                   {layout.x.px(chart.x_max), layout.y.px(peak)}};
  }

  /// Between two bandwidths, as far as it lies on the plot and below the highest peak: where they
  /// enter through different edges the corner between these belongs to it.
  std::vector<Spot> strip(const ChartCeiling& ceiling, double low, double high) const {
    const double top = std::min(chart.y_max, peak_over(ceiling).value_or(chart.y_max));
    const double from = std::min(chart.x_min, chart.y_min / high);
    const double to = std::max(chart.x_max, top / low);
    const auto spot = [&](double x, double bandwidth) {
      return Spot{layout.x.px(x), layout.y.px(bandwidth * x)};
    };
    return clipped({spot(from, high), spot(to, high), spot(to, low), spot(from, low)}, layout.left,
                   layout.y.px(top), layout.right, layout.bottom);
  }

  std::vector<Spot> band(const ChartCeiling& ceiling) const {
    const double low = ceiling.per_s.low.value_or(0), high = ceiling.per_s.high.value_or(0);
    if (!drawable(low) || !drawable(high) || high < low * 1.03) return {};
    if (ceiling.kind == Kind::bandwidth) return strip(ceiling, low, high);
    const auto upper = flat(ceiling, high), lower = flat(ceiling, low);
    if (!upper || !lower) return {};
    return {upper->from, upper->to, lower->to, lower->from};
  }
};

void place_ceilings(const Chart& chart, ChartLayout& layout) {
  const Drawing drawing{chart, layout};
  for (std::size_t i = 0; i < chart.ceilings.size(); ++i) {
    const ChartCeiling& ceiling = chart.ceilings[i];
    if (!drawable(ceiling.per_s.value)) continue;
    const auto line = ceiling.kind == Kind::compute ? drawing.flat(ceiling, ceiling.per_s.value)
                                                    : drawing.slope(ceiling);
    if (!line) {
      layout.unlabelled_ceilings.push_back(i);
      continue;
    }
    layout.ceilings.push_back({i, *line, {}, drawing.band(ceiling)});
  }
}

/// Of one roof; a line that two roofs have in common stands once, as the machine's own.
bool meet(const Chart& chart, const ChartCeiling& bandwidth, const ChartCeiling& peak) {
  if (bandwidth.roof == peak.roof) return true;
  if (!bandwidth.roof.empty() && !peak.roof.empty()) return false;
  const std::string& other = bandwidth.roof.empty() ? peak.roof : bandwidth.roof;
  const Kind common = bandwidth.roof.empty() ? Kind::bandwidth : Kind::compute;
  return std::none_of(chart.ceilings.begin(), chart.ceilings.end(), [&](const ChartCeiling& one) {
    return one.kind == common && one.roof == other;
  });
}

void place_ridges(const Chart& chart, ChartLayout& layout) {
  const auto forms_a_roof = [](const ChartCeiling& one) {
    return one.emphasised || !one.roof.empty();
  };
  for (const ChartCeiling& bandwidth : chart.ceilings) {
    if (bandwidth.kind != Kind::bandwidth || !forms_a_roof(bandwidth)) continue;
    for (const ChartCeiling& peak : chart.ceilings) {
      if (peak.kind != Kind::compute || !forms_a_roof(peak) || !meet(chart, bandwidth, peak))
        continue;
      const double at = peak.per_s.value / bandwidth.per_s.value;
      if (!drawable(at) || at < chart.x_min || at > chart.x_max) continue;
      if (peak.per_s.value < chart.y_min || peak.per_s.value > chart.y_max) continue;
      PlacedRidge ridge;
      ridge.at = {layout.x.px(at), layout.y.px(peak.per_s.value)};
      ridge.intensity = at;
      ridge.tooltip = fmt::format("ridge of {} and {}: {} FLOP/byte", printable(bandwidth.name),
                                  printable(peak.name), significant(at));
      layout.ridges.push_back(ridge);
    }
  }
}

Segment bar(const Axis& axis, const Interval& interval, Spot at, bool horizontal) {
  const auto place = [&](double value) {
    const double low = std::min(axis.from_px, axis.to_px),
                 high = std::max(axis.from_px, axis.to_px);
    if (std::isinf(value)) return axis.to_px;
    return std::clamp(drawable(value) ? axis.px(value) : axis.from_px, low, high);
  };
  const double from = place(interval.low.value_or(interval.value));
  const double to = place(interval.high.value_or(interval.value));
  return horizontal ? Segment{{from, at.y}, {to, at.y}} : Segment{{at.x, from}, {at.x, to}};
}

/// Nothing where it was out of the chart, or so near that no arrow could be seen.
std::optional<Segment> move_to(const PlacedPoint& point, const ChartPlace& before,
                               const ChartLayout& layout) {
  if (!drawable(before.intensity) || !drawable(before.flop_per_s)) return std::nullopt;
  const Spot from{layout.x.px(before.intensity), layout.y.px(before.flop_per_s)};
  if (from.x < layout.left || from.x > layout.right || from.y < layout.top ||
      from.y > layout.bottom)
    return std::nullopt;
  const double dx = point.at.x - from.x, dy = point.at.y - from.y;
  const double length = std::hypot(dx, dy);
  constexpr double shortest_px = 6;
  if (length < point.radius + shortest_px) return std::nullopt;
  const double part = 1 - point.radius / length;
  return Segment{from, {from.x + part * dx, from.y + part * dy}};
}

/// On linear axes points lie beside the axes themselves, where the marks of heavy ones would hang
/// over the frame: the axis begins, or ends, as far inside it as the largest of them needs.
void make_room_for_marks(const std::vector<std::pair<double, double>>& parts_and_radii,
                         Axis& axis) {
  const double length = std::abs(axis.to_px - axis.from_px);
  const double inwards = axis.to_px > axis.from_px ? 1 : -1;
  double before = 0, behind = 0;
  // Room at one end moves the marks at the other.
  for (int round = 0; round < 4; ++round)
    for (const auto& [part, radius] : parts_and_radii) {
      const double least = radius + 1;
      if (part < 1) before = std::max(before, (least - part * (length - behind)) / (1 - part));
      if (part > 0) behind = std::max(behind, (least - (1 - part) * (length - before)) / part);
    }
  // A chart that is too small for its marks is what it is.
  before = std::min(before, length / 4);
  behind = std::min(behind, length / 4);
  axis.from_px += inwards * before;
  axis.to_px -= inwards * behind;
}

void make_room_for_marks(const Chart& chart, ChartLayout& layout) {
  std::vector<std::pair<double, double>> x, y;
  for (const ChartPoint& point : chart.points) {
    const double at = point.intensity.value, rate = point.flop_per_s.value;
    if (!drawable(at) || !drawable(rate) || at > chart.x_max || rate > chart.y_max) continue;
    x.emplace_back(at / chart.x_max, radius_of(point.weight));
    y.emplace_back(rate / chart.y_max, radius_of(point.weight));
  }
  make_room_for_marks(x, layout.x);
  make_room_for_marks(y, layout.y);
}

void place_points(const Chart& chart, ChartLayout& layout) {
  for (std::size_t i = 0; i < chart.points.size(); ++i) {
    const ChartPoint& point = chart.points[i];
    const double x = point.intensity.value, y = point.flop_per_s.value;
    if (!drawable(x) || !drawable(y)) continue;
    if (x < chart.x_min || x > chart.x_max || y < chart.y_min || y > chart.y_max) continue;
    PlacedPoint placed;
    placed.point = i;
    placed.at = {layout.x.px(x), layout.y.px(y)};
    placed.radius = radius_of(point.weight);
    if (point.intensity.low || point.intensity.high)
      placed.x_bar = bar(layout.x, point.intensity, placed.at, true);
    if (const Interval rates = bar_of(point); rates.low || rates.high)
      placed.y_bar = bar(layout.y, rates, placed.at, false);
    if (point.before) placed.move = move_to(placed, *point.before, layout);
    layout.points.push_back(placed);
  }
}

void place_labels(const Chart& chart, const SvgOptions& options, ChartLayout& layout) {
  LabelPlaces places(layout.left, layout.top, layout.right, layout.bottom);
  for (const PlacedCeiling& ceiling : layout.ceilings) places.add_line(ceiling.line);
  for (const PlacedRidge& ridge : layout.ridges) places.keep_free({ridge.at, 8, 8, 0});
  for (const PlacedPoint& point : layout.points) {
    places.add_mark({point.at, point.radius * 2, point.radius * 2, 0});
    if (point.move) places.add_line(*point.move);
  }

  // The machine's own roof first: its names get the best places.
  for (const bool emphasised : {true, false})
    for (PlacedCeiling& placed : layout.ceilings) {
      const ChartCeiling& ceiling = chart.ceilings[placed.ceiling];
      if (ceiling.emphasised != emphasised) continue;
      const double preferred = ceiling.kind == Kind::compute ? 1 : 0.1;
      placed.label =
          places.along(placed.line, label_of(chart, ceiling), emphasised ? 12.5 : 11.5, preferred);
      if (!placed.label) layout.unlabelled_ceilings.push_back(placed.ceiling);
    }
  const auto peak = top_peak(chart);
  std::optional<Segment> none;
  for (PlacedRidge& ridge : layout.ridges)
    if (peak && std::abs(ridge.at.y - layout.y.px(*peak)) < 0.5)
      ridge.label =
          places.beside(ridge.at, 4, "ridge " + significant(ridge.intensity), 11, none, 1, 14);
  // A light point among many is found by its tooltip; its name would only hide others.
  constexpr std::size_t always_named = 5;
  constexpr double worth_a_name = 0.01;
  constexpr double bold = 1.15;  // wider than the letters that widths are known of
  std::size_t named = 0, heavy = 0;
  const auto name = [&](PlacedPoint& placed) {
    ++named;
    placed.label = places.beside(placed.at, placed.radius,
                                 elided(printable(chart.points[placed.point].name), 30), 12,
                                 placed.leader, bold);
  };
  // What moved is what a comparison is about, however light it is.
  for (PlacedPoint& placed : layout.points)
    if (placed.move && named < options.labelled) name(placed);
  for (PlacedPoint& placed : layout.points) {
    if (named >= options.labelled) break;
    if (heavy++ >= always_named && chart.points[placed.point].weight < worth_a_name) break;
    if (!placed.move) name(placed);
  }
}

}  // namespace

double Axis::px(double value) const {
  if (linear) return from_px + (high > low ? (value - low) / (high - low) : 0) * (to_px - from_px);
  const double span = std::log10(high) - std::log10(low);
  const double part = span > 0 ? (std::log10(value) - std::log10(low)) / span : 0;
  return from_px + part * (to_px - from_px);
}

double Axis::decade_px() const {
  const double span = std::log10(high) - std::log10(low);
  return span > 0 ? (to_px - from_px) / span : to_px - from_px;
}

double radius_of(double weight) {
  return 4 + 14 * std::sqrt(std::clamp(std::isfinite(weight) ? weight : 0, 0.0, 1.0));
}

Interval bar_of(const ChartPoint& point) {
  Interval rates = point.flop_per_s;
  if (point.visits_low) rates.low = std::min(rates.low.value_or(rates.value), *point.visits_low);
  if (point.visits_high)
    rates.high = std::max(rates.high.value_or(rates.value), *point.visits_high);
  return rates;
}

ChartLayout lay_out(const Chart& given, const SvgOptions& options) {
  Chart chart = given;
  fit_axes(chart);
  ChartLayout layout;
  layout.left = 92;
  layout.top = chart.title.empty() ? (chart.subtitle.empty() ? 32 : 50) : 72;
  layout.right = std::max(layout.left + 80, options.width - 24);
  layout.bottom = std::max(layout.top + 80, options.height - 76);
  layout.x = {chart.x_min, chart.x_max, layout.left, layout.right, chart.linear};
  layout.y = {chart.y_min, chart.y_max, layout.bottom, layout.top, chart.linear};
  if (chart.linear) make_room_for_marks(chart, layout);
  layout.x_ticks = ticks_of(layout.x, 44, "");
  layout.y_ticks = ticks_of(layout.y, 22, "FLOP/s");
  place_ceilings(chart, layout);
  place_ridges(chart, layout);
  place_points(chart, layout);
  place_labels(chart, options, layout);
  return layout;
}

std::vector<PlacedText> labels_of(const ChartLayout& layout) {
  std::vector<PlacedText> labels;
  for (const PlacedCeiling& ceiling : layout.ceilings)
    if (ceiling.label) labels.push_back(*ceiling.label);
  for (const PlacedRidge& ridge : layout.ridges)
    if (ridge.label) labels.push_back(*ridge.label);
  for (const PlacedPoint& point : layout.points)
    if (point.label) labels.push_back(*point.label);
  return labels;
}

}  // namespace roofmark::report
