// The forms that people and machines read: bounded lines, inert names, whole documents.
#include "analysis/comparison/render.hpp"

#include <cmath>
#include <sstream>

#include "../report/markup_check.hpp"
#include "../support/hostile_names.hpp"
#include "analysis/comparison/chart.hpp"
#include "analysis/comparison/sentences.hpp"
#include "analysis/text/plain_text.hpp"
#include "catch.hpp"
#include "runs.hpp"

using namespace roofmark;
using namespace roofmark::test;
using namespace roofmark::comparison;
using roofmark::sample::hostile_names;

namespace {

struct Compared {
  Comparison comparison;
  std::vector<Condition> conditions;
  std::vector<Outcome> outcomes;
  Judged judged() const { return {comparison, conditions, outcomes}; }
};

Compared compared(const std::vector<std::string>& names) {
  std::vector<Kernel> before, after;
  for (const std::string& name : names) {
    before.push_back({{name}, 1});
    after.push_back({{name}, 2});
  }
  Compared s{compare({run_of(before)}, {run_of(after)}), {*parse_condition("time > 5%")}, {}};
  s.outcomes = *judge(s.conditions, s.comparison);
  return s;
}

/// The names that stand beside marks, without what their tooltips say.
std::string labels(const std::string& svg) {
  std::string all;
  for (std::size_t at = 0; (at = svg.find("<text", at)) != svg.npos; ++at)
    all += svg.substr(at, svg.find("</text>", at) - at) + '\n';
  return all;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("text: no line is longer than the terminal, whatever the names") {
  const Compared s = compared(hostile_names());
  for (const unsigned width : {60U, 80U, 120U})
    for (const bool utf8 : {true, false}) {
      std::istringstream lines(render_text(s.judged(), {width, utf8, false, true}));
      for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(text::columns(line) <= width);
        for (const char c : line) {
          const auto byte = static_cast<unsigned char>(c);
          const bool plain = byte >= 0x20 && byte < 0x7f;
          const bool above_ascii = utf8 && byte >= 0x80;
          CHECK((plain || above_ascii));
        }
      }
    }
}

TEST_CASE("text: a region that did not move is left out unless all are wanted") {
  Compared s{compare({run_of({{{"moved"}, 1}, {{"still"}, 1}})},
                     {run_of({{{"moved"}, 2}, {{"still"}, 1}})}),
             {},
             {}};
  CHECK_FALSE(has(render_text(s.judged(), {}), "still"));
  CHECK(has(render_text(s.judged(), {80, true, false, true}), "still"));
  CHECK(has(render_text(s.judged(), {}), "1 slower, 1 the same within the noise"));
}

TEST_CASE("JUnit is whole XML with a case for each region and limit") {
  const std::string xml = render_junit(compared(hostile_names()).judged());
  CHECK(has(xml, "tests=\"" + std::to_string(hostile_names().size()) + "\""));
  CHECK(has(xml, "<failure message=\"time "));
  CHECK(roofmark::sample::MarkupCheck(xml.substr(xml.find('\n') + 1), roofmark::sample::xml_rules)
            .problem() == "");
}

TEST_CASE("annotations are one line each, and names end none of their parts") {
  const std::string text = render_github(compared({"a::error title=x::y", "50%\nof, it"}).judged());
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    INFO(line);
    CHECK((line.rfind("::error title=", 0) == 0 || line.rfind("::notice title=", 0) == 0));
  }
  CHECK(count == 3);
  CHECK(has(text, "::error title=Roofmark%3A a%3A%3Aerror title=x%3A%3Ay::"));
  CHECK(has(text, "50%25"));
}

TEST_CASE("Markdown: names are neither markup nor the end of a cell") {
  const std::string text =
      render_markdown(compared({"a|b", "<script>", "[x](y)", "`code`", "it's", "@team"}).judged());
  CHECK(has(text, "a\\|b"));
  CHECK_FALSE(has(text, "<script>"));
  CHECK(has(text, "\\[x\\](y)"));
  CHECK(has(text, "it's"));
  CHECK_FALSE(has(text, "@team"));
  CHECK(has(text, "\\`code\\`"));
  CHECK(has(text, "a limit was exceeded"));
}

TEST_CASE("the chart has an arrow from where a region was, if it moved") {
  const Profile before = run_of({{{"moved"}, 1, 1e9, 8e9}, {{"still"}, 1, 1e9, 4e9}});
  const Profile after = run_of({{{"moved"}, 1, 1e9, 2e9}, {{"still"}, 1, 1e9, 4e9}});
  const Chart chart = chart_of(compare({before}, {after}), after);
  REQUIRE(chart.points.size() == 2);
  for (const ChartPoint& point : chart.points) {
    REQUIRE(point.before.has_value() == (point.name == "moved"));
    if (!point.before) continue;
    CHECK(point.before->intensity == Approx(1.0 / 8));
    CHECK(point.intensity.value == Approx(0.5));
    CHECK(point.before->flop_per_s == Approx(1e9));
  }
  const std::string svg = render_svg(chart);
  CHECK(roofmark::sample::MarkupCheck(svg, roofmark::sample::xml_rules).problem() == "");
  CHECK(has(svg, "arrow: from before to after"));
  CHECK(has(svg, "before: 1 GFLOP/s at 0.125 FLOP/byte"));
  CHECK_FALSE(
      has(render_svg(chart_of(compare({after}, {after}), after)), "arrow: from before to after"));
}

TEST_CASE("a point without an arrow is told, with the reason") {
  const Profile before = run_of({{{"still"}, 1, 1e9, 4e9}, {{"gone"}, 1, 1e9, 4e9}});
  const Profile after = run_of({{{"still"}, 1, 1e9, 4e9}, {{"new"}, 1, 1e9, 4e9}});
  const Chart chart = chart_of(compare({before}, {after}), after);
  const std::string notes = terminal_chart_notes(chart, {200, 24, true, false});
  CHECK(has(notes, "Without an arrow: 1 point that did not move beyond the noise."));
  CHECK(has(notes, "Without an arrow: new (it is new)."));
  CHECK(has(notes, "Not drawn: 1 region of the runs before, gone after."));
  CHECK(has(render_svg(chart), "Without an arrow: new (it is new)."));
}

TEST_CASE("each precision of a region comes from its own place and lies in its own") {
  // f64 in the first region is the most, f32 a fifth; the second does f32 after alone.
  const auto run = [](double time_s, double f32, bool second_before) {
    Profile run = run_of({{{"mixed"}, time_s, 4e9, 8e9}, {{"k"}, 1, 1e9, 8e9}});
    run.regions[0] = RegionMaker({"mixed"})
                         .wall(time_s)
                         .threads(1, 1)
                         .flop(4e9)
                         .flop(f32, 256, Operation::fma, Precision::f32)
                         .bytes("DRAM", 8e9, 0);
    if (!second_before)
      run.regions[1] = RegionMaker({"k"})
                           .wall(1)
                           .threads(1, 1)
                           .flop(1e9, 256, Operation::fma, Precision::f32)
                           .bytes("DRAM", 8e9, 0);
    run.regions[0].runs_wall_s = {time_s * 0.999, time_s, time_s * 1.001};
    roofmark::judge(run);
    return run;
  };
  const Profile before = run(4, 1e9, true), after = run(2, 2e9, false);
  const Chart chart = chart_of(compare({before}, {after}, {"DRAM", {}}), after);
  std::size_t seen = 0;
  for (const ChartPoint& point : chart.points) {
    INFO(point.name);
    if (point.name == "mixed (f64)") {
      ++seen;
      CHECK(point.intensity.value == Approx(0.5));
      CHECK(point.flop_per_s.value == Approx(2e9).epsilon(0.01));
      REQUIRE(point.before);
      CHECK(point.before->intensity == Approx(0.5));
      CHECK(point.before->flop_per_s == Approx(1e9).epsilon(0.01));
    }
    if (point.name == "mixed (f32)") {
      ++seen;
      CHECK(point.intensity.value == Approx(0.25));
      CHECK(point.flop_per_s.value == Approx(1e9).epsilon(0.01));
      REQUIRE(point.before);
      CHECK(point.before->intensity == Approx(0.125));
      CHECK(point.before->flop_per_s == Approx(0.25e9).epsilon(0.01));
    }
    // What was f64 before is not where its f32 came from.
    if (point.name == "k") {
      ++seen;
      CHECK_FALSE(point.before);
    }
  }
  CHECK(seen == 3);
  CHECK(has(terminal_chart_notes(chart, {200, 24, true, false}),
            "Without an arrow: k (intensity: it has no FLOPs of f32 (before))."));
  // The same places as the report of the run after has them.
  ChartOptions inclusive;
  inclusive.level = "DRAM", inclusive.self = false;
  for (const ChartPoint& reported : chart_of(after, inclusive).points)
    for (const ChartPoint& point : chart.points)
      if (point.name == reported.name) {
        INFO(point.name);
        CHECK(point.intensity.value == Approx(reported.intensity.value));
        CHECK(point.flop_per_s.value == Approx(reported.flop_per_s.value).epsilon(0.01));
      }
}

TEST_CASE("what moved has its name, however light it is") {
  std::vector<Kernel> before, after;
  for (int i = 0; i < 8; ++i) before.push_back({{"heavy " + std::to_string(i)}, 10.0 + i});
  after = before;
  before.push_back({{"light one"}, 0.02, 1e7, 8e7});
  after.push_back({{"light one"}, 0.01, 1e7, 2e7});
  const Profile now = run_of(after);
  const auto names = [](const Chart& chart) { return labels(render_svg(chart)); };
  CHECK(has(names(chart_of(compare({run_of(before)}, {now}), now)), "light one"));
  // Where nothing moved it is one of many.
  CHECK_FALSE(has(names(chart_of(compare({now}, {now}), now)), "light one"));
}

TEST_CASE("an arrow shorter than its mark is told") {
  Chart chart =
      chart_of(compare({run_of({{{"k"}, 1}})}, {run_of({{{"k"}, 2}})}), run_of({{{"k"}, 2}}));
  REQUIRE(chart.points.at(0).before);
  CHECK_FALSE(has(render_svg(chart), "Without an arrow"));
  chart.points[0].before =
      ChartPlace{chart.points[0].intensity.value * 1.001, chart.points[0].flop_per_s.value};
  CHECK(has(render_svg(chart), "Without an arrow: 1 point that moved less than the mark is wide"));
}

TEST_CASE("text: no number is cut, however small the change") {
  Compared s{compare({run_of({{{"k"}, 1}})}, {run_of({{{"k"}, 1.00053}})}), {}, {}};
  Change& time = s.comparison.regions.at(0).changes.at("time");
  for (const double ratio : {0.99947, 1.00053, 0.987654, 1234567.8}) {
    time.ratio = ratio;
    time.low = ratio - 1e-5, time.high = ratio + 1e-5;
    for (const bool utf8 : {true, false}) {
      const std::string text = render_text(s.judged(), {80, utf8, false, true});
      INFO(text);
      CHECK(has(text, "(" + change_text(time) + ")"));
    }
  }
}

TEST_CASE("a change has no digit that its range does not carry") {
  Change change;
  change.ratio = 0.99947, change.low = 0.988, change.high = 1.011;
  CHECK(change_text(change) == "0 %");
  change.ratio = 1.1234, change.low = 1.07, change.high = 1.18;
  CHECK(change_text(change) == "+12 %");
  change.ratio = 1.1234, change.low = 0.9, change.high = 1.4;
  CHECK(change_text(change) == "+10 %");
  change.ratio = 3.456, change.low = 3.0, change.high = 4.0;
  CHECK(change_text(change) == "3.5x");
  change.before = 0.44912, change.after = 0.449, change.ratio = 1, change.low = 0.8,
  change.high = 1.2;
  CHECK(time_text(change, false) == "450 ms");
  change.low = 0.999, change.high = 1.001;
  CHECK(time_text(change, false) == "449 ms");
}

TEST_CASE("however wide the noise, a change does not contradict the sides that it is of") {
  Change change;
  change.low = 0.44, change.high = 3.79;
  change.before = 0.1328, change.after = 0.1708, change.ratio = 1.286;
  CHECK(change_text(change) == "+30 %");
  CHECK(time_text(change, false) == "130 ms");
  CHECK(time_text(change, true) == "170 ms");
  change.ratio = 0.288;
  CHECK(change_text(change) == "-70 %");
  for (double ratio = 0.001; ratio < 2; ratio *= 1.01)
    for (const double width : {1e-3, 0.1, 1.0, 30.0, 1e33}) {
      change.ratio = ratio, change.low = ratio / (1 + width), change.high = ratio * (1 + width);
      const std::string text = change_text(change);
      INFO(ratio << " within a factor of " << 1 + width << ": " << text);
      CHECK(text != "-100 %");
      if (std::abs(ratio - 1) > 0.1) CHECK(text != "0 %");
    }
}

TEST_CASE("where a region was is inside the chart, however far it came") {
  const Profile before = run_of({{{"k"}, 100, 1e9, 8e9}}), after = run_of({{{"k"}, 0.1, 1e9, 1e7}});
  const Chart chart = chart_of(compare({before}, {after}), after);
  REQUIRE(chart.points.at(0).before);
  CHECK(chart.points[0].before->intensity > chart.x_min);
  CHECK(chart.points[0].before->flop_per_s > chart.y_min);
  CHECK(has(render_svg(chart), "arrow: from before to after"));
}

TEST_CASE("a place before that can't be drawn has no arrow and harms nothing") {
  Chart chart =
      chart_of(compare({run_of({{{"k"}, 1}})}, {run_of({{{"k"}, 1}})}), run_of({{{"k"}, 1}}));
  for (const double value : {0.0, -1.0, double(NAN), double(INFINITY)}) {
    chart.points[0].before = ChartPlace{value, 1e9};
    CHECK_FALSE(has(render_svg(chart), "nan"));
    CHECK_FALSE(render_terminal_chart(chart).empty());
  }
}
