// Charts of programs that use GPUs: one for each roof.
#include <roofmark/report.hpp>

#include "catch.hpp"
#include "markup_check.hpp"
#include "sample_profile.hpp"

using namespace roofmark;

namespace {

/// Kernels below "solve": `flop` and `bytes` in a second on each of so many GPUs.
Profile with_kernels(unsigned gpus, std::uint64_t flop = 2'000'000'000'000,
                     std::uint64_t bytes = 1'000'000'000'000) {
  Profile profile = sample::profile();
  for (unsigned i = 0; i < gpus; ++i) {
    Gpu gpu;
    gpu.uuid = "GPU-" + std::to_string(i);
    gpu.name = "Some card";
    gpu.ceilings = {{"flop.f64", "fma", 30e12, 0, 0, 0, Source::measured, {}},
                    {"bytes.HBM", "copy", 3e12, 0, 0, 0, Source::measured, {}},
                    {"bytes.L2", "read", 6e12, 0, 0, 0, Source::measured, {}}};
    profile.machine.gpus.push_back(gpu);
    Region kernel;
    kernel.path = {"solve", "triad" + std::to_string(i)};
    kernel.visits = 1;
    kernel.kernel = KernelFacts{gpu.uuid, "triad", {}, {}, false, 0};
    kernel.work.wall_s = Measure{1, Source::measured, {}, {}};
    Count count;
    count.value = flop;
    if (flop > 0) kernel.work.flop[Precision::f64] = count;
    count.value = bytes;
    for (const char* level : {"HBM", "L2"}) kernel.work.bytes[level].total = count;
    kernel.self = kernel.work;
    profile.regions.push_back(kernel);
  }
  return profile;
}

std::size_t charts_in(const std::string& svg) {
  std::size_t found = 0;
  for (std::size_t at = svg.find("class=\"paper\""); at != svg.npos;
       at = svg.find("class=\"paper\"", at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("host and GPU have a chart each, with their own points and ceilings") {
  const std::vector<Chart> charts = charts_of(with_kernels(1));
  REQUIRE(charts.size() == 2);
  for (const ChartPoint& point : charts[0].points)
    CHECK(point.name.find("triad") == std::string::npos);
  const Chart& gpu = charts[1];
  CHECK(gpu.title == "Roofline of Some card");
  REQUIRE(gpu.points.size() == 1);
  CHECK(gpu.points[0].name == "solve/triad0");
  CHECK(gpu.points[0].level == "HBM");
  CHECK(gpu.points[0].intensity.value == Approx(2));
  CHECK(gpu.points[0].flop_per_s.value == Approx(2e12));
  for (const ChartCeiling& ceiling : gpu.ceilings) CHECK(ceiling.per_s.value >= 3e12);
}

TEST_CASE("a picture has all of them, one under the other, and a page as well") {
  const Profile profile = with_kernels(1);
  const std::string alone = render_svg(chart_of(profile)), svg = render_svg(charts_of(profile));
  sample::MarkupCheck check(svg, sample::xml_rules);
  CHECK(check.problem().empty());
  CHECK(charts_in(alone) == 1);
  CHECK(charts_in(svg) == 2);
  CHECK(svg.find("Roofline of Some card") != svg.npos);
  CHECK(svg.find("solve/triad0") != svg.npos);
  const auto height = [](const std::string& text) {
    return std::stod(text.substr(text.find("height=\"") + 8));
  };
  CHECK(height(svg) > 1.8 * height(alone));
  // What is one chart alone stays as it was.
  CHECK(render_svg(std::vector<Chart>{chart_of(profile)}) == alone);
  const std::string page = render_html(profile);
  CHECK(page.find("<h2>Roofline of Some card</h2>") != page.npos);
}

TEST_CASE("one roof alone, where it is asked for") {
  ChartOptions options;
  options.locus = "gpu:GPU-1";
  const std::vector<Chart> charts = charts_of(with_kernels(2), options);
  REQUIRE(charts.size() == 1);
  REQUIRE(charts[0].points.size() == 1);
  CHECK(charts[0].points[0].name == "solve/triad1");
  CHECK(busiest_gpu(with_kernels(2)).starts_with("gpu:GPU-"));
  CHECK(busiest_gpu(sample::profile()).empty());
  HtmlOptions page{options};
  const std::string html = render_html(with_kernels(2), page);
  CHECK(html.find("Intensity at HBM") != html.npos);
  CHECK(html.find("Roofline of Some card (GPU-0)") == html.npos);
}

TEST_CASE("a level that the GPU has not is left to it, one that it has is taken") {
  ChartOptions options;
  options.level = "DRAM";
  CHECK(charts_of(with_kernels(1), options)[1].points.at(0).level == "HBM");
  options.level = "L2";
  CHECK(charts_of(with_kernels(1), options)[1].points.at(0).level == "L2");
}

TEST_CASE("kernels that were not counted leave the roof, and a line with the reason") {
  Profile profile = with_kernels(1, 0);
  profile.regions.back().missing = {{"flop", "counters are for administrators", "as root"}};
  const std::vector<Chart> charts = charts_of(profile);
  REQUIRE(charts.size() == 2);
  CHECK(charts[1].points.empty());
  CHECK_FALSE(charts[1].ceilings.empty());
  REQUIRE_FALSE(charts[1].notes.empty());
  CHECK(charts[1].notes[0].find("counters are for administrators") != std::string::npos);
}

TEST_CASE("many GPUs: a bounded number of charts, and how many are left out") {
  const std::vector<Chart> charts = charts_of(with_kernels(40));
  CHECK(charts.size() == 16);
  CHECK(charts.back().notes.back().find("25 more GPUs have no chart here") != std::string::npos);
}

TEST_CASE("a machine's GPUs have a chart of their own roofs, matrix units included") {
  Machine machine = sample::machine();
  machine.gpus = with_kernels(2).machine.gpus;
  machine.gpus[0].ceilings.push_back(
      {"tensor.bf16", "wgmma", 900e12, 0, 0, 0, Source::measured, {}});
  const std::vector<Chart> charts = charts_of(machine);
  REQUIRE(charts.size() == 3);
  CHECK(charts[0].title == "Roofs of this machine");
  CHECK(charts[1].title == "Roofs of Some card");
  CHECK(charts[2].subtitle == "GPU-1");
  const auto has = [](const Chart& chart, const std::string& name) {
    for (const ChartCeiling& ceiling : chart.ceilings)
      if (ceiling.name.find(name) != std::string::npos) return true;
    return false;
  };
  CHECK(has(charts[1], "tensor bf16"));
  CHECK_FALSE(has(charts[2], "tensor"));
  CHECK(charts_in(render_svg(charts)) == 3);
  CHECK(charts_in(render_html(charts)) == 3);
}
