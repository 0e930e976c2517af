#include <cmath>
#include <roofmark/report.hpp>
#include <set>
#include <utility>

#include "analysis/report/chart_ceilings.hpp"
#include "catch.hpp"
#include "sample_profile.hpp"

using namespace roofmark;

static void require_inside(const Chart& chart) {
  REQUIRE(std::isfinite(chart.x_min));
  REQUIRE(std::isfinite(chart.y_max));
  REQUIRE(chart.x_min > 0);
  REQUIRE(chart.y_min > 0);
  REQUIRE(chart.x_min < chart.x_max);
  REQUIRE(chart.y_min < chart.y_max);
  double all = 0;
  for (const ChartPoint& point : chart.points) all += point.weight;
  for (const ChartPoint& point : chart.points) {
    if (all > 0 && point.weight <= 0.05 * all) continue;
    REQUIRE(point.intensity.value >= chart.x_min);
    REQUIRE(point.intensity.value <= chart.x_max);
    REQUIRE(point.flop_per_s.value >= chart.y_min);
    REQUIRE(point.flop_per_s.value <= chart.y_max);
  }
  for (const ChartCeiling& ceiling : chart.ceilings)
    if (ceiling.kind == ChartCeiling::Kind::compute) {
      REQUIRE(ceiling.per_s.value >= chart.y_min);
      REQUIRE(ceiling.per_s.value <= chart.y_max);
    }
}

TEST_CASE("axes hold every point and every flat roof") {
  require_inside(chart_of(sample::profile()));
  require_inside(chart_of(sample::machine()));
  for (unsigned seed = 0; seed < 60; ++seed)
    require_inside(chart_of(sample::random_profile(seed, 40)));
}

TEST_CASE("a region with little time does not stretch the axes, and is counted") {
  Chart chart = chart_of(sample::profile());
  const auto fit = [](Chart& of) {
    of.x_min = of.x_max = of.y_min = of.y_max = 0;
    fit_axes(of);
  };
  fit(chart);
  const double x_min = chart.x_min;
  CHECK(points_outside(chart) == 0);
  CHECK(outside_sentence(chart).empty());
  ChartPoint light = chart.points.back();
  light.weight = 0.001;
  light.intensity = {1e-9, {}, {}};
  chart.points.push_back(light);
  fit(chart);
  CHECK(chart.x_min == x_min);
  CHECK(points_outside(chart) == 1);
  CHECK(render_svg(chart).find("1 point lies outside") != std::string::npos);
  CHECK(render_terminal_chart(chart, {}).find("lies outside") != std::string::npos);
  // With time it counts.
  chart.points.back().weight = 0.5;
  fit(chart);
  CHECK(chart.x_min <= 1e-9);
  CHECK(points_outside(chart) == 0);
  // Where nobody has a weight, as kernels that are given, all do.
  for (ChartPoint& point : chart.points) point.weight = 0;
  fit(chart);
  CHECK(points_outside(chart) == 0);
}

TEST_CASE("an empty chart has axes") {
  Chart chart;
  fit_axes(chart);
  require_inside(chart);
  require_inside(chart_of(Profile{}));
  require_inside(chart_of(Machine{}));
}

TEST_CASE("axes that are given stay") {
  Chart chart = chart_of(sample::profile());
  const double x_max = chart.x_max;
  chart.x_min = 1e-7;
  fit_axes(chart);
  REQUIRE(chart.x_min == 1e-7);
  REQUIRE(chart.x_max == x_max);
}

TEST_CASE("a chart shows regions by their own work at one level") {
  const Chart chart = chart_of(sample::profile());
  REQUIRE(chart.points.size() == 5);  // setup was not counted
  REQUIRE(chart.points[0].name == "solve/spmv");
  REQUIRE(chart.points[0].level == "DRAM");
  REQUIRE(chart.points[0].intensity.value == Approx(3.2e9 / 34e9));
  REQUIRE(chart.points[0].flop_per_s.value == Approx(3.2e9 / 2.1));
  REQUIRE(chart.points[0].weight == Approx(2.1 / 4.1));
  for (const ChartPoint& point : chart.points)
    if (point.name == "solve") REQUIRE(point.flop_per_s.value == Approx(1e6 / 0.05));
  // Absent is not zero: the region is named as not drawn, with the reason.
  REQUIRE(chart.notes.size() == 1);
  REQUIRE(chart.notes[0].find("Not drawn: setup (") != std::string::npos);
  REQUIRE(chart.notes[0].find("the counted pass ended") != std::string::npos);
}

TEST_CASE("children can be included, and another level chosen") {
  const Profile profile = sample::profile();
  ChartOptions options;
  options.self = false;
  options.level = "L1";
  const Chart chart = chart_of(profile, options);
  REQUIRE(chart.points[0].name == "solve");
  REQUIRE(chart.points[0].intensity.value == Approx(6.1e9 / (52e9 * 1.9)));
  REQUIRE(levels_of(profile) == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
}

TEST_CASE("a point's side is that of the level that is shown") {
  Profile profile = sample::profile();
  for (Region& region : profile.regions)
    for (Roofline& roofline : region.rooflines) {
      roofline.side = Side::balanced;
      roofline.levels["L1"] = {9, 1e9, 1, 1e10, 1e10};
      roofline.levels["DRAM"] = {0.1, 1e9, 1, 1e10, 1e10};
      roofline.levels.erase("L2");
    }
  const auto side = [&](const char* level) { return chart_of(profile, {level}).points[0].side; };
  REQUIRE(side("L1") == Side::compute);
  REQUIRE(side("DRAM") == Side::memory);
  REQUIRE(side("L2") == Side::unknown);
}

TEST_CASE("lines say how many cores they hold for where these differ") {
  const std::string svg = render_svg(chart_of(sample::machine()));
  REQUIRE(svg.find(">DRAM, 2 cores 21 GB/s<") != std::string::npos);
  REQUIRE(svg.find(">DRAM, 1 core 14.2 GB/s<") != std::string::npos);
  Machine alone = sample::machine();
  alone.topology.cores = 1;
  std::erase_if(alone.compute, [](const auto& ceiling) { return ceiling.threads > 1; });
  std::erase_if(alone.bandwidth, [](const auto& ceiling) { return ceiling.threads > 1; });
  REQUIRE(render_svg(chart_of(alone)).find(">DRAM 14.2 GB/s<") != std::string::npos);
}

TEST_CASE("a count's range is a range of the point") {
  const Chart chart = chart_of(sample::profile());
  for (const ChartPoint& point : chart.points)
    if (point.name == "solve/dot") {
      REQUIRE(point.intensity.low.value() == Approx(1.1e9 / (6.5e9 + 1.75e9)));
      REQUIRE(point.intensity.high.value() == Approx(1.1e9 / (4.2e9 + 1.75e9)));
    }
}

TEST_CASE("the scatter of visits is a bar of the point's height") {
  Profile profile = sample::profile();
  Region& dot = profile.regions[2];
  // Four visits of a second in the mean, one standard deviation 0.25 s, none below 0.8 s.
  dot.visits = 4;
  dot.work.wall_s = dot.work.thread_s = Measure{4, Source::measured, {}, {}};
  dot.self = dot.work;
  dot.visit_s = VisitTimes{0.8, 1, 1.5, 0.25, 1};
  const auto point_in = [&](const Chart& chart) {
    for (const ChartPoint& point : chart.points)
      if (point.name == "solve/dot") return point;
    return ChartPoint{};
  };
  const ChartPoint point = point_in(chart_of(profile));
  const double rate = 1.1e9 / 4;
  REQUIRE(point.flop_per_s.value == Approx(rate));
  CHECK(point.visits_low.value() == Approx(rate / 1.25));
  CHECK(point.visits_high.value() == Approx(rate / 0.8));
  // The mean is known better than one visit: it is no range.
  CHECK_FALSE(point.flop_per_s.low);
  const std::string svg = render_svg(chart_of(profile));
  CHECK(svg.find("single visits: 220 MFLOP/s to 340 MFLOP/s (one standard deviation)") !=
        std::string::npos);
  CHECK(svg.find("bars: ranges, and one standard deviation of visits") != std::string::npos);
  CHECK(svg.find("stroke-dasharray=\"2 2\"") == std::string::npos);
  dot.flags.insert("visits_differ");
  const std::string differing = render_svg(chart_of(profile));
  CHECK(differing.find("stroke-dasharray=\"2 2\"") != std::string::npos);
  CHECK(
      differing.find("(one standard deviation; dashed: its passes did not do the same work: as if "
                     "each did the same)") != std::string::npos);
  dot.visits = 1;
  CHECK_FALSE(point_in(chart_of(profile)).visits_low);
}

TEST_CASE("the visits of a region with children are no scatter of its own work") {
  const Profile profile = sample::profile();
  for (const bool self : {true, false}) {
    ChartOptions options;
    options.self = self;
    Profile several = profile;
    several.regions[0].visits = 3;
    for (const ChartPoint& point : chart_of(several, options).points)
      if (point.name == "solve") CHECK(point.visits_low.has_value() != self);
  }
}

TEST_CASE("precisions are points of their own, never summed") {
  Profile profile = sample::profile();
  Region& region = profile.regions[1];
  region.self.flop[Precision::f32] = sample::count(1.6e9, Source::counted);
  const Chart chart = chart_of(profile);
  std::size_t points = 0;
  for (const ChartPoint& point : chart.points)
    if (point.region == 1u) {
      ++points;
      REQUIRE(point.flop_per_s.value ==
              Approx(point.precision == "f64" ? 3.2e9 / 2.1 : 1.6e9 / 2.1));
    }
  REQUIRE(points == 2);
}

TEST_CASE("a measured zero of bytes is not a point at infinity") {
  Profile profile = sample::profile();
  for (Region& region : profile.regions)
    if (region.self.bytes.contains("DRAM")) {
      region.self.bytes["DRAM"].read = sample::count(0, Source::modelled);
      region.self.bytes["DRAM"].write = sample::count(0, Source::modelled);
    }
  ChartOptions at_memory;
  at_memory.level = "DRAM";
  const Chart chart = chart_of(profile, at_memory);
  REQUIRE(chart.points.empty());
  bool said = false;
  for (const std::string& note : chart.notes)
    said = said || note.find("no byte crossed") != std::string::npos;
  REQUIRE(said);
}

TEST_CASE("too many points are cut at the light end, and it is said") {
  ChartOptions options;
  options.points = 10;
  const Chart chart = chart_of(sample::random_profile(1, 100), options);
  REQUIRE(chart.points.size() == 10);
  REQUIRE(chart.notes[0].find("10 points") != std::string::npos);
}

TEST_CASE("the machine's own roof is emphasised, lower rungs are told apart") {
  const auto lines = report::chart_ceilings(sample::machine(), {Precision::f64});
  std::size_t roofs = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].emphasised) ++roofs;
    for (std::size_t j = 0; j < i; ++j)
      if (!lines[i].emphasised && lines[i].kind == lines[j].kind)
        REQUIRE(std::abs(std::log(lines[i].per_s.value / lines[j].per_s.value)) >= 0.05);
  }
  REQUIRE(roofs == 5);  // four levels and one peak
}

TEST_CASE("no two ceilings of a chart have one name and number of cores") {
  Machine machine = sample::machine();
  // Measured in bursts and over a second, with unequal results.
  for (const ComputeCeiling& burst : std::vector<ComputeCeiling>(machine.compute)) {
    ComputeCeiling sustained = burst;
    sustained.sustained = true;
    sustained.flop_per_s *= burst.operation == Operation::fma ? 1.3 : 0.7;
    machine.compute.push_back(sustained);
  }
  std::set<std::pair<std::string, double>> names;
  for (const ChartCeiling& line : report::chart_ceilings(machine, {Precision::f64}))
    CHECK(names.emplace(line.name, line.cores).second);
  CHECK(names.size() > 5);
}

TEST_CASE("the level shown first is the outermost at which most of the time has a place") {
  Profile profile = sample::profile();
  REQUIRE(chart_of(profile).points[0].level == "DRAM");
  const auto leave_no_bytes = [&](std::size_t region) {
    for (Work* work : {&profile.regions[region].work, &profile.regions[region].self}) {
      work->bytes["DRAM"].read = sample::count(0, Source::modelled);
      work->bytes["DRAM"].write = sample::count(0, Source::modelled);
    }
  };
  leave_no_bytes(3);  // 0.9 of 3.57 s
  REQUIRE(chart_of(profile).points[0].level == "DRAM");
  leave_no_bytes(1);  // and 2.1 s: now most of the time stays in the caches
  REQUIRE(chart_of(profile).points[0].level == "L3");
}
