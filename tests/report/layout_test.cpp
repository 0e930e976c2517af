#include <cmath>
#include <random>

#include "analysis/report/chart_layout.hpp"
#include "analysis/report/projection_text.hpp"
#include "catch.hpp"
#include "sample_profile.hpp"

using namespace roofmark;
using namespace roofmark::report;

static void require_apart(const Chart& chart, const SvgOptions& options) {
  const ChartLayout layout = lay_out(chart, options);
  const auto labels = labels_of(layout);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    INFO(labels[i].text);
    REQUIRE(inside(labels[i].box, layout.left, layout.top, layout.right, layout.bottom));
    for (std::size_t j = 0; j < i; ++j) {
      INFO(labels[j].text);
      REQUIRE_FALSE(overlap(labels[i].box, labels[j].box));
    }
  }
  // Every drawable ceiling has a label or is listed as one that has none.
  std::size_t named = layout.unlabelled_ceilings.size(), drawable = 0;
  for (const PlacedCeiling& ceiling : layout.ceilings) named += ceiling.label ? 1 : 0;
  for (const ChartCeiling& ceiling : chart.ceilings)
    if (std::isfinite(ceiling.per_s.value) && ceiling.per_s.value > 0) ++drawable;
  REQUIRE(named == drawable);
}

TEST_CASE("labels do not overlap: charts of a profile and of a machine") {
  for (const double width : {480.0, 720.0, 960.0, 1600.0}) {
    SvgOptions options;
    options.width = width;
    options.height = width * 0.62;
    require_apart(chart_of(sample::profile()), options);
    require_apart(chart_of(sample::machine()), options);
  }
}

TEST_CASE("bars reach both ways from a point: its bytes' range and its visits'") {
  Chart chart = chart_of(sample::profile());
  ChartPoint& point = chart.points.front();
  point.intensity.low = point.intensity.value / 2;
  point.intensity.high = point.intensity.value * 2;
  point.flop_per_s.low = point.flop_per_s.value / 1.5;
  point.visits_low = point.flop_per_s.value / 3;
  point.visits_high = point.flop_per_s.value * 1.2;
  const ChartLayout layout = lay_out(chart, {});
  const PlacedPoint& placed = layout.points.front();
  REQUIRE(placed.point == 0);
  REQUIRE(placed.x_bar);
  REQUIRE(placed.y_bar);
  CHECK(placed.x_bar->from.x == Approx(layout.x.px(point.intensity.value / 2)));
  CHECK(placed.x_bar->to.x == Approx(layout.x.px(point.intensity.value * 2)));
  // The further of the two at each end.
  CHECK(placed.y_bar->from.y == Approx(layout.y.px(point.flop_per_s.value / 3)));
  CHECK(placed.y_bar->to.y == Approx(layout.y.px(point.flop_per_s.value * 1.2)));
}

TEST_CASE("labels do not overlap: random charts with crowded roofs and points") {
  std::mt19937 random(7);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random);
  };
  for (int round = 0; round < 60; ++round) {
    Chart chart;
    const int bandwidths = 1 + static_cast<int>(random() % 6);
    for (int i = 0; i < bandwidths; ++i) {
      ChartCeiling line;
      line.kind = ChartCeiling::Kind::bandwidth;
      line.name = "level " + std::to_string(i);
      // Half of them within 10 % of the one before.
      line.per_s.value = i > 0 && random() % 2
                             ? chart.ceilings.back().per_s.value * uniform(0.9, 1.1)
                             : std::pow(10, uniform(9, 13));
      chart.ceilings.push_back(line);
    }
    for (int i = 0; i < 1 + static_cast<int>(random() % 6); ++i) {
      ChartCeiling line;
      line.kind = ChartCeiling::Kind::compute;
      line.name = "f64 avx2 fma with a long name " + std::to_string(i);
      line.per_s.value = 1e12 * uniform(0.5, 1.5);
      line.emphasised = i == 0;
      chart.ceilings.push_back(line);
    }
    for (int i = 0; i < 30; ++i) {
      ChartPoint point;
      point.name = "solve/region " + std::to_string(i);
      point.intensity.value = std::pow(10, uniform(-1, 0.3));
      point.flop_per_s.value = std::pow(10, uniform(9, 10));
      point.weight = uniform(0, 0.3);
      chart.points.push_back(point);
    }
    fit_axes(chart);
    require_apart(chart, {});
  }
}

TEST_CASE("labels do not overlap: random profiles with hostile names") {
  for (unsigned seed = 0; seed < 40; ++seed)
    require_apart(chart_of(sample::random_profile(seed, 60)), {});
}

TEST_CASE("the sample's ceilings and heaviest points all have their names") {
  const ChartLayout layout = lay_out(chart_of(sample::profile()), {});
  REQUIRE(layout.unlabelled_ceilings.empty());
  for (const PlacedPoint& point : layout.points) REQUIRE(point.label.has_value());
}

TEST_CASE("a bandwidth line has slope one and reads off at an intensity of one") {
  const Chart chart = chart_of(sample::profile());
  const ChartLayout layout = lay_out(chart, {});
  for (const PlacedCeiling& placed : layout.ceilings) {
    const ChartCeiling& ceiling = chart.ceilings[placed.ceiling];
    const double decades_x = (placed.line.to.x - placed.line.from.x) / layout.x.decade_px();
    const double decades_y = (placed.line.to.y - placed.line.from.y) / layout.y.decade_px();
    if (ceiling.kind == ChartCeiling::Kind::compute) {
      REQUIRE(decades_y == Approx(0).margin(1e-9));
      REQUIRE(placed.line.to.y == Approx(layout.y.px(ceiling.per_s.value)));
    } else {
      REQUIRE(decades_y == Approx(decades_x));
      // Both pass through (1, bandwidth): where the line would be at x = 1.
      const double to_one = (layout.x.px(1) - placed.line.from.x) / layout.x.decade_px();
      REQUIRE(placed.line.from.y + to_one * layout.y.decade_px() ==
              Approx(layout.y.px(ceiling.per_s.value)));
    }
  }
}

TEST_CASE("on linear axes a bandwidth is a slope through the origin") {
  ChartOptions linear;
  linear.linear = true;
  Chart chart = chart_of(sample::profile(), linear);
  REQUIRE(chart.linear);
  fit_axes(chart);
  CHECK(chart.x_min == 0);
  CHECK(chart.y_min == 0);
  const ChartLayout layout = lay_out(chart, {});
  REQUIRE(layout.ceilings.size() >= 2);
  for (const PlacedCeiling& placed : layout.ceilings) {
    const ChartCeiling& ceiling = chart.ceilings[placed.ceiling];
    if (ceiling.kind == ChartCeiling::Kind::compute) continue;
    CHECK(placed.line.from.x == Approx(layout.x.px(0)));
    CHECK(placed.line.from.y == Approx(layout.y.px(0)));
    // rise / run in units of the axes
    const double run = (placed.line.to.x - placed.line.from.x) /
                       (layout.x.px(chart.x_max) - layout.x.px(0)) * chart.x_max;
    const double rise = (placed.line.from.y - placed.line.to.y) /
                        (layout.y.px(0) - layout.y.px(chart.y_max)) * chart.y_max;
    CHECK(rise / run == Approx(ceiling.per_s.value));
  }
  for (const std::vector<Tick>* ticks : {&layout.x_ticks, &layout.y_ticks}) {
    REQUIRE(ticks->size() >= 3);
    CHECK(ticks->front().text == "0");
    for (std::size_t i = 1; i < ticks->size(); ++i)
      CHECK((*ticks)[i].value - (*ticks)[i - 1].value == Approx((*ticks)[1].value));
  }
}

TEST_CASE("on linear axes no mark hangs over the frame, and no label over a ridge") {
  std::mt19937 random(3);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random);
  };
  for (int round = 0; round < 40; ++round) {
    Chart chart = chart_of(sample::machine());
    for (int i = 0; i < 12; ++i) {
      ChartPoint point;
      point.name = "solve/region " + std::to_string(i);
      // Heavy ones beside both axes and at their ends.
      point.intensity.value = std::pow(10, uniform(-4, 2));
      point.flop_per_s.value = std::pow(10, uniform(5, 11));
      point.weight = uniform(0, 1);
      chart.points.push_back(point);
    }
    make_linear(chart);
    const ChartLayout layout = lay_out(chart, {});
    REQUIRE(!layout.points.empty());
    for (const PlacedPoint& placed : layout.points) {
      CHECK(placed.at.x - placed.radius >= layout.left);
      CHECK(placed.at.x + placed.radius <= layout.right);
      CHECK(placed.at.y - placed.radius >= layout.top);
      CHECK(placed.at.y + placed.radius <= layout.bottom);
    }
    REQUIRE(!layout.ridges.empty());
    for (const PlacedRidge& ridge : layout.ridges)
      for (const PlacedText& label : labels_of(layout)) {
        INFO(label.text);
        CHECK_FALSE(overlap(label.box, {ridge.at, 7, 7, 0}));
      }
  }
}

TEST_CASE("a ridge stands where its two roofs meet") {
  const Chart chart = chart_of(sample::profile());
  const ChartLayout layout = lay_out(chart, {});
  REQUIRE(layout.ridges.size() == 4);
  for (const PlacedRidge& ridge : layout.ridges) {
    bool met = false;
    for (const PlacedCeiling& placed : layout.ceilings)
      met = met || std::hypot(placed.line.to.x - ridge.at.x, placed.line.to.y - ridge.at.y) < 0.01;
    REQUIRE(met);
  }
}

TEST_CASE("turned boxes overlap only where they share a point") {
  const Box flat{{0, 0}, 10, 2, 0};
  REQUIRE(overlap(flat, {{9, 0}, 10, 2, 0}));
  REQUIRE_FALSE(overlap(flat, {{11, 0}, 10, 2, 0}));
  REQUIRE(overlap(flat, {{11, 0}, 10, 2, 0}, 2));
  REQUIRE_FALSE(overlap(flat, {{0, 7}, 10, 2, std::acos(-1.0) / 2}));
  REQUIRE(overlap(flat, {{0, 5}, 10, 2, std::acos(-1.0) / 2}));
  // The corners of the axis-aligned hulls meet here, the boxes do not.
  REQUIRE_FALSE(
      overlap({{0, 0}, 20, 1, std::acos(-1.0) / 4}, {{4, -4}, 20, 1, std::acos(-1.0) / 4}));
  REQUIRE(crosses(flat, {{-20, -1}, {20, 0.5}}));
  REQUIRE_FALSE(crosses(flat, {{-20, 5}, {20, 5}}));
}

TEST_CASE("a band of spread holds the corner between the edges through which it comes in") {
  Chart chart;
  ChartCeiling peak;
  peak.kind = ChartCeiling::Kind::compute;
  peak.per_s.value = 1e12;
  ChartCeiling memory;
  memory.per_s = {1e10, 1e7, 1.1e10};  // in through the left edge, and far below through the bottom
  chart.ceilings = {peak, memory};
  chart.x_min = 0.1, chart.x_max = 1000, chart.y_min = 1e8, chart.y_max = 1e13;
  const ChartLayout layout = lay_out(chart, {});
  const auto& band = layout.ceilings[1].band;
  const auto touches = [&](double x, double y) {
    return std::any_of(band.begin(), band.end(), [&](Spot spot) {
      return std::abs(spot.x - x) < 0.01 && std::abs(spot.y - y) < 0.01;
    });
  };
  REQUIRE(touches(layout.left, layout.bottom));
  REQUIRE(touches(layout.right, layout.y.px(1e12)));
  for (const Spot spot : band) {
    REQUIRE(spot.x >= layout.left - 0.01);
    REQUIRE(spot.x <= layout.right + 0.01);
    REQUIRE(spot.y >= layout.y.px(1e12) - 0.01);
    REQUIRE(spot.y <= layout.bottom + 0.01);
  }
}

TEST_CASE("each roof of a chart ends where its own lines meet, and has its own ridges") {
  const Profile profile = sample::profile();
  const auto scaled_roof = [&](double peak, double bandwidth) {
    NamedRoof roof{"other", profile.machine};
    for (ComputeCeiling& one : roof.machine.compute) one.flop_per_s *= peak;
    for (BandwidthCeiling& one : roof.machine.bandwidth) one.interface_bytes_per_s *= bandwidth;
    return roof;
  };
  for (const auto& [peak, bandwidth] :
       {std::pair{3.0, 3.0}, {0.5, 2.0}, {1.0, 4.0}, {2.0, 1.0}, {0.25, 0.25}}) {
    Chart chart = chart_of(profile);
    add_roofs(chart, profile, {scaled_roof(peak, bandwidth)});
    INFO(peak << " " << bandwidth);
    double top[2] = {0, 0};
    for (const ChartCeiling& one : chart.ceilings)
      if (one.kind == ChartCeiling::Kind::compute)
        top[!one.roof.empty()] = std::max(top[!one.roof.empty()], one.per_s.value);
    if (top[1] == 0) top[1] = top[0];  // in common
    chart.x_min = chart.x_max = chart.y_min = chart.y_max = 0;
    fit_axes(chart);
    const ChartLayout layout = lay_out(chart, {});
    std::size_t others = 0;
    for (const PlacedCeiling& placed : layout.ceilings) {
      const ChartCeiling& one = chart.ceilings[placed.ceiling];
      if (one.kind != ChartCeiling::Kind::bandwidth || !(one.emphasised || !one.roof.empty()))
        continue;
      // A line that both have ends at the higher peak.
      const double end = bandwidth == 1 ? std::max(top[0], top[1]) : top[!one.roof.empty()];
      CHECK(placed.line.to.y == Approx(layout.y.px(std::min(end, chart.y_max))).margin(0.5));
      others += one.roof.empty() ? 0 : 1;
    }
    CHECK((others > 0) == (bandwidth != 1));
    // As many ridges as each has bandwidths, at its own peak.
    std::size_t at_other_peak = 0;
    for (const PlacedRidge& ridge : layout.ridges)
      at_other_peak += std::abs(ridge.at.y - layout.y.px(top[1])) < 0.5 ? 1 : 0;
    CHECK(at_other_peak >= 4);
  }
}
