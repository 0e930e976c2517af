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

namespace {

struct Drawn {
  std::string canvas, key, notes;
  bool has(char letter) const { return canvas.find(letter) != canvas.npos; }
};

/// The cells between the axes, without the names of ceilings; the lines below the axes.
Drawn drawn(const Chart& given, const TerminalChartOptions& options) {
  Chart chart = given;
  chart.ceilings.clear();
  Drawn parts;
  std::istringstream in(render_terminal_chart(chart, options));
  bool below = false;
  for (std::string line; std::getline(in, line);) {
    const std::size_t axis = line.find('|');
    if (line.find("FLOP/byte") != line.npos)
      below = true;
    else if (below)
      parts.key += line + '\n';
    else if (axis != line.npos)
      parts.canvas += line.substr(axis + 1) + '\n';
  }
  parts.notes = terminal_chart_notes(chart, options);
  return parts;
}

bool is_letter_of_key(const std::string& key, char letter) {
  return key.rfind(std::string(1, letter) + " ", 0) == 0 ||
         key.find("\n" + std::string(1, letter) + " ") != key.npos ||
         key.find("   " + std::string(1, letter) + " ") != key.npos;
}

ChartPoint point_at(const std::string& name, double intensity, double flop_per_s, double weight) {
  ChartPoint point;
  point.name = name;
  point.intensity.value = intensity;
  point.flop_per_s.value = flop_per_s;
  point.weight = weight;
  return point;
}

}  // namespace

TEST_CASE("every letter of the key is on the chart, and every letter of the chart in the key") {
  for (const unsigned width : {40u, 80u, 132u})
    for (const unsigned height : {12u, 24u, 50u})
      for (unsigned seed = 0; seed < 40; ++seed) {
        Chart chart = chart_of(sample::random_profile(seed, 3 + seed % 20));
        // Names that hold no letter of the key, and some points in one place.
        for (std::size_t i = 0; i < chart.points.size(); ++i) {
          ChartPoint& point = chart.points[i];
          point.name = "r" + std::to_string(i);
          point.visits_low.reset(), point.visits_high.reset();
          if (i % 3 == 2) point.intensity = chart.points[0].intensity;
          if (i % 3 == 2) point.flop_per_s = chart.points[0].flop_per_s;
          if (i % 4 == 1)
            point.before = ChartPlace{point.intensity.value / 3, point.flop_per_s.value / 7};
        }
        chart.x_min = chart.x_max = chart.y_min = chart.y_max = 0;
        const TerminalChartOptions options{width, height, false, false};
        const Drawn parts = drawn(chart, options);
        INFO(width << " x " << height << " seed " << seed << '\n' << parts.canvas << parts.key);
        for (char letter = 'A'; letter <= 'Z'; ++letter)
          REQUIRE(parts.has(letter) == is_letter_of_key(parts.key, letter));
        for (char letter = 'a'; letter <= 'z'; ++letter)
          if (parts.has(letter))
            REQUIRE(is_letter_of_key(parts.key, static_cast<char>(letter - 'a' + 'A')));
        if (parts.notes.find("*: ") == 0) REQUIRE(parts.has('*'));
        if (parts.has('*')) REQUIRE(parts.notes.find("*: ") != parts.notes.npos);
      }
}

TEST_CASE("points of one place share a letter; what lies outside has none") {
  Chart chart;
  chart.points = {point_at("heavy", 1, 1e9, 0.5), point_at("same", 1, 1e9, 0.3),
                  point_at("other", 10, 1e8, 0.2), point_at("far", 1e-9, 1e9, 1e-9)};
  const TerminalChartOptions options{80, 24, false, false};
  const Drawn parts = drawn(chart, options);
  CHECK(parts.key.find("A heavy, same   B other\n") == 0);
  CHECK(parts.key.find("far") == parts.key.npos);
  CHECK(parts.key.find("1 point lies outside the chart") != parts.key.npos);
}

TEST_CASE("a small letter that no one can see is told") {
  Chart chart;
  chart.points = {point_at("k", 1, 1e9, 0.5), point_at("l", 10, 1e8, 0.2)};
  chart.points[0].before = ChartPlace{10, 1e8};
  chart.points[1].before = ChartPlace{2, 5e8};
  const TerminalChartOptions options{80, 24, false, false};
  CHECK(drawn(chart, options).has('b'));
  CHECK_FALSE(drawn(chart, options).has('a'));
  CHECK(drawn(chart, options).notes.find("Under another letter: where A was.") == 0);
  chart.x_min = 0.5, chart.x_max = 5, chart.y_min = 1e7, chart.y_max = 1e10;
  CHECK(drawn(chart, options).notes.find("Outside the chart: where A was.") == 0);
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
