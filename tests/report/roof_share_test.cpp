// What stands beside a verdict is what the verdict is about, in text, Markdown and page.
#include <roofmark/report.hpp>
#include <roofmark/roofline.hpp>
#include <set>

#include "../roofline/test_machine.hpp"
#include "analysis/report/chart_ceilings.hpp"
#include "analysis/report/region_row.hpp"
#include "analysis/report/roof_share.hpp"
#include "catch.hpp"

namespace roofmark {
namespace {

/// One core does `times` its own peak, which is half of the machine's. `range`: of the time.
Profile above(double times, double range = 0) {
  Profile profile;
  profile.machine = test::two_cores();
  test::RegionMaker maker({"hot"});
  maker.wall(1).flop(times * 20e9).in_l1(1e9).bytes("DRAM", 1e8, 0);
  Region region = maker;
  if (range > 0) {
    region.work.wall_s->low = 1 - range;
    region.work.wall_s->high = 1 + range;
  }
  region.cores_used = Measure{1, Source::measured, {}, {}};
  region.self = region.work;
  profile.regions = {region};
  judge(profile);
  return profile;
}

bool holds(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("above the roof as written it is that roof's share, and says so") {
  const Profile profile = above(1.2);
  const Roofline& line = profile.regions[0].rooflines[0];
  REQUIRE(line.verdict == Verdict::above_roof);
  REQUIRE(*line.fraction == Approx(0.6));
  const std::string text = render_text(profile, {});
  INFO(text);
  CHECK(holds(text, "120%w"));
  CHECK_FALSE(holds(text, " 60% above roof"));
  CHECK(holds(text, "w: of its roof as"));
  const std::string markdown = render_markdown(profile, {});
  INFO(markdown);
  CHECK(holds(markdown, "| 120% as written | above roof"));
  const std::string page = render_html(profile);
  CHECK(holds(page, "<td>120%<span class=\"source\">as written</span></td>"));
  CHECK(holds(page, "\"beside\":{\"share\":1"));
  CHECK(holds(page, "120 % of the roof as written"));  // the point's tooltip
}

TEST_CASE("whatever the spread, nothing above its roof reads as a hundred percent or less") {
  for (double times = 1.11; times < 3; times += 0.03)
    for (double range = 0; range < 0.6; range += 0.05) {
      const Profile profile = above(times, range);
      const Roofline& line = profile.regions[0].rooflines[0];
      if (line.verdict != Verdict::above_roof) continue;
      const auto rows = report::rows_of(profile, {});
      const std::string told = report::roof_percent(rows[0]);
      INFO(times << " within " << range << ": " << told);
      if (told[0] == '>') {
        CHECK(told == ">100%");
        continue;
      }
      CHECK(std::stod(told) > 100);
    }
}

TEST_CASE("other verdicts stand beside the machine's roof, and so do those of a machine of one") {
  const Profile below = above(0.9);
  REQUIRE(below.regions[0].rooflines[0].verdict == Verdict::compute);
  const std::string text = render_text(below, {});
  CHECK(holds(text, "45% compute"));
  CHECK_FALSE(holds(text, "w: of its roof"));
  // Without the mix there is no roof as written: it is that of the core that it ran on.
  Profile unmixed = above(1.2);
  for (Work* work : {&unmixed.regions[0].work, &unmixed.regions[0].self}) work->mix.clear();
  judge(unmixed);
  REQUIRE(unmixed.regions[0].rooflines[0].verdict == Verdict::above_roof);
  CHECK(holds(render_markdown(unmixed, {}), "| 120% on its cores | above roof"));
  Profile one = above(1.2);
  one.machine.topology.cores = 1;
  judge(one);
  CHECK(holds(render_text(one, {}), "120% above roof"));
}

TEST_CASE(
    "no line of one core is drawn above that of all cores, whatever pages each was measured in") {
  Machine machine = test::two_cores();
  std::erase_if(machine.bandwidth, [](const auto& one) { return one.level == "DRAM"; });
  const auto add = [&](double page_bytes, unsigned threads, double bytes_per_s) {
    test::add_bandwidth(machine, "DRAM", "read", "avx2", threads, bytes_per_s);
    machine.bandwidth.back().page_bytes = page_bytes;
  };
  add(2 << 20, 1, 60e9);
  add(4096, 1, 20e9);
  add(4096, 2, 25e9);
  double of_all = 0, of_one = 0;
  for (const ChartCeiling& line : chart_of(machine).ceilings)
    if (line.name == "DRAM" && (line.emphasised || line.cores == 1))
      (line.cores > 1 ? of_all : of_one) = line.per_s.value;
  CHECK(of_all == 60e9);
  CHECK(of_one <= of_all);
}

TEST_CASE("where memory was measured in pages of two sizes, each roof says which it is of") {
  const auto roofs = [](double small_share) {
    Machine machine = test::two_cores();
    std::erase_if(machine.bandwidth, [](const auto& one) { return one.level == "DRAM"; });
    for (const double page_bytes : {2097152.0, 4096.0})
      for (const unsigned threads : {1U, 2U}) {
        test::add_bandwidth(machine, "DRAM", "read", "avx2", threads, threads == 1 ? 20e9 : 30e9);
        machine.bandwidth.back().page_bytes = page_bytes;
        if (page_bytes < 5000) machine.bandwidth.back().interface_bytes_per_s *= small_share;
      }
    return machine;
  };
  const auto names = [](const Machine& machine) {
    const Chart chart = chart_of(machine);
    std::set<std::string> all;
    for (const ChartCeiling& ceiling : chart.ceilings)
      all.insert(report::name_of(chart, ceiling) + (ceiling.emphasised ? "" : " below"));
    return all;
  };
  std::set<std::string> found = names(roofs(0.5));
  CHECK(found.contains("DRAM, large pages, 2 cores"));
  CHECK(found.contains("DRAM, small pages, 2 cores below"));
  CHECK(found.contains("DRAM, large pages, 1 core below"));
  CHECK(found.contains("L1, 2 cores"));  // of one size: nothing to say
  // One line on paper.
  found = names(roofs(0.99));
  CHECK(found.contains("DRAM, large pages, 2 cores"));
  CHECK_FALSE(found.contains("DRAM, small pages, 2 cores below"));
  CHECK(found.contains("DRAM, large pages, 1 core below"));

  Profile profile = above(0.5);
  profile.machine = roofs(0.5);
  judge(profile);
  CHECK(holds(render_svg(chart_of(profile, {"DRAM"})), "DRAM, large pages, 2 cores 30 GB/s"));
  CHECK(holds(render_text(profile, {}), "read, 2 cores, large pages"));
  CHECK(holds(render_markdown(profile, {}), "large pages"));
  CHECK(holds(render_html(profile), "data-roof=\"DRAM, small pages, 2 cores 15 GB/s\""));
  CHECK_FALSE(holds(render_svg(chart_of(above(0.5), {"DRAM"})), "pages"));
}

TEST_CASE("commands in sentences of the page are code") {
  Profile profile = above(1.2);
  profile.notes = {"Look at `roofmark machine` & <more>.", "One ` alone."};
  const std::string page = render_html(profile);
  CHECK(holds(page, "Look at <code>roofmark machine</code> &amp; &lt;more&gt;."));
  CHECK(holds(page, "One ` alone."));
  CHECK(holds(page, "(<code>roofmark machine --refresh</code>)"));  // of the advice
}

TEST_CASE("without a machine the reason is that, also where a visit is too short") {
  Profile profile = above(0.9);
  profile.machine = {};
  profile.notes = {"No roof: it was recorded with --no-machine, which uses no ceilings."};
  profile.regions[0].rooflines.clear();
  profile.regions[0].self_rooflines.clear();
  for (const bool short_visit : {false, true}) {
    if (short_visit) profile.regions[0].flags.insert("too_small");
    judge(profile);
    for (const std::string& report :
         {render_text(profile, {}), render_markdown(profile, {}), render_html(profile)}) {
      INFO(report.substr(0, 4000));
      CHECK(holds(report, "no machine was measured: --no-machine"));
      CHECK_FALSE(holds(report, "no ceiling for f64"));
      CHECK_FALSE(holds(report, "no ceiling of this machine applies"));
      CHECK_FALSE(holds(report, "main memory has no ceiling"));
    }
  }
}

}  // namespace
}  // namespace roofmark
