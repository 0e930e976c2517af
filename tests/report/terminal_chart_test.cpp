#include <algorithm>
#include <roofmark/report.hpp>
#include <sstream>

#include "analysis/text/plain_text.hpp"
#include "catch.hpp"
#include "sample_profile.hpp"

using namespace roofmark;

static void require_fits(const std::string& text, const TerminalChartOptions& options) {
  std::istringstream in(text);
  unsigned lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    INFO(line);
    REQUIRE(text::columns(line) <= options.width);
    for (const char c : line) {
      REQUIRE(static_cast<unsigned char>(c) >= 0x20);
      if (!options.utf8) REQUIRE(static_cast<unsigned char>(c) < 0x7f);
    }
  }
  REQUIRE(lines <= options.height);
}

TEST_CASE("the terminal chart fits its rows and columns") {
  for (const bool utf8 : {true, false})
    for (const unsigned width : {40u, 80u, 132u})
      for (const unsigned height : {12u, 24u, 50u}) {
        TerminalChartOptions options;
        options.utf8 = utf8;
        options.width = width;
        options.height = height;
        require_fits(render_terminal_chart(chart_of(sample::profile()), options), options);
        require_fits(render_terminal_chart(Chart{}, options), options);
        for (unsigned seed = 0; seed < 10; ++seed)
          require_fits(render_terminal_chart(chart_of(sample::random_profile(seed, 30)), options),
                       options);
      }
}

TEST_CASE("the terminal chart names its roofs and points") {
  for (const bool utf8 : {true, false}) {
    TerminalChartOptions options;
    options.utf8 = utf8;
    const std::string text = render_terminal_chart(chart_of(sample::profile()), options);
    for (const char* part :
         {"DRAM, 2 cores 21 GB/s", "L1, 2 cores 400 GB/s", "f64 avx2 fma, 2 cores 102 GFLOP/s",
          "A solve/spmv", "10 GFLOP/s", "FLOP/byte"})
      REQUIRE(text.find(part) != std::string::npos);
  }
}

TEST_CASE("the terminal chart draws bars of what has a letter, and says what it leaves out") {
  Chart chart = chart_of(sample::profile());
  const TerminalChartOptions ascii{80, 24, false, false};
  for (ChartPoint& point : chart.points)
    point.visits_low.reset(), point.visits_high.reset(), point.intensity.low.reset(),
        point.intensity.high.reset();
  const auto strokes = [&] {
    const std::string text = render_terminal_chart(chart, ascii);
    return std::count(text.begin(), text.end(), '|');
  };
  const auto before = strokes();
  chart.points[0].visits_low = chart.points[0].flop_per_s.value / 10;
  chart.points[0].visits_high = chart.points[0].flop_per_s.value * 10;
  CHECK(strokes() > before + 2);
  CHECK(terminal_chart_notes(chart, ascii).find("Not drawn: setup (") == 0);
  ChartPoint light = chart.points.back();
  for (int i = 0; i < 30; ++i) chart.points.push_back(light);
  CHECK(terminal_chart_notes(chart, ascii).find("points with less of the time than those") !=
        std::string::npos);
}

TEST_CASE("the terminal chart has colours only where asked for") {
  TerminalChartOptions options;
  REQUIRE(render_terminal_chart(chart_of(sample::profile()), options).find('\x1b') ==
          std::string::npos);
  options.colour = true;
  REQUIRE(render_terminal_chart(chart_of(sample::profile()), options).find("\x1b[1;34mA\x1b[0m") !=
          std::string::npos);
}

TEST_CASE("the names of close peaks stand in the order of the peaks") {
  Chart chart;
  for (const double peak : {40e9, 20e9, 15e9, 10e9}) {
    ChartCeiling line;
    line.kind = ChartCeiling::Kind::compute;
    line.name = "peak of " + std::to_string(static_cast<int>(peak / 1e9));
    line.per_s.value = peak;
    line.emphasised = peak > 30e9;
    chart.ceilings.push_back(line);
  }
  chart.x_min = 0.01, chart.x_max = 100, chart.y_min = 1e7, chart.y_max = 1e11;
  for (const unsigned width : {60u, 80u, 120u})
    for (const unsigned height : {14u, 20u, 24u, 40u}) {
      const std::string text = render_terminal_chart(chart, {width, height, true, false});
      std::ptrdiff_t before = 0;
      std::size_t named = 0;
      for (const ChartCeiling& line : chart.ceilings) {
        const std::size_t at = text.find(line.name);
        if (at == text.npos) continue;
        INFO(width << " x " << height << '\n' << text);
        const auto row = std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
        REQUIRE(row >= before);
        before = row;
        ++named;
      }
      REQUIRE(named >= 2);
    }
}

TEST_CASE("a narrow terminal chart names its roofs without the number of cores") {
  const std::string text =
      render_terminal_chart(chart_of(sample::profile()), {54, 24, true, false});
  REQUIRE(text.find("f64 avx2 fma 102 GFLOP/s") != std::string::npos);
}
