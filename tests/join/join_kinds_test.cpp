// Sums on machines with several kinds of cores: a group of one kind runs only while its thread is
// there, and the running times of all kinds have to add up to the whole.
#include <analysis/join/measured.hpp>

#include "catch.hpp"
#include "raw.hpp"

using namespace roofmark;
using namespace roofmark::test;

namespace {

constexpr unsigned p = 0, e = 1;

PlannedGroup group(unsigned kind, std::vector<std::string> names, unsigned pass = 0) {
  PlannedGroup made;
  made.pass = made.set = pass;
  made.kind = kind;
  made.pmu = kind == p ? "cpu_core" : "cpu_atom";
  for (std::string& name : names) made.events.push_back({made.pmu + "/" + name, {}});
  return made;
}

std::shared_ptr<const Formula> sum(const std::string& quantity,
                                   const std::vector<std::pair<double, std::string>>& terms) {
  auto made = std::make_shared<Formula>();
  made->quantity = quantity;
  for (const auto& [weight, event] : terms) made->sum.push_back({weight, event, std::nullopt, ""});
  return made;
}

/// FLOPs on both kinds, or on P cores alone; instructions and cycles on both.
std::shared_ptr<MeasuredPasses> hybrid(bool e_counts_flop, unsigned flop_pass = 0) {
  auto made = std::make_shared<MeasuredPasses>();
  auto tables = std::make_shared<EventTables>();
  made->plan.table = &tables->tables.emplace_back();
  made->tables = tables;
  CounterPlan& plan = made->plan;
  plan.kinds = {{"cpu_core", "P cores"}, {"cpu_atom", "E cores"}};
  plan.passes = flop_pass + 1;
  if (flop_pass != 0) {
    plan.groups = {group(p, {"cycles"}), group(e, {"cycles"})};
    plan.groups.push_back(group(p, {"f64"}, 1));
    plan.groups.push_back(group(e, {e_counts_flop ? "f64" : "instructions"}, 1));
  } else {
    plan.groups = {group(p, {"f64", "cycles"}),
                   e_counts_flop ? group(e, {"f64", "cycles"}) : group(e, {"cycles"})};
  }
  plan.sums.push_back(sum("cycles", {{1, "cpu_core/cycles"}, {1, "cpu_atom/cycles"}}));
  plan.sums.push_back(e_counts_flop ? sum("flop.f64", {{4, "cpu_core/f64"}, {1, "cpu_atom/f64"}})
                                    : sum("flop.f64", {{4, "cpu_core/f64"}}));
  for (const auto& formula : plan.sums) plan.formulas.push_back(formula.get());
  if (!e_counts_flop)
    plan.lacks[plan.formulas.back()] = {
        {e, {"they have no event for it", "", "bind the program to the P cores"}}};
  return made;
}

/// Ten visits: on one kind alone, on the other, and moved in the middle.
RawEventGroup visits(std::uint64_t whole, std::uint64_t part, std::uint64_t missed, double ran_ms,
                     std::vector<std::uint64_t> values, double enabled_ms = 1000) {
  RawEventGroup made;
  made.whole = whole;
  made.part = part;
  made.missed = missed;
  made.enabled = static_cast<std::uint64_t>(enabled_ms * 1e6);
  made.running = static_cast<std::uint64_t>(ran_ms * 1e6);
  made.values = std::move(values);
  return made;
}

RawProcess program(std::vector<RawEventGroup> groups) {
  RawProcess made = process();
  made.counting.emplace();
  for (const RawEventGroup& one : groups) {
    made.counting->groups.push_back({static_cast<unsigned>(one.values.size()), false, false});
    made.counting->inner.emplace_back(2 + one.values.size(), 0);
    made.counting->whole.emplace_back(2 + one.values.size(), 0);
    made.counting->scatter.emplace_back(2 + one.values.size(), 0);
  }
  RawThread main = thread(1, true);
  const auto node = add(main, top, "solve", 10, 6000, 1000, 7000);
  main.nodes[node].events = RawEvents{std::move(groups), 0, 0, 0};
  made.threads.push_back(main);
  return made;
}

Region solve_of(std::vector<RawEventGroup> groups, std::shared_ptr<MeasuredPasses> passes) {
  JoinInput input = input_of({program(std::move(groups))});
  input.measured = std::move(passes);
  const Profile profile = joined(input);
  return *find(profile, {"solve"});
}

const Missing* missing_of_kinds(const Region& region, const std::string& quantity) {
  for (const Missing& one : region.missing)
    if (one.quantity == quantity) return &one;
  return nullptr;
}

bool count_has_caveat(const Count& count, const std::string& part) {
  return std::any_of(count.caveats.begin(), count.caveats.end(), [&](const std::string& caveat) {
    return caveat.find(part) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("kinds: threads that moved between kinds are counted whole where the times add up") {
  // Four visits on P, three on E, three on both: 600 ms and 400 ms of 1000 ms.
  const Region solve =
      solve_of({visits(4, 3, 3, 600, {100, 600}), visits(3, 3, 4, 400, {70, 400})}, hybrid(true));
  const Count& flop = solve.work.flop.at(Precision::f64);
  CHECK(flop.value == 4 * 100 + 70);
  CHECK(flop.source == Source::measured);
  CHECK_FALSE(flop.low);
  CHECK_FALSE(flop.high);
  CHECK(flop.caveats.empty());
  CHECK(solve.work.operations.at("cycles").value == 1000);
  CHECK(solve.self.flop.at(Precision::f64).value == 470);
  CHECK_FALSE(solve.clock_hz);  // of two clocks
}

TEST_CASE("kinds: visits that each were on one kind need no times") {
  // What others took would show: every visit was whole on P or on E.
  const Region solve =
      solve_of({visits(6, 0, 4, 600, {100, 600}, 1300), visits(4, 0, 6, 400, {70, 400}, 1300)},
               hybrid(true));
  CHECK(solve.work.flop.at(Precision::f64).source == Source::measured);
}

TEST_CASE("kinds: a group that stood still is no zero where the times don't add up") {
  // Others had the counters of the P cores: 300 of 1000 ms are nowhere.
  const Region solve =
      solve_of({visits(0, 10, 0, 300, {100, 300}), visits(0, 10, 0, 400, {70, 400})}, hybrid(true));
  CHECK(solve.work.flop.empty());
  REQUIRE(missing_of_kinds(solve, "flop.f64"));
  CHECK(missing_of_kinds(solve, "flop.f64")->reason.find("others had the counters") !=
        std::string::npos);
  // Some visits were whole: a lower bound.
  const Region some =
      solve_of({visits(4, 6, 0, 500, {100, 300}), visits(3, 7, 0, 400, {70, 400})}, hybrid(true));
  const Count& flop = some.work.flop.at(Precision::f64);
  CHECK(flop.source == Source::estimated);
  CHECK(flop.low == 470);
  CHECK(count_has_caveat(flop, "counted in 7 of 10 visits"));
}

TEST_CASE("kinds: a small gap between the times is a range") {
  const Region solve = solve_of(
      {visits(0, 10, 0, 600, {100, 600}), visits(0, 10, 0, 395, {100, 395})}, hybrid(true));
  const Count& flop = solve.work.flop.at(Precision::f64);
  CHECK(flop.source == Source::measured);
  CHECK(flop.low == 500);
  CHECK(flop.high == 503);  // 500 / 0.995
}

TEST_CASE("kinds: turns are scaled by what all kinds ran together, not by each kind's time") {
  auto plan = hybrid(true);
  plan->multiplexed = true;
  const Region solve =
      solve_of({visits(0, 10, 0, 300, {100, 300}), visits(0, 10, 0, 200, {50, 200})}, plan);
  const Count& flop = solve.work.flop.at(Precision::f64);
  CHECK(flop.value == 2 * (4 * 100 + 50));
  CHECK(flop.source == Source::estimated);
  CHECK(count_has_caveat(flop, "scaled by up to 2"));
}

TEST_CASE("kinds: a region whose threads all were on P cores is complete without the E cores'") {
  const Region solve =
      solve_of({visits(10, 0, 0, 1000, {100, 2000}), visits(0, 0, 10, 0, {0})}, hybrid(false));
  const Count& flop = solve.work.flop.at(Precision::f64);
  CHECK(flop.value == 400);
  CHECK(flop.source == Source::measured);
  CHECK(flop.caveats.empty());
  CHECK_FALSE(missing_of_kinds(solve, "flop.f64"));
  REQUIRE(solve.clock_hz);  // all of its time was of one kind
  CHECK(solve.clock_hz->value == Approx(2000));
}

TEST_CASE("kinds: FLOPs are absent where threads were on cores that count none, with the share") {
  const Region solve =
      solve_of({visits(5, 5, 0, 770, {100, 770}), visits(0, 5, 5, 230, {230})}, hybrid(false));
  CHECK(solve.work.flop.empty());
  REQUIRE(missing_of_kinds(solve, "flop.f64"));
  const Missing& why = *missing_of_kinds(solve, "flop.f64");
  CHECK(why.reason ==
        "on E cores, where its threads were for 23 % of the time, it can't be counted: they have "
        "no event for it");
  CHECK(why.fix == "bind the program to the P cores");
  // What both kinds count is there.
  CHECK(solve.work.operations.at("cycles").value == 1000);
}

TEST_CASE("kinds: hardly any time on such cores makes a lower bound that says so") {
  const Region solve =
      solve_of({visits(9, 1, 0, 995, {100, 995}), visits(0, 1, 9, 5, {5})}, hybrid(false));
  const Count& flop = solve.work.flop.at(Precision::f64);
  CHECK(flop.value == 400);
  CHECK(flop.source == Source::estimated);
  CHECK(flop.low == 400);
  CHECK(count_has_caveat(flop, "0.5 % of the time was on E cores"));
}

TEST_CASE("kinds: a run whose witness saw threads on E cores tells of itself, not of the first") {
  // In the timed run all were on P cores; in the second, which counted the FLOPs, they were not.
  auto plan = hybrid(false, 1);
  const std::vector<RawEventGroup> on_p = {visits(10, 0, 0, 1000, {1000}),
                                           visits(0, 0, 10, 0, {0})};
  plan->later = {{program({visits(4, 0, 6, 400, {40}), visits(6, 0, 4, 600, {60})})}};
  const Region moved = solve_of(on_p, plan);
  CHECK(moved.work.flop.empty());
  REQUIRE(missing_of_kinds(moved, "flop.f64"));
  CHECK(missing_of_kinds(moved, "flop.f64")->reason.find("60 % of the time") != std::string::npos);
  CHECK(moved.work.operations.at("cycles").value == 1000);
  plan->later = {{program(on_p)}};
  CHECK(solve_of(on_p, plan).work.flop.at(Precision::f64).value == 4 * 1000);
}

TEST_CASE(
    "kinds: a witness that could not be opened matters only where visits are not accounted for") {
  auto plan = hybrid(false);
  plan->explain = [](const RawRefusal&, unsigned) {
    return Problem{"no descriptors", "", "ulimit -n 65536"};
  };
  RawEventGroup unread;
  unread.unread = 10;
  unread.values = {0};
  const auto with = [&](RawEventGroup of_p) {
    RawProcess one = program({std::move(of_p), unread});
    one.threads[0].refusal = {24, 1, 0};
    JoinInput input = input_of({one});
    input.measured = plan;
    const Profile profile = joined(input);
    return *find(profile, {"solve"});
  };
  CHECK(with(visits(10, 0, 0, 1000, {100, 1000})).work.flop.at(Precision::f64).source ==
        Source::measured);
  const Region unknown = with(visits(0, 10, 0, 700, {100, 700}));
  CHECK(unknown.work.flop.empty());
  CHECK(missing_of_kinds(unknown, "flop.f64")->reason == "no descriptors");
}

TEST_CASE("kinds: markers count on the core where they run") {
  // 5 cycles a visit, measured on a P core; six visits were there, and four on an E core.
  RawProcess one = program({visits(6, 0, 4, 600, {100, 630}), visits(4, 0, 6, 400, {70, 420})});
  one.counting->inner = {{0, 10, 0, 5}, {0, 0, 0, 0}};
  one.counting->whole = {{0, 20, 0, 8}, {0, 0, 0, 0}};
  JoinInput input = input_of({one});
  input.measured = hybrid(true);
  const Region solve = *find(joined(input), {"solve"});
  CHECK(solve.work.operations.at("cycles").value == 1050 - 10 * 5);
  CHECK(solve.work.flop.at(Precision::f64).value == 470);
}

TEST_CASE("kinds: how much of a pass was counted is over all kinds") {
  const auto plan = hybrid(true);
  CHECK(measured_coverage(*plan, 0,
                          {program({visits(6, 1, 3, 1, {0, 0}), visits(3, 1, 6, 1, {0, 0})})}) ==
        Approx(0.9));
}

TEST_CASE("kinds: a program without regions is summed over kinds as well") {
  auto plan = hybrid(true);
  const auto read = [](std::size_t group, std::uint64_t ran_ns, std::uint64_t flop) {
    GroupCounts counts;
    counts.group = group;
    counts.counts.count = 2;
    counts.counts.ran = perf::Ran::part;
    counts.counts.enabled_ns = 1000000;
    counts.counts.running_ns = ran_ns;
    counts.counts.values[0] = flop;
    counts.counts.values[1] = 1;
    return counts;
  };
  plan->program = {read(0, 800000, 10), read(1, 200000, 3)};
  JoinInput input = input_of({});
  input.measured = plan;
  CHECK(joined(input).regions[0].work.flop.at(Precision::f64).value == 43);
  plan->program = {read(0, 500000, 10), read(1, 200000, 3)};
  CHECK(joined(input).regions[0].work.flop.empty());
}
