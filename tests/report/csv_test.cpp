#include <roofmark/report.hpp>
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

TEST_CASE("CSV: random profiles have one width") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const auto records = parse(render_csv(sample::random_profile(seed, 40)));
    REQUIRE(records.size() == 41);
    for (const auto& record : records) REQUIRE(record.size() == records[0].size());
  }
}
