// What fits at the same time, on both sides of each limit.
#include "analysis/counters/counter_fit.hpp"
#include "catch.hpp"
#include "table_text.hpp"

using namespace roofmark;
using Json = nlohmann::ordered_json;

namespace {

EventTable read(const Json& json) {
  auto table = event_table_from_json(json.dump(), "own.json");
  REQUIRE(table);
  return *table;
}

/// Six counters of which a pair event takes two, from an even one on; one event only on the last.
EventTable pairs() {
  Json json = small_table();
  json["counters"] = {{"general", 6}, {"limits", {{"uncore_imc_*", 1}}}};
  json["events"]["pair_a"] = {{"config", 3}, {"takes", 2}, {"only", {0, 2, 4}}};
  json["events"]["pair_b"] = {{"config", 3}, {"takes", 2}, {"only", {0, 2, 4}}};
  json["events"]["pair_c"] = {{"config", 3}, {"takes", 2}, {"only", {0, 2, 4}}};
  json["events"]["last"] = {{"config", 9}, {"only", {5}}};
  json["events"]["last_too"] = {{"config", 9}, {"only", {5}}};
  json["events"]["imc_write"] = {{"pmu", "uncore_imc_*"}, {"sysfs", "event=4"}};
  json["events"].erase("cycles");
  return read(json);
}

}  // namespace

TEST_CASE("general counters are as many as there are, and twice as many without SMT") {
  Json json = small_table();
  for (int i = 0; i < 9; ++i) json["events"]["e" + std::to_string(i)] = {{"config", i}};
  const EventTable t = read(json);
  CHECK(fit_together(t, {"e0", "e1", "e2", "e3"}, {}));
  CHECK_FALSE(fit_together(t, {"e0", "e1", "e2", "e3", "e4"}, {}));
  CHECK(fit_together(t, {"e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7"}, {false, false}));
  CHECK_FALSE(
      fit_together(t, {"e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8"}, {false, false}));
  // A fixed counter is one more, until the watchdog has it.
  CHECK(fit_together(t, {"cycles", "e0", "e1", "e2", "e3"}, {}));
  CHECK_FALSE(fit_together(t, {"cycles", "e0", "e1", "e2", "e3"}, {true, true}));
  CHECK(fit_together(t, {"cycles", "e0", "e1", "e2"}, {true, true}));
}

TEST_CASE("a resource has its limit, an unknown event fits nowhere") {
  const EventTable t = read(small_table());
  CHECK(fit_together(t, {"fills", "scalar"}, {}));
  CHECK_FALSE(fit_together(t, {"fills", "merged"}, {}));
  CHECK_FALSE(fit_together(t, {"nothing_such"}, {}));
  CHECK(fit_together(t, {}, {}));
}

TEST_CASE("paired counters and events of one counter") {
  const EventTable t = pairs();
  CHECK(fit_together(t, {"pair_a", "pair_b", "pair_c"}, {}));
  CHECK_FALSE(fit_together(t, {"pair_a", "pair_b", "pair_c", "scalar"}, {}));
  CHECK(fit_together(t, {"scalar", "packed", "pair_a", "pair_b"}, {}));
  // Three single events leave three counters, of which two make a pair only if placed well.
  CHECK(fit_together(t, {"scalar", "last", "pair_a", "pair_b"}, {}));
  CHECK_FALSE(fit_together(t, {"last", "last_too"}, {}));
  CHECK_FALSE(fit_together(t, {"last", "pair_a", "pair_b", "pair_c"}, {}));
  // Here the watchdog takes a general counter: five are left, two pairs and one.
  CHECK(fit_together(t, {"pair_a", "pair_b", "scalar"}, {true, true}));
  CHECK_FALSE(fit_together(t, {"pair_a", "pair_b", "pair_c"}, {true, true}));
}

TEST_CASE("uncore events take no counter of the core") {
  const EventTable t = pairs();
  CHECK(fit_together(t, {"pair_a", "pair_b", "pair_c", "imc_read"}, {}));
  CHECK_FALSE(fit_together(t, {"imc_read", "imc_write"}, {}));
}

TEST_CASE("events that don't fit together are grouped, one that never fits is named") {
  Json json = small_table();
  json["events"]["never"] = {{"config", 1}, {"only", {17}}};
  const EventTable t = read(json);
  const CounterGroups groups =
      group_events(t, {"cycles", "fills", "scalar", "merged", "packed", "never", "imc_read"}, {});
  CHECK(groups.too_large == std::vector<std::string>{"never"});
  REQUIRE(groups.groups.size() == 2);
  CHECK(groups.groups[0] ==
        std::vector<std::string>{"cycles", "fills", "scalar", "packed", "imc_read"});
  CHECK(groups.groups[1] == std::vector<std::string>{"merged"});
  CHECK(group_events(t, {}, {}).groups.empty());
}
