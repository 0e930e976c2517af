#include <fstream>
#include <set>
#include <sstream>

#include "tables.hpp"

using namespace roofmark;
using namespace roofmark::cupti;

namespace {

std::string text_of(const char* name) {
  std::ifstream file(std::string(ROOFMARK_CHIP_TABLES) + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The one line a user gets.
std::string refusal(const std::string& text) {
  const auto table = chip_table_from_json(text, "chips.json");
  if (table) return "";
  const std::string line = to_line(table.error());
  CHECK(line.find('\n') == std::string::npos);
  CHECK(line.find("chips.json") != std::string::npos);
  return line;
}

}  // namespace

TEST_CASE("the table knows the chips that CUPTI 13.0 can plan for") {
  CHECK(chips().chips.size() == 29);
  CHECK(chip("GH100").compute_capability == "9.0");
  CHECK(chips().of_capability("8.6")->family == "Ampere");
  CHECK(chips().of_capability("1.0") == nullptr);
  CHECK(chips().is_alone(chip("GH100")));
  CHECK_FALSE(chips().is_alone(chip("GA102")));
  CHECK_FALSE(chip("GV100").not_collected.empty());
  CHECK(chip("TU117").probe.empty());
}

TEST_CASE("every chip counts FLOPs, bytes at each level and a clock, or says why not") {
  for (const Chip& chip : chips().chips) {
    std::set<std::string> has;
    for (const MetricFormula& formula : chip.formulas) has.insert(formula.quantity);
    for (const NotCounted& entry : chip.not_counted) has.insert(entry.quantity);
    CAPTURE(chip.name);
    for (const char* quantity : {"flop.f64", "flop.f32", "flop.f16", "time", "clock.sm",
                                 "clock.dram", "bytes.L1.total", "bytes.shared.total"})
      CHECK(has.count(quantity) == 1);
    const bool counted = has.count("bytes.HBM.read") == 1;
    CHECK((counted != chip.integrated));
    CHECK(has.count("bytes.HBM.total") == 1);
    CHECK(has.count("tensor.f16") == (chip.probe.empty() ? 0 : 1));
    for (const char* traffic : {"interface", "nersc"})
      CHECK(chip.formula("bytes.L1.total", traffic) != nullptr);
  }
}

TEST_CASE("a table that can't be right is refused in one line") {
  const std::string good = text_of("chips.json");
  CHECK(refusal(good).empty());
  CHECK_FALSE(refusal("").empty());
  CHECK_FALSE(refusal("[]").empty());
  CHECK_FALSE(refusal("{\"schema\": \"roofmark-gpu-chips/2\"}").empty());
  CHECK_FALSE(refusal("{\"schema\": \"roofmark-gpu-chips/1\"}").empty());
  CHECK_FALSE(refusal(good.substr(0, good.size() / 2)).empty());
  const std::pair<const char*, const char*> spoilt[] = {
      {"\"set\": \"sass\"", "\"set\": \"sas\""},
      {"\"weight\": 1e-9", "\"weight\": 0"},
      {"\"weight\": 1e-9", "\"weight\": \"1e-9\""},
      {"\"traffic\": \"nersc\"", "\"traffic\": \"nerc\""},
      {"\"quantity\": \"flop.f64\"", "\"quantity\": \"flops.f64\""},
      {"\"quantity\": \"flop.f64\"", "\"quantity\": \"flop.\""},
      {"gpu__time_duration.sum", "gpu__time_duration"},
      {"\"caveats\": [\"half_pairs\"]", "\"caveats\": [\"half_pair\"]"},
      {"\"groups\": [\"time\", ", "\"groups\": [\"tim\", "},
      {"\"groups\": [\"time\", ", "\"groups\": [\"time\", \"time\", "},
      {"\"peaks\": [\"vector\"", "\"peaks\": [\"vectors\""},
      {"\"chips\": {\"GH100\": \"9.0\"}", "\"chips\": {\"GA100\": \"9.0\"}"},
      {"\"chips\": {\"GH100\": \"9.0\"}", "\"chips\": {\"GH100\": 9}"},
      {"\"flop.f64\": 128", "\"flop.f64\": -1"},
      {"\"source\": \"counted\"", "\"source\": \"guessed\""},
      {"\"integrated\": true", "\"integrated\": 1"},
      {"\"name\": \"Hopper\", ", ""}};
  for (const auto& [from, to] : spoilt) {
    CAPTURE(from, to);
    CHECK_FALSE(refusal(replaced(good, from, to)).empty());
  }
}

TEST_CASE("what the passes say is refused where it can't be right") {
  const std::string good = text_of("passes.json");
  REQUIRE(pass_table_from_json(good, "passes.json"));
  const auto refused = [&](const std::string& text) {
    const auto table = pass_table_from_json(text, "passes.json");
    if (!table) CHECK(to_line(table.error()).find('\n') == std::string::npos);
    return !table;
  };
  CHECK(refused(good.substr(0, good.size() - 10)));
  CHECK(refused(replaced(good, "\"passes\":1", "\"passes\":0")));
  CHECK(refused(replaced(good, "\"metrics\":[\"", "\"metrics\":[\"x")));
  CHECK(refused(replaced(good, "roofmark-gpu-passes/1", "roofmark-gpu-passes/2")));
}

TEST_CASE("the table of passes has every metric of every chip, and is written as it was read") {
  for (const Chip& chip : chips().chips) {
    const PassGroup* group = passes().of_chip(chip.name);
    CAPTURE(chip.name);
    REQUIRE(group != nullptr);
    const auto has = [&](const std::string& metric) { return group->passes.count(metric) == 1; };
    for (const MetricFormula& formula : chip.formulas)
      for (const MetricTerm& term : formula.sum) CHECK(has(term.metric));
    for (const std::string& metric : chip.probe) CHECK(has(metric));
    for (const PeakFormula& peak : chip.peaks)
      CHECK((has(peak.per_cycle.metric) && has(peak.clock)));
  }
  CHECK(to_json(passes()) == text_of("passes.json"));
}
