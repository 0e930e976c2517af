#include <roofmark/report.hpp>
#include <set>
#include <sstream>
#include <vector>

#include "catch.hpp"
#include "sample_profile.hpp"

using namespace roofmark;

/// Records of fields, after RFC 4180.
static std::vector<std::vector<std::string>> parse(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = records.back().back();
    if (quoted) {
      if (text[i] != '"')
        field += text[i];
      else if (i + 1 < text.size() && text[i + 1] == '"')
        field += text[++i];
      else
        quoted = false;
    } else if (text[i] == '"') {
      REQUIRE(field.empty());
      quoted = true;
    } else if (text[i] == ',') {
      records.back().push_back("");
    } else if (text[i] == '\r') {
      REQUIRE(text[++i] == '\n');
      records.push_back({""});
    } else {
      field += text[i];
    }
  }
  REQUIRE(records.back() == std::vector<std::string>{""});
  records.pop_back();
  return records;
}

TEST_CASE("CSV: one record a region, an empty field for what is absent") {
  const auto records = parse(render_csv(sample::profile()));
  REQUIRE(records.size() == 7);
  const auto field = [&](std::size_t record, const std::string& name) {
    for (std::size_t i = 0; i < records[0].size(); ++i)
      if (records[0][i] == name) return records[record][i];
    return std::string("no such column");
  };
  REQUIRE(field(2, "path") == "solve/spmv");
  REQUIRE(field(2, "flop.f64") == "3200000000");
  REQUIRE(field(2, "flop.f64.source") == "counted");
  REQUIRE(field(2, "bytes.DRAM.read") == "25500000000");
  REQUIRE(field(2, "wall_s") == "2.1");
  REQUIRE(field(2, "fraction") == "0.76");
  REQUIRE(field(1, "self.wall_s") == "0.05");
  REQUIRE(field(5, "flop.f64").empty());
  REQUIRE(field(5, "missing").find("bytes.DRAM: the counted pass ended") != std::string::npos);
}

TEST_CASE("CSV: no text is a formula, every number is a number") {
  Profile profile = sample::profile();
  profile.regions[1].path = {"=HYPERLINK(\"x\")"};
  profile.regions[2].path = {"-1+1", "part"};
  profile.regions[3].path = {" @SUM(A1)"};
  profile.regions[4].path = {"solve = fast"};
  Roofline& roofline = profile.regions[1].rooflines.front();
  roofline.achieved_flop_per_s = -1.5e-7;
  const auto records = parse(render_csv(profile));
  std::set<std::string> texts;
  bool negative = false;
  for (std::size_t record = 1; record < records.size(); ++record)
    for (const std::string& field : records[record]) {
      texts.insert(field);
      negative = negative || field == "-1.5e-07";
      if (field.empty() || std::string("=+-@\t\r").find(field[0]) == std::string::npos) continue;
      std::size_t used = 0;
      std::stod(field, &used);
      CHECK(used == field.size());
    }
  CHECK(negative);
  CHECK(texts.count("'=HYPERLINK(\"x\")") == 1);
  CHECK(texts.count("'-1+1/part") == 1);
  CHECK(texts.count("' @SUM(A1)") == 1);
  CHECK(texts.count("solve = fast") == 1);
}

TEST_CASE("CSV: intensity and side are those of the level") {
  Profile profile = sample::profile();
  profile.regions[1].self_rooflines.clear();
  Roofline& roofline = profile.regions[1].rooflines[0];
  roofline.side = Side::memory;
  roofline.levels["L1"] = {0.5, 1e9, 0.1, 1e10, 1e10};
  roofline.levels["DRAM"] = {0.5, 1e9, 5, 1e10, 1e10};
  roofline.levels["L3"] = {1.01, 1e9, 1, 1e10, 1e10};
  roofline.levels.erase("L2");
  const auto field = [&](const std::string& level, const std::string& name) {
    const auto records = parse(render_csv(profile, level));
    for (std::size_t i = 0; i < records[0].size(); ++i)
      if (records[0][i] == name) return records[2][i];
    return std::string("no such column");
  };
  REQUIRE(field("L1", "side") == "compute");
  REQUIRE(field("L2", "side") == "unknown");
  REQUIRE(field("L3", "side") == "balanced");
  REQUIRE(field("DRAM", "side") == "memory");
  REQUIRE(field("L1", "level") == "L1");
  REQUIRE(field("L1", "intensity") != field("DRAM", "intensity"));
}

TEST_CASE("CSV: a region without a name is told from the whole program") {
  Profile profile = sample::profile();
  profile.regions[1].path = {""};
  const auto records = parse(render_csv(profile));
  REQUIRE(records[2][0] == "\"\"");
}

TEST_CASE("CSV, OpenMetrics: no two regions have one path, whatever their names hold") {
  const std::vector<std::vector<std::string>> paths = {{},
                                                       {"(whole program)"},
                                                       {""},
                                                       {"\"\""},
                                                       {" "},
                                                       {"\" \""},
                                                       {"a", "b"},
                                                       {"a/b"},
                                                       {"a\\/b"},
                                                       {"a\\", "b"},
                                                       {"a/", "b"},
                                                       {"a", "/b"},
                                                       {"a", "", "b"},
                                                       {"", "a"},
                                                       {"/a"},
                                                       {"\1"},
                                                       {"\\x01"},
                                                       {"=1"},
                                                       {"'=1"},
                                                       {"\n"},
                                                       {"\\n"},
                                                       {"\xff"},
                                                       {"\xfe"},
                                                       {"\\xff"}};
  Profile profile = sample::profile();
  const Region like = profile.regions[1];
  profile.regions.assign(paths.size(), like);
  for (std::size_t i = 0; i < paths.size(); ++i) profile.regions[i].path = paths[i];
  const auto records = parse(render_csv(profile));
  std::set<std::string> told;
  for (std::size_t record = 1; record < records.size(); ++record) told.insert(records[record][0]);
  CHECK(told.size() == paths.size());
  CHECK(told.count("a/b") == 1);
  CHECK(told.count("a\\/b") == 1);
  CHECK(told.count("") == 1);

  std::istringstream metrics(render_openmetrics(profile));
  std::set<std::string> series;
  std::size_t visits = 0;
  for (std::string line; std::getline(metrics, line);) {
    if (line[0] == '#') continue;
    INFO(line);
    CHECK(series.insert(line.substr(0, line.rfind("} "))).second);
    if (line.rfind("roofmark_region_visits{", 0) != 0) continue;
    ++visits;
    CHECK((line.find("scope=\"program\"") != std::string::npos) ==
          (line.find(",region=\"") == std::string::npos));
  }
  CHECK(visits == paths.size());
}

TEST_CASE("CSV: random profiles have one width") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const auto records = parse(render_csv(sample::random_profile(seed, 40)));
    REQUIRE(records.size() == 41);
    for (const auto& record : records) REQUIRE(record.size() == records[0].size());
  }
}
TEST_CASE("CSV: what was asked for has columns of its own, and no profile else has them") {
  Profile profile = sample::profile();
  const auto has = [](const std::vector<std::vector<std::string>>& records, const char* part) {
    for (const std::string& title : records[0])
      if (title.find(part) != std::string::npos) return true;
    return false;
  };
  REQUIRE_FALSE(has(parse(render_csv(profile)), "events."));
  REQUIRE_FALSE(has(parse(render_csv(profile)), ".total"));
  REQUIRE_FALSE(has(parse(render_csv(profile)), "clock_hz"));
  profile.regions[1].clock_hz = Measure{2.5e9, Source::measured, {}, {}};
  profile.regions[1].work.events["a,b"] = sample::count(64, Source::measured);
  profile.regions[1].work.bytes["DRAM"].total = sample::count(4096, Source::measured);
  const auto records = parse(render_csv(profile));
  const auto field = [&](std::size_t record, const std::string& name) {
    for (std::size_t i = 0; i < records[0].size(); ++i)
      if (records[0][i] == name) return records[record][i];
    return std::string("no such column");
  };
  REQUIRE(field(2, "events.a,b") == "64");
  REQUIRE(field(2, "events.a,b.source") == "measured");
  REQUIRE(field(2, "bytes.DRAM.total") == "4096");
  REQUIRE(field(2, "clock_hz") == "2500000000");
  REQUIRE(field(2, "clock_hz.source") == "measured");
  REQUIRE(field(3, "clock_hz").empty());
  REQUIRE(field(3, "events.a,b").empty());
  REQUIRE(field(3, "bytes.DRAM.total").empty());
}
