// Sums of counts, and what a missing one does.
#include "analysis/counters/formula.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "table_text.hpp"

using namespace roofmark;

namespace {

EventTable table() {
  auto read = event_table_from_json(small_table().dump(), "own.json");
  REQUIRE(read);
  return *read;
}

const CountedQuantity& find(const std::vector<CountedQuantity>& all, const char* quantity,
                            Scope scope = Scope::process) {
  for (const CountedQuantity& one : all)
    if (one.quantity == quantity && one.scope == scope) return one;
  FAIL("no " << quantity);
  return all.front();
}

}  // namespace

TEST_CASE("a formula weighs and adds") {
  const EventTable t = table();
  CHECK(evaluate(t.formulas[0], {{"scalar", 100}, {"packed", 25}}) == 200U);
  CHECK(evaluate(t.formulas[0], {{"scalar", 0}, {"packed", 0}}) == 0U);
  CHECK(evaluate(t.formulas[2], {{"fills", 10}, {"merged", 3}}) == 448U);
}

TEST_CASE("an event that was not counted makes the quantity absent, not smaller") {
  const EventTable t = table();
  const auto value = evaluate(t.formulas[0], {{"scalar", 100}});
  REQUIRE_FALSE(value);
  CHECK(value.error().where == "flop.f64");
  CHECK(value.error().reason == "its event `packed` was not counted");
  CHECK_FALSE(value.error().remedy.empty());
  CHECK_FALSE(evaluate(t.formulas[0], {}));
}

TEST_CASE("a variable of the machine is a factor, and has to be known") {
  const EventTable t = table();
  const EventCounts counts = {{"scalar", 7}, {"scaled", 1000}};
  CHECK(evaluate(t.formulas[1], counts, {{"vectors", 1}}) == 1007U);
  CHECK(evaluate(t.formulas[1], counts, {{"vectors", 4}}) == 4007U);
  const auto unknown = evaluate(t.formulas[1], counts);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().reason.find("vectors") != std::string::npos);
  CHECK_FALSE(
      evaluate(t.formulas[1], counts, {{"vectors", std::numeric_limits<double>::quiet_NaN()}}));
  CHECK_FALSE(
      evaluate(t.formulas[1], counts, {{"vectors", std::numeric_limits<double>::infinity()}}));
}

TEST_CASE("a sum below zero or beyond 64 bits is no count") {
  const EventTable t = table();
  const auto negative = evaluate(t.formulas[2], {{"fills", 3}, {"merged", 10}});
  REQUIRE_FALSE(negative);
  CHECK(negative.error().reason.find("contradict") != std::string::npos);
  CHECK(evaluate(t.formulas[2], {{"fills", 3}, {"merged", 3}}) == 0U);
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  CHECK_FALSE(evaluate(t.formulas[0], {{"scalar", most}, {"packed", 1}}));
  if (std::numeric_limits<long double>::digits >= 64)
    CHECK(evaluate(t.formulas[0], {{"scalar", (1ULL << 60U) + 1}, {"packed", 1}}) ==
          (1ULL << 60U) + 5);
}

TEST_CASE("of several formulas the first whose events were counted is used, scope by scope") {
  const EventTable t = table();
  auto all = evaluate_all(t, {{"imc_read", 2}, {"fills", 9}});
  CHECK(find(all, "bytes.DRAM.read", Scope::socket).value == 128U);
  CHECK(find(all, "bytes.DRAM.read", Scope::socket).formula->bound == Bound::exact);
  // Never the socket's bytes in place of the process'.
  const auto& process = find(all, "bytes.DRAM.read", Scope::process);
  REQUIRE_FALSE(process.value);
  CHECK(process.value.error().reason == "its event `merged` was not counted");

  all = evaluate_all(t, {{"fills", 9}});
  CHECK(find(all, "bytes.DRAM.read", Scope::socket).value == 1152U);
  CHECK(find(all, "bytes.DRAM.read", Scope::socket).formula->bound == Bound::estimate);

  all = evaluate_all(t, {});
  const auto& none = find(all, "bytes.DRAM.read", Scope::socket);
  REQUIRE_FALSE(none.value);
  CHECK(none.value.error().reason == "its event `imc_read` was not counted");
}

TEST_CASE("what can't be counted is in the answer, with its reason and unit") {
  const auto all = evaluate_all(table(), {{"scalar", 1}, {"packed", 1}});
  CHECK(find(all, "flop.f64").unit == "FLOP");
  CHECK(find(all, "flop.f64").value == 5U);
  const auto& write = find(all, "bytes.DRAM.write");
  REQUIRE_FALSE(write.value);
  CHECK(write.formula == nullptr);
  CHECK(write.unit == "B");
  CHECK(write.value.error().reason == "no such event");
  CHECK(write.value.error().remedy == "count otherwise");
}

TEST_CASE("the socket's count does not hide that the process' can't be counted") {
  auto json = small_table();
  json["not_countable"][0]["quantities"] = {"bytes.HBM.read"};
  json["quantities"][3]["quantity"] = "bytes.HBM.read";
  const auto read = event_table_from_json(json.dump(), "own.json");
  REQUIRE(read);
  const auto all = evaluate_all(*read, {{"imc_read", 2}});
  CHECK(find(all, "bytes.HBM.read", Scope::socket).value == 128U);
  CHECK_FALSE(find(all, "bytes.HBM.read", Scope::process).value);
}
