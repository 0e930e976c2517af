// The files in tests/fixtures: what they say, and that the model still says it.
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "analysis/profile/profile_json.hpp"
#include "catch.hpp"
#include "fixture_profiles.hpp"

namespace roofmark {
namespace {

std::string file(const std::string& name) {
  std::ifstream stream(std::string(FIXTURES) + "/" + name, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST_CASE("each hand-made region gets its verdict") {
  Profile profile = test::verdict_profile();
  const auto expected = test::verdict_regions();
  REQUIRE(profile.regions.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Roofline& roofline = *inclusive_roofline(profile.regions[i]);
    INFO(profile.regions[i].path.back() << ": " << roofline.why);
    CHECK(spelling(roofline.verdict) == spelling(expected[i].expected.verdict));
    CHECK(roofline.verdict_detail == expected[i].expected.detail);
    CHECK(!roofline.advice.empty());
  }
}

TEST_CASE("every verdict of this version is among them, twice") {
  std::map<Verdict, int> seen;
  for (const auto& each : test::verdict_regions()) ++seen[each.expected.verdict];
  for (const Verdict verdict :
       {Verdict::memory, Verdict::compute, Verdict::balanced, Verdict::latency, Verdict::serial,
        Verdict::imbalanced, Verdict::no_flop, Verdict::too_small, Verdict::above_roof,
        Verdict::undetermined}) {
    INFO(spelling(verdict));
    REQUIRE(seen[verdict] >= 2);
  }
  REQUIRE(seen[Verdict::at_roof] >= 1);
}

TEST_CASE("the files are what the model says today") {
  for (const auto& [name, profile] : test::fixture_profiles()) {
    INFO(name << ": if the change is meant, run write_fixtures and read the difference");
    const std::string text = file(name + ".roofmark.json");
    REQUIRE(!text.empty());
    REQUIRE((text == to_json(profile)));
    auto back = profile_from_json(text, name);
    REQUIRE(back);
    judge(*back);
    REQUIRE((to_json(*back) == text));
  }
}

TEST_CASE("the reports say what they said") {
  for (const auto& [name, profile] : test::fixture_profiles()) {
    INFO(name << ": if the change is meant, run write_fixtures and read the difference");
    const std::string text = file(name + ".txt");
    REQUIRE(!text.empty());
    REQUIRE((text == test::terminal_report(profile)));
  }
}

}  // namespace
}  // namespace roofmark
