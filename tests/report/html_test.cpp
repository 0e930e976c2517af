#include <nlohmann/json.hpp>
#include <roofmark/report.hpp>
#include <roofmark/roofline.hpp>

#include "analysis/report/html_data.hpp"
#include "catch.hpp"
#include "markup_check.hpp"
#include "sample_profile.hpp"

using namespace roofmark;

static nlohmann::json data_of(const std::string& html) {
  const std::string start = "<script type=\"application/json\" id=\"roofmark-data\">";
  const std::size_t from = html.find(start) + start.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

static void require_well_formed(const std::string& html) {
  sample::MarkupCheck check(html, sample::html_rules);
  REQUIRE(check.problem() == "");
  // The chart, and the icicle where a region has a time.
  REQUIRE(check.names.count("svg") == (html.find("rm-icicle\" id") == std::string::npos ? 1 : 2));
  REQUIRE(check.names.count("html") == 1);
}

TEST_CASE("HTML: the static page is complete") {
  const std::string html = render_html(sample::profile());
  require_well_formed(html);
  for (const char* text :
       {"<svg", "solve/spmv", "<td>0.0941<span class=\"source\">modelled</span></td>",
        "memory DRAM", "Vectorise the inner loop", "the counted pass ended before this region",
        "DRAM, 2 cores 21 GB/s", "counts by emulated",
        "title=\"the counted pass ended before this region; record with --budget "
        "120\">-<sup>a</sup>"})
    REQUIRE(html.find(text) != std::string::npos);
}

TEST_CASE("HTML: nothing is fetched") {
  const std::string html = render_html(sample::profile());
  REQUIRE(html.find("default-src 'none'") != std::string::npos);
  for (const char* text : {"src=\"", "href=\"", "@import", "url(", "fetch(", "XMLHttpRequest"})
    REQUIRE(html.find(text) == std::string::npos);
  // The names of XML namespaces are the only addresses.
  std::size_t at = 0;
  while ((at = html.find("http", at)) != std::string::npos) {
    const std::string here = html.substr(at, 26);
    REQUIRE((here == "http://www.w3.org/2000/svg" || here.substr(0, 10) == "http-equiv"));
    at += 4;
  }
}

TEST_CASE("HTML: the data say what the profile says, with the source of each number") {
  const auto data = data_of(render_html(sample::profile()));
  REQUIRE(data["levels"] == nlohmann::json({"L1", "L2", "L3", "DRAM"}));
  REQUIRE(data["regions"].size() == 6);
  const auto& spmv = data["regions"][1];
  REQUIRE(spmv["path"] == "solve/spmv");
  REQUIRE(spmv["work"]["flop"]["f64"][0] == 3.2e9);
  const auto source = [&](const nlohmann::json& figure) {
    return data["sources"][figure[3].get<int>()];
  };
  REQUIRE(source(spmv["work"]["flop"]["f64"]) == "counted");
  REQUIRE(source(spmv["work"]["bytes"]["DRAM"]) == "modelled");
  REQUIRE(source(spmv["work"]["time"]) == "measured");
  REQUIRE(data["regions"][0].contains("self"));
  REQUIRE(data["regions"][4]["work"]["flop"].empty());  // absent, not 0
}

TEST_CASE("HTML: the data hold single threads, and one core's share of the roof") {
  Profile profile = sample::profile();
  const std::string html = render_html(profile);
  const auto data = data_of(html);
  const auto& shares = data["regions"][1]["shares"];
  CHECK(shares["of"] == "threads");
  CHECK(shares["total"] == 3);
  CHECK(shares["each"][1]["number"] == 2);
  CHECK(shares["each"][1]["work"]["flop"]["f64"] == 2'200'000'000);
  CHECK(shares["each"][1]["work"]["bytes"]["DRAM"] == 11'000'000'000);
  CHECK_FALSE(shares["each"][1].contains("self"));  // the same
  CHECK(shares["left"][0][0] == 1);
  CHECK_FALSE(data["regions"][0].contains("shares"));
  const auto& roof = data["shareRoofs"]["threads"]["f64"];
  const double cores = profile.machine.topology.cores;
  const auto whole = machine_roof(profile.machine, Precision::f64);
  REQUIRE(whole);
  CHECK(roof["peak"].get<double>() == Approx(whole->peak.per_s / cores));
  CHECK(roof["levels"]["DRAM"].get<double>() ==
        Approx(whole->levels.back().bandwidth.per_s / cores));
  // The static picture has none of it.
  CHECK(html.find("class=\"dot\"") == std::string::npos);
  for (Region& region : profile.regions) region.shares.reset();
  CHECK(data_of(render_html(profile))["shareRoofs"].empty());
}

TEST_CASE("HTML: hostile names are inert") {
  Profile profile = sample::profile();
  for (const std::string& name : sample::hostile_names()) {
    Region region = profile.regions[1];
    region.path = {name};
    region.missing = {{name, name, name}};
    region.flags = {name};
    region.rooflines[0].verdict_detail = region.rooflines[0].why = name;
    region.rooflines[0].advice = {{name, name, 2.0}};
    profile.regions.push_back(region);
  }
  profile.program.command = sample::hostile_names();
  profile.notes = sample::hostile_names();
  const std::string html = render_html(profile);
  require_well_formed(html);
  // Data and seven scripts are ours; every other is text.
  std::size_t scripts = 0;
  for (std::size_t at = html.find("<script"); at != std::string::npos;
       at = html.find("<script", at + 1))
    ++scripts;
  REQUIRE(scripts == 10);
  const auto data = data_of(html);
  REQUIRE(data["regions"].size() == profile.regions.size());
  REQUIRE(data["regions"][6]["path"] == "</script><script>alert(1)</script>");
}

TEST_CASE("HTML: random profiles are well-formed") {
  for (unsigned seed = 0; seed < 25; ++seed) {
    const std::string html = render_html(sample::random_profile(seed, 60));
    require_well_formed(html);
    data_of(html);
  }
  require_well_formed(render_html(Profile{}));
}

TEST_CASE("HTML: the axes hold every level with and without children") {
  const Profile profile = sample::profile();
  const auto data = data_of(render_html(profile));
  for (const std::string& level : levels_of(profile))
    for (const bool self : {true, false})
      for (const ChartPoint& point : chart_of(profile, {level, self, 400}).points) {
        REQUIRE(point.intensity.value >= data["plot"]["x"][0]);
        REQUIRE(point.intensity.value <= data["plot"]["x"][1]);
        REQUIRE(point.flop_per_s.value >= data["plot"]["y"][0]);
        REQUIRE(point.flop_per_s.value <= data["plot"]["y"][1]);
      }
}

TEST_CASE(
    "HTML: thousands of regions are in the page, the lighter ones for readers without scripts") {
  const Profile profile = sample::random_profile(9, 1000);
  const std::string html = render_html(profile);
  require_well_formed(html);
  REQUIRE(html.find("<noscript>") != std::string::npos);
  REQUIRE(html.find("data-region=\"999\"") != std::string::npos);
}

TEST_CASE("HTML: a page holds what it has room for, and says what it leaves out") {
  Profile profile = sample::profile();
  const Region leaf = profile.regions.back();
  for (int i = 0; i < 3000; ++i) {
    profile.regions.push_back(leaf);
    profile.regions.back().path = {"kernel " + std::to_string(i)};
  }
  HtmlOptions options;
  options.regions = 100;
  const std::string page = render_html(profile, options);
  require_well_formed(page);
  REQUIRE(page.find("The 100 regions with the most time of their own are in this page, of 3006.") !=
          page.npos);
  REQUIRE(page.find("solve/spmv") != page.npos);
  REQUIRE(page.find("kernel 2999") == page.npos);

  const auto bytes_with = [&](std::size_t bytes) {
    HtmlOptions limited;
    limited.bytes = bytes;
    return render_html(profile, limited).size();
  };
  REQUIRE(bytes_with(500'000) < 1'000'000);
  REQUIRE(bytes_with(500'000) < bytes_with(50'000'000));
  // Long names count as well.
  for (std::size_t i = 6; i < profile.regions.size(); ++i)
    profile.regions[i].path = {std::string(4000, 'x') + std::to_string(i)};
  REQUIRE(bytes_with(1'000'000) < 2'000'000);

  options.regions = 0;
  const std::string all = render_html(sample::profile(), options);
  REQUIRE(all.find("id=\"left-out\"") == all.npos);
}

TEST_CASE("HTML: a region whose parent has no row keeps the parent's name") {
  Profile profile = sample::profile();
  profile.regions = {profile.regions[1]};  // solve/spmv without solve
  const std::string page = render_html(profile);
  REQUIRE(page.find(">solve/spmv</td>") != page.npos);
  REQUIRE(render_html(sample::profile()).find(">spmv</td>") != std::string::npos);
}

TEST_CASE("HTML: a region without a name can be seen") {
  Profile profile = sample::profile();
  profile.regions[1].path = {""};
  const std::string page = render_html(profile);
  REQUIRE(page.find(">&quot;&quot;</td>") != page.npos);
  REQUIRE(render_text(profile).find("\"\"") != std::string::npos);
  REQUIRE(render_svg(chart_of(profile)).find(">&quot;&quot;</text>") != std::string::npos);
}

TEST_CASE("HTML: a chart of given numbers is a page") {
  GivenNumbers given;
  given.peaks_flop_per_s = {{"peak", 20e12}};
  given.bandwidths_bytes_per_s = {{"<DRAM>", 200e9}};
  given.kernels = {{"saxpy", 0.25, {}}};
  require_well_formed(render_html(chart_of(given)));
}

TEST_CASE("data in a script element can't end it") {
  REQUIRE(report::script_safe("{\"a\":\"</script><!--&\"}") ==
          "{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u0026\"}");
}
