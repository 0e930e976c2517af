// The clock of a region, from closed forms: cycles by constant cycles, or by the time they ran.
#include <analysis/join/measured.hpp>

#include "catch.hpp"
#include "raw.hpp"

using namespace roofmark;
using namespace roofmark::test;

namespace {

std::shared_ptr<MeasuredPasses> passes(const std::vector<std::vector<std::string>>& groups,
                                       const std::vector<std::string>& pmus = {"cpu"}) {
  auto tables = std::make_shared<EventTables>();
  EventTable& table = tables->tables.emplace_back();
  table.name = "made_up";
  auto made = std::make_shared<MeasuredPasses>();
  made->tables = tables;
  made->plan.table = &table;
  made->plan.passes = 1;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    PlannedGroup group;
    group.pmu = pmus[std::min(g, pmus.size() - 1)];
    for (const std::string& name : groups[g]) group.events.push_back({name, {}});
    made->plan.groups.push_back(group);
  }
  for (const char* quantity : {"cycles", "reference_cycles"}) {
    Formula formula;
    formula.quantity = quantity;
    formula.scope = Scope::process;
    formula.sum.push_back({1, quantity, std::nullopt, ""});
    table.formulas.push_back(formula);
  }
  for (const Formula& formula : table.formulas)
    for (const auto& group : groups)
      if (std::find(group.begin(), group.end(), formula.quantity) != group.end()) {
        made->plan.formulas.push_back(&formula);
        break;
      }
  return made;
}

struct Made {
  std::vector<std::vector<std::uint64_t>> values;  ///< by group
  double running_s = 2;
  double cost_ns = 0;  ///< of a visit
  std::uint64_t part = 0;
  double scatter = 0;
};

/// solve: ten visits.
RawProcess program(const Made& of) {
  RawProcess made = process();
  made.counting.emplace();
  RawThread main = thread(1, true);
  const auto node = add(main, top, "solve", 10, 6000, 1000, 7000);
  RawEvents events;
  for (const auto& values : of.values) {
    const std::size_t size = 2 + values.size();
    made.counting->groups.push_back({static_cast<unsigned>(values.size()), false, false});
    made.counting->inner.emplace_back(size, 0);
    made.counting->inner.back()[1] = of.cost_ns;
    made.counting->whole.emplace_back(size, 0);
    made.counting->scatter.emplace_back(size, of.scatter);
    RawEventGroup group;
    group.whole = 10 - of.part;
    group.part = of.part;
    group.enabled = group.running = static_cast<std::uint64_t>(of.running_s * 1e9);
    group.values = values;
    events.groups.push_back(group);
  }
  main.nodes[node].events = events;
  made.threads.push_back(main);
  return made;
}

std::optional<Measure> clock_of(RawProcess native, std::shared_ptr<MeasuredPasses> passes,
                                double system_s = 0) {
  JoinInput input = input_of({std::move(native)});
  input.whole.system_s = system_s;
  input.measured = std::move(passes);
  return find(joined(input), {"solve"})->clock_hz;
}

}  // namespace

TEST_CASE("cycles by constant cycles, at the rate of the processor's own clock") {
  // The recordings' clock has 1000 ticks a second.
  const auto clock =
      clock_of(program({{{6'000'000, 4'000'000}}}), passes({{"cycles", "reference_cycles"}}), 1.5);
  REQUIRE(clock);
  CHECK(clock->value == Approx(1500));
  CHECK(clock->source == Source::measured);
  CHECK_FALSE(clock->low);
}

TEST_CASE("constant cycles of another run, or at an unknown rate, are not used") {
  const auto apart = passes({{"cycles"}, {"reference_cycles"}});
  CHECK(clock_of(program({{{6'000'000}, {4'000'000}}}), apart)->value == Approx(3e6));
  RawProcess one = program({{{6'000'000, 4'000'000}}});
  one.calibration.clock = "monotonic_raw";
  CHECK(clock_of(one, passes({{"cycles", "reference_cycles"}}))->value == Approx(3e6));
}

TEST_CASE("cycles by the time that they ran, without the markers' own") {
  const Made of{{{5'000'000'000}}, 2.5, 0.05e9};
  const auto clock = clock_of(program(of), passes({{"cycles"}}));
  REQUIRE(clock);
  CHECK(clock->value == Approx(2.5e9));
  CHECK(clock->source == Source::measured);
}

TEST_CASE("what the kernel did is time without cycles: a range") {
  const RawProcess one = program({{{5'000'000'000}}, 2});
  const auto little = clock_of(one, passes({{"cycles"}}), 0.01);
  REQUIRE(little);
  CHECK(little->source == Source::measured);
  CHECK(little->low == little->value);
  CHECK(*little->high == Approx(5e9 / 1.99));
  const auto much = clock_of(one, passes({{"cycles"}}), 0.5);
  CHECK(much->source == Source::estimated);
  CHECK(much->low == Approx(2.5e9));
  CHECK(*much->high == Approx(5e9 / 1.5));
  const auto all = clock_of(one, passes({{"cycles"}}), 3);
  CHECK(all->low == Approx(2.5e9));
  CHECK_FALSE(all->high);
}

TEST_CASE("no clock where cycles were not counted, in part, uncertain, or of two kinds of cores") {
  const auto counted = passes({{"cycles"}});
  CHECK(clock_of(program({{{1'000'000}}}), counted));
  CHECK_FALSE(clock_of(program({{{0}}}), counted));
  CHECK_FALSE(clock_of(program({{{1'000'000}}, 2, 0, 3}), counted));
  CHECK_FALSE(clock_of(program({{{1'000'000}}, 2, 0, 0, 20'000}), counted));
  CHECK_FALSE(clock_of(program({{{1'000'000}}}), passes({{"instructions"}})));
  CHECK_FALSE(clock_of(program({{{1'000'000}, {1'000'000}}}),
                       passes({{"cycles"}, {"cycles"}}, {"cpu_core", "cpu_atom"})));
}
