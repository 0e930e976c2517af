#include <cmath>
#include <roofmark/report.hpp>

#include "catch.hpp"
#include "markup_check.hpp"
#include "sample_profile.hpp"

using namespace roofmark;

static void require_well_formed_svg(const std::string& svg) {
  sample::MarkupCheck check(svg, sample::xml_rules);
  REQUIRE(check.problem() == "");
  REQUIRE(sample::without_nan(svg));
}

TEST_CASE("SVG: everything that a chart has is drawn") {
  const std::string svg = render_svg(chart_of(sample::profile()));
  require_well_formed_svg(svg);
  for (const char* text :
       {"<title id=\"roofline-title\">./poisson_cg --size 128</title>",
        "<desc id=\"roofline-desc\">", "solve/spmv", "DRAM, 2 cores 21 GB/s",
        "L1, 2 cores 400 GB/s", "f64 avx2 fma, 2 cores 102 GFLOP/s", "ridge 4.77",
        "class=\"ridge\"", "class=\"memory bar\"", "Intensity at DRAM, FLOP/byte", "10 GFLOP/s",
        "prefers-color-scheme: dark", "role=\"img\"", "FLOPs counted, bytes modelled"})
    REQUIRE(svg.find(text) != std::string::npos);
}

TEST_CASE("SVG: marks grow with time in area") {
  const Chart chart = chart_of(sample::profile());
  REQUIRE(chart.points.front().name == "solve/spmv");
  const std::string svg = render_svg(chart);
  const auto radius = [&](std::size_t region) {
    const std::size_t at = svg.find("data-region=\"" + std::to_string(region) + "\"");
    const std::size_t r = svg.find(" r=\"", at);
    return std::stod(svg.substr(r + 4));
  };
  REQUIRE(radius(1) > radius(2) * 1.3);  // spmv against dot
}

TEST_CASE("SVG: hostile and random input is well-formed") {
  for (unsigned seed = 0; seed < 40; ++seed)
    require_well_formed_svg(render_svg(chart_of(sample::random_profile(seed, 50))));
  Chart chart;
  for (const std::string& name : sample::hostile_names()) {
    ChartPoint point;
    point.name = point.note = point.level = point.precision = name;
    point.intensity.value = 1;
    point.flop_per_s.value = 1e9;
    chart.points.push_back(point);
    ChartCeiling ceiling;
    ceiling.name = ceiling.detail = name;
    ceiling.per_s.value = 1e9;
    chart.ceilings.push_back(ceiling);
    chart.notes.push_back(name);
    chart.title += name;
    chart.subtitle += name;
  }
  const std::string svg = render_svg(chart);
  require_well_formed_svg(svg);
  REQUIRE(svg.find("<script") == std::string::npos);
  SvgOptions options;
  options.id = "\"><script>";
  require_well_formed_svg(render_svg(chart, options));
}

TEST_CASE("SVG: numbers that are none are left out") {
  Chart chart;
  for (const double value : {std::nan(""), double(INFINITY), -1.0, 0.0, 1e308, 1e-308, 5e-324}) {
    ChartPoint point;
    point.name = "p";
    point.intensity.value = point.flop_per_s.value = value;
    point.intensity.low = point.flop_per_s.high = value;
    point.weight = value;
    chart.points.push_back(point);
    for (const auto kind : {ChartCeiling::Kind::compute, ChartCeiling::Kind::bandwidth}) {
      ChartCeiling ceiling;
      ceiling.kind = kind;
      ceiling.name = "c";
      ceiling.per_s = {value, value, value};
      chart.ceilings.push_back(ceiling);
    }
  }
  require_well_formed_svg(render_svg(chart));
  require_well_formed_svg(render_svg(Chart{}));
  require_well_formed_svg(render_svg(chart_of(Profile{})));
  SvgOptions tiny;
  tiny.width = tiny.height = 1;
  require_well_formed_svg(render_svg(chart_of(sample::profile()), tiny));
}

TEST_CASE("SVG: a chart without anything says so") {
  const std::string svg = render_svg(Chart{});
  require_well_formed_svg(svg);
  REQUIRE(svg.find("Nothing to draw") != std::string::npos);
  REQUIRE(render_svg(chart_of(sample::machine())).find("Nothing to draw") == std::string::npos);
}

TEST_CASE("SVG: both axes have a title") {
  const std::string svg = render_svg(chart_of(sample::profile()));
  REQUIRE(svg.find(">Performance</text>") != std::string::npos);
  REQUIRE(svg.find(">Intensity at DRAM, FLOP/byte</text>") != std::string::npos);
}

TEST_CASE("SVG: a machine alone has a chart") {
  const std::string svg = render_svg(chart_of(sample::machine()));
  require_well_formed_svg(svg);
  REQUIRE(svg.find("f32 avx2 fma, 2 cores 204 GFLOP/s") != std::string::npos);
  REQUIRE(svg.find("class=\"point\"") == std::string::npos);
}
