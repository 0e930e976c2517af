// The gate: what holds, what does not, and what is no condition.
#include "analysis/comparison/conditions.hpp"

#include <map>

#include "catch.hpp"
#include "runs.hpp"

using namespace roofmark;
using namespace roofmark::test;
using namespace roofmark::comparison;
using State = Outcome::State;

namespace {

std::vector<Outcome> judged(const std::string& condition, const Comparison& result) {
  const auto parsed = parse_condition(condition);
  REQUIRE(parsed);
  const auto outcomes = judge({*parsed}, result);
  REQUIRE(outcomes);
  return *outcomes;
}

/// Of the region "k" from 1 s to this.
State state(const std::string& condition, double after_s) {
  const auto outcomes =
      judged(condition, compare({run_of({{{"k"}, 1}})}, {run_of({{{"k"}, after_s}})}));
  REQUIRE(outcomes.size() == 1);
  return outcomes[0].state;
}

}  // namespace

TEST_CASE("a limit holds beyond itself and beyond the noise") {
  CHECK(state("time > +10%", 1.11) == State::holds);
  CHECK(state("time > +10%", 1.09) == State::passes);
  CHECK(state("time>10 %", 1.11) == State::holds);
  CHECK(state("time < -10%", 0.89) == State::holds);
  CHECK(state("time < -10%", 0.91) == State::passes);
  CHECK(state("time > 0%", 1.001) == State::passes);  // within what runs differ by
  CHECK(state("roof_fraction < -3%", 1.2) == State::holds);
  CHECK(state("roof_fraction < -3%", 0.8) == State::passes);
  CHECK(state("flop_per_s < -5%", 1.2) == State::holds);
}

TEST_CASE("a pattern chooses regions, without one all of them are meant") {
  const auto result = compare({run_of({{{"s"}, 1}, {{"s", "x"}, 1}, {{"t"}, 1}})},
                              {run_of({{{"s"}, 2}, {{"s", "x"}, 2}, {{"t"}, 2}})});
  CHECK(judged("time > 5%", result).size() == 3);
  CHECK(judged("s/*: time > 5%", result).size() == 1);
  CHECK(judged("s: time > 5%", result).size() == 1);
  CHECK(judged("s*: time > 5%", result).size() == 2);
  const auto nobody = judge({*parse_condition("u: time > 5%")}, result);
  REQUIRE_FALSE(nobody);
  CHECK(nobody.error().reason.find("no region") != std::string::npos);
}

TEST_CASE("a name with a colon is a name") {
  const auto result = compare({run_of({{{"ns::solve"}, 1}})}, {run_of({{{"ns::solve"}, 2}})});
  CHECK(judged("ns::solve: time > 5%", result)[0].state == State::holds);
}

TEST_CASE("what can't be compared is not known, and says why") {
  Profile before = run_of({{{"k"}, 1}});
  before.regions[0].work.bytes.clear();
  before.regions[0].missing.push_back({"bytes.DRAM", "no caches were simulated", ""});
  const auto outcomes = judged("bytes > 1%", compare({before}, {run_of({{{"k"}, 1}})}));
  CHECK(outcomes[0].state == State::unknown);
  CHECK(outcomes[0].text.find("can't be compared") != std::string::npos);
  CHECK_FALSE(any_holds(outcomes));
}

TEST_CASE("a region that one side lacks slips through no limit") {
  const auto result =
      compare({run_of({{{"k"}, 1}, {{"old"}, 1}})}, {run_of({{{"k"}, 1}, {{"other"}, 9}})});
  std::map<std::string, Outcome> by_name;
  for (const Outcome& one : judged("time > 5%", result))
    by_name[result.regions[one.region].path.back()] = one;
  REQUIRE(by_name.size() == 3);
  CHECK(by_name["k"].state == State::passes);
  CHECK(by_name["old"].state == State::unknown);
  CHECK(by_name["old"].text.find("--map") != std::string::npos);
  CHECK(by_name["other"].state == State::unknown);
  CHECK(by_name["other"].text.find("new") != std::string::npos);
}

TEST_CASE("what is no condition gets a reason and a remedy") {
  for (const char* text :
       {"", "time", "time > ", "time > 5", "time > x%", "tme > 5%", ": time > 5%", "time = 5%",
        "time > nan%", "time > inf%", "time > -5%", "roof_fraction < 3%", "%", ">", "a:b:c > 5%"}) {
    INFO(text);
    const auto parsed = parse_condition(text);
    REQUIRE_FALSE(parsed);
    CHECK_FALSE(parsed.error().reason.empty());
    CHECK_FALSE(parsed.error().remedy.empty());
  }
}
