#include <cmath>
#include <roofmark/report.hpp>
#include <sstream>

#include "analysis/report/projection_text.hpp"
#include "analysis/text/plain_text.hpp"
#include "catch.hpp"
#include "markup_check.hpp"
#include "sample_profile.hpp"

using namespace roofmark;

static std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

static std::string line_with(const std::string& text, const std::string& part) {
  for (const std::string& line : lines_of(text))
    if (line.find(part) != std::string::npos) return line;
  return "";
}

TEST_CASE("text: every other roof is there at any width") {
  const Profile profile = sample::profile();
  std::vector<NamedRoof> roofs;
  for (const char* name : {"as recorded", "DRAM x4", "a machine with a rather long name", "L2 x2"})
    roofs.push_back({name, profile.machine});
  for (const unsigned width : {60U, 80U, 100U, 200U}) {
    TextOptions options;
    options.width = width;
    const std::string text = projection_text(profile, roofs, options);
    for (const NamedRoof& roof : roofs) {
      INFO(width << " " << roof.name << "\n" << text);
      CHECK(text.find(roof.name) != std::string::npos);
    }
    for (const std::string& line : lines_of(text)) CHECK(text::columns(line) <= width);
  }
}

TEST_CASE("text: the table holds every column at 80 columns") {
  const std::string text = render_text(sample::profile());
  const std::string head = line_with(text, "Region");
  for (const char* title :
       {"Visits", "Time", "Share", "GFLOP/s", "FLOP/B", "Roof", "Verdict", "Source"})
    REQUIRE(head.find(title) != std::string::npos);
  const std::string spmv = line_with(text, "  spmv");
  for (const char* cell : {"118", "2.1 s", "51%", "1.52", "0.0941", "76%", "memory DRAM", "c/M"})
    REQUIRE(spmv.find(cell) != std::string::npos);
}

TEST_CASE("text: where another level than the column's gives the roof, that level is named") {
  Profile profile = sample::profile();
  const std::string before = render_text(profile);
  CHECK(before.find("*:") == std::string::npos);
  Roofline& spmv = profile.regions[1].rooflines.front();
  spmv.binding = "L1";
  spmv.levels["L1"] = {};
  const std::string text = render_text(profile);
  CHECK(line_with(text, "  spmv").find("0.0941*") != std::string::npos);
  CHECK(text.find("FLOP/B: at DRAM; *: the roof of this region is at L1 (--level shows it).") !=
        std::string::npos);
  TextOptions at_l1;
  at_l1.level = "L1";
  CHECK(line_with(render_text(profile, at_l1), "  spmv").find('*') == std::string::npos);
}

TEST_CASE("text: wide terminals get words for sources") {
  TextOptions options;
  options.width = 140;
  REQUIRE(line_with(render_text(sample::profile(), options), "  spmv").find("counted, modelled") !=
          std::string::npos);
}

TEST_CASE("text: an absent number is a dash with its reason and remedy, never 0") {
  const std::string text = render_text(sample::profile());
  const std::string setup = line_with(text, "setup  ");
  REQUIRE(setup.find("-[a]") != std::string::npos);
  REQUIRE(setup.find(" 0 ") == std::string::npos);
  REQUIRE(setup.find("undetermined") != std::string::npos);
  const std::string reason = line_with(text, "[a] bytes.DRAM, flop of setup");
  REQUIRE(reason.find("the counted pass ended before this region") != std::string::npos);
  REQUIRE(text.find("record with --budget 120") != std::string::npos);
}

TEST_CASE("text: a counted zero is 0 and not a dash") {
  Profile profile = sample::profile();
  Region& region = profile.regions[1];
  region.work.flop[Precision::f64] = sample::count(0, Source::counted);
  const std::string spmv = line_with(render_text(profile), "  spmv");
  REQUIRE(spmv.find(" 0 ") != std::string::npos);
  REQUIRE(spmv.find("-[") == std::string::npos);
}

TEST_CASE("text: the worst regions come with the reason and what to try") {
  const std::string text = render_text(sample::profile());
  const auto at = [&](const char* part) { return text.find(part); };
  REQUIRE(at("solve/precondition: 590 ms more than its roof needs (14 % of the run)") !=
          std::string::npos);
  REQUIRE(at("solve/precondition: 590") < at("solve/spmv: 500"));
  REQUIRE(at("Try: Vectorise the inner loop") != std::string::npos);
  REQUIRE(at("At most 2.9x.") != std::string::npos);
  REQUIRE(text.find("setup/hash: ") == std::string::npos);  // too small to believe
}

TEST_CASE("text: that the program waited for a core stands before its numbers") {
  Profile profile = sample::profile();
  TextOptions options;
  options.width = 200;
  REQUIRE(render_text(profile, options).find("for a core,") == std::string::npos);
  profile.program.waited_share = 0.75;
  const std::string text = render_text(profile, options);
  const auto told = text.find("waited 75 % of its time for a core");
  REQUIRE(told != std::string::npos);
  REQUIRE(told < text.find("Visits"));
  profile.program.waited_share = 0.02;
  REQUIRE(render_text(profile, options).find("of its time for a core") == std::string::npos);
}

TEST_CASE("text: flags, passes, markers and ceilings are told") {
  const std::string text = render_text(sample::profile());
  REQUIRE(line_with(text, "too_small (").find("a visit is so short") != std::string::npos);
  REQUIRE(text.find("counts by emulated: 61.5 s; caches sampled: sets 1/8") != std::string::npos);
  REQUIRE(text.find("subtracted from the times above") != std::string::npos);
  const std::string dram = line_with(text, "  DRAM  ");
  for (const char* part : {"21 GB/s", "-10% to +3%", "measured", "triad, 2 cores"})
    REQUIRE(dram.find(part) != std::string::npos);
}

TEST_CASE("text: no line is wider than the terminal, whatever the profile holds") {
  for (unsigned seed = 0; seed < 150; ++seed)
    for (const unsigned width : {60u, 80u, 100u, 120u, 200u}) {
      TextOptions options;
      options.width = width;
      options.utf8 = seed % 2 == 0;
      options.self = seed % 3 == 0;
      options.rows = seed % 5 == 0 ? 0 : 40;
      const std::string text = render_text(sample::random_profile(seed, 1 + seed % 60), options);
      REQUIRE(sample::without_nan(text));
      for (const std::string& line : lines_of(text)) {
        INFO(line);
        REQUIRE(text::columns(line) <= width);
        if (!options.utf8)
          for (const char c : line) REQUIRE(static_cast<unsigned char>(c) < 0x7f);
        for (const char c : line) REQUIRE(static_cast<unsigned char>(c) >= 0x20);
      }
    }
}

TEST_CASE("text: colour only where asked for, and it changes no letter") {
  TextOptions options;
  REQUIRE(render_text(sample::profile(), options).find('\x1b') == std::string::npos);
  options.colour = true;
  const std::string coloured = render_text(sample::profile(), options);
  REQUIRE(coloured.find("\x1b[34mmemory DRAM\x1b[0m") != std::string::npos);
  std::string stripped;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') {
      i = coloured.find('m', i);
      continue;
    }
    stripped += coloured[i];
  }
  options.colour = false;
  REQUIRE(stripped == render_text(sample::profile(), options));
}

TEST_CASE("text: thousands of regions are cut to the heaviest with their ancestors") {
  const Profile profile = sample::random_profile(5, 3000);
  const std::string text = render_text(profile);
  REQUIRE(lines_of(text).size() < 250);
  const std::string more = line_with(text, "lighter regions more");
  REQUIRE(more.find("--all") != std::string::npos);
  TextOptions all;
  all.rows = 0;
  REQUIRE(lines_of(render_text(profile, all)).size() > 3000);
}

TEST_CASE("text: FLOPs of another precision are named") {
  Profile profile = sample::profile();
  profile.regions[1].work.flop = {{Precision::f32, sample::count(3.2e9, Source::counted)},
                                  {Precision::f64, sample::count(0.4e9, Source::counted)}};
  profile.regions[1].rooflines[0].precision = "f32";
  TextOptions options;
  options.width = 140;
  const std::string text = render_text(profile, options);
  REQUIRE(line_with(text, "Region").find("Unit") != std::string::npos);
  REQUIRE(line_with(text, "  spmv").find("f32, f64 11%") != std::string::npos);
  REQUIRE(line_with(text, "  spmv").find("1.52") != std::string::npos);
}

TEST_CASE("text: a profile without regions or a machine says so") {
  const std::string text = render_text(Profile{});
  REQUIRE(text.find("No region was recorded") != std::string::npos);
  REQUIRE(text.find("No roof") != std::string::npos);
}

TEST_CASE("text: self shows the time without children") {
  TextOptions options;
  options.self = true;
  REQUIRE(line_with(render_text(sample::profile(), options), "solve  ").find("50 ms") !=
          std::string::npos);
}

TEST_CASE("text: events that were asked for are a table of their own, with their source") {
  Profile profile = sample::profile();
  REQUIRE(line_with(render_text(profile), "E1").empty());
  Count exact = sample::count(1234567, Source::measured);
  exact.collector = "papi";
  exact.scope = Scope::thread;
  profile.regions[1].work.events["sde:::FAKEPMU::DP_FLOPS"] = exact;
  profile.regions[2].missing.push_back(
      {"events.sde:::FAKEPMU::DP_FLOPS", "it went backwards", "ask for another event"});
  TextOptions options;
  options.rows = 0;
  for (unsigned width : {80U, 140U}) {
    options.width = width;
    const std::string text = render_text(profile, options);
    REQUIRE(line_with(text, "1234567").find(profile.regions[1].path.back()) != std::string::npos);
    REQUIRE(line_with(text, "E1: sde:::FAKEPMU::DP_FLOPS - papi, measured, of the thread") != "");
    REQUIRE(line_with(text, "it went backwards") != "");
    for (const std::string& line : lines_of(text)) REQUIRE(text::columns(line) <= width);
  }
  // Not even zero of it is claimed for a region that has no count.
  const std::string text = render_text(profile, options);
  const std::string head = line_with(text, "E1");
  REQUIRE(head.find("Region") != std::string::npos);
}

TEST_CASE("text: more events than a line holds are several tables") {
  Profile profile = sample::profile();
  for (int i = 10; i < 19; ++i)
    profile.regions[1].work.events["event" + std::to_string(i)] =
        sample::count(static_cast<std::uint64_t>(i) * 1000, Source::measured);
  const std::string text = render_text(profile);
  for (int i = 10; i < 19; ++i) {
    REQUIRE(text.find(std::to_string(i * 1000)) != std::string::npos);
    REQUIRE(text.find("E" + std::to_string(i - 9) + ": event" + std::to_string(i)) !=
            std::string::npos);
  }
  for (const std::string& line : lines_of(text)) REQUIRE(text::columns(line) <= 80);
}
