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

TEST_CASE("noise that would hide the limit judges nothing, and says so") {
  const auto runs = [](std::initializer_list<double> times_s) {
    std::vector<Profile> all;
    for (const double time_s : times_s) all.push_back(run_of({{{"k"}, time_s}}));
    return all;
  };
  // Geometric means 1 and 5.7 s, each run a factor of 8 from it.
  const auto wild = compare(runs({0.125, 8}), runs({5.7 / 8, 5.7 * 8}));
  for (const char* limit : {"time > +5%", "time < -5%", "flop_per_s < -5%"}) {
    INFO(limit);
    const Outcome outcome = judged(limit, wild)[0];
    CHECK(outcome.state == State::unknown);
    CHECK(outcome.text.find("the noise is too large") != std::string::npos);
    CHECK(outcome.text.find("more runs") != std::string::npos);
    CHECK_FALSE(any_holds({outcome}));
  }
  CHECK(judged("time > +5%", wild)[0].text.find("6x") != std::string::npos);
  // Nothing moved at all, but nothing would have been seen.
  const auto blind = compare(runs({0.5, 2}), runs({0.5, 2}));
  CHECK(judged("time > +5%", blind)[0].state == State::unknown);
  // The same is enough for a limit that is as wide as the noise.
  const auto some = compare(runs({0.98, 1, 1.02, 1.01}), runs({1, 0.99, 1.01, 1.02}));
  CHECK(judged("time > +5%", some)[0].state == State::passes);
  // What is beyond all noise fails, however large that is.
  const auto sure = compare(runs({0.9, 1, 1.1, 1}), runs({9, 10, 11, 10}));
  CHECK(judged("time > +5%", sure)[0].state == State::holds);
}

TEST_CASE("the gate tells no digit that the range of a change does not carry") {
  const auto told = [](const std::string& condition, const Change& change) {
    Comparison result;
    RegionChange region;
    region.path = {"k"};
    region.before.present = region.after.present = true;
    region.changes["time"] = change;
    result.regions = {region};
    return judged(condition, result)[0].text;
  };
  const auto change = [](double ratio, double off) {
    Change made;
    made.after = made.ratio = ratio;
    made.low = ratio - off;
    made.high = ratio + off;
    made.evidence = Evidence::counts;
    made.beyond_noise = std::abs(ratio - 1) > off;
    return made;
  };
  CHECK(told("time > 3%", change(1.0533, 0.0001)) == "time +5.3 % (limit +3 %)");
  CHECK(told("time > 3%", change(1.0533, 0.02)) == "time +5 % (limit +3 %)");
  CHECK(told("time < -3%", change(0.877, 0.02)) == "time -12 % (limit -3 %)");
  CHECK(told("time > 3%", change(3.456, 0.5)).starts_with("time 3.5x (limit +3 %)"));
  // What its digits no longer tell is said in words.
  CHECK(told("time > 5%", change(1.0533, 0.02)) ==
        "time +5 % (limit +5 %), over it by less than the change is known");
  CHECK(told("time > 4.8%", change(1.0466, 0.02)) ==
        "time +5 % (limit +4.8 %), within it by less than the change is known");
}

TEST_CASE("what is within the limit at either end of its noise passes, however large that is") {
  Profile before = run_of({{{"k"}, 1}}), after = run_of({{{"k"}, 0.7}});
  for (Profile* run : {&before, &after}) {
    Region& region = run->regions[0];
    region.visits = 100;
    const double wall_s = region.work.wall_s->value;
    region.visit_s = VisitTimes{wall_s / 1000, wall_s / 100, wall_s / 10, wall_s / 70, wall_s};
  }
  const auto faster = compare({before}, {after});
  const Change& change = faster.regions[0].changes.at("time");
  REQUIRE(change.high < 1.2);
  REQUIRE(change.high > 1.01);
  CHECK(judged("time > +20%", faster)[0].state == State::passes);
  CHECK(judged("time > +1%", faster)[0].state == State::unknown);
}

TEST_CASE("one run whose visits scatter widely judges nothing") {
  Profile before = run_of({{{"k"}, 1}}), after = run_of({{{"k"}, 5.73}});
  for (Profile* run : {&before, &after}) {
    Region& region = run->regions[0];
    region.visits = 4;
    const double wall_s = region.work.wall_s->value;
    region.visit_s = VisitTimes{wall_s / 40, wall_s / 8, wall_s, 4 * wall_s, wall_s};
  }
  const Outcome outcome = judged("time > +5%", compare({before}, {after}))[0];
  CHECK(outcome.state == State::unknown);
  CHECK(outcome.text.find("several runs a side") != std::string::npos);
}

TEST_CASE("counts that are known to a wide range judge nothing") {
  const auto with_range = [] {
    Profile run = run_of({{{"k"}, 1}});
    Count& read = *run.regions[0].work.bytes["DRAM"].read;
    read.low = read.value / 2;
    read.high = read.value * 2;
    return run;
  };
  const Outcome outcome =
      judged("k: bytes > 5%", compare({with_range()}, {with_range()}, {"DRAM", {}}))[0];
  CHECK(outcome.state == State::unknown);
  CHECK(outcome.text.find("known to a range") != std::string::npos);
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
