// A table is read as it is written, and a bad one is one line that names file, place and remedy.
#include "analysis/counters/event_table.hpp"
#include "catch.hpp"
#include "table_text.hpp"

using namespace roofmark;
using Json = nlohmann::ordered_json;

namespace {

Problem problem_of(const std::string& text) {
  const auto table = event_table_from_json(text, "own.json");
  REQUIRE_FALSE(table);
  CHECK(table.error().where.rfind("own.json", 0) == 0);
  CHECK_FALSE(table.error().remedy.empty());
  CHECK(to_line(table.error()).find('\n') == std::string::npos);
  return table.error();
}

}  // namespace

TEST_CASE("a table is read as it is written") {
  const auto read = event_table_from_json(small_table().dump(), "own.json");
  REQUIRE(read);
  const EventTable& table = *read;
  CHECK(table.name == "small");
  CHECK(table.file == "own.json");
  REQUIRE(table.match.size() == 1);
  CHECK(table.match[0].models == std::vector<NumberRange>{{1, 1}, {10, 12}});
  CHECK(table.match[0].steppings == NumberRange{2, 4});
  CHECK(table.match[0].core_pmu == "cpu");
  CHECK(table.counters.general == 4);
  CHECK(table.counters.general_without_smt == 8);
  REQUIRE(table.event("packed") != nullptr);
  CHECK(table.event("packed")->numbers->config == 0x10c7);
  CHECK(table.event("fills")->numbers->config1 == 0x3fbc0007f7U);
  CHECK(table.event("cycles")->watchdog);
  CHECK_FALSE(table.event("imc_read")->numbers);
  CHECK(table.event("no_such_event") == nullptr);
  REQUIRE(table.formulas.size() == 5);
  CHECK(table.formulas[0].fma_weight == 2);
  CHECK(table.formulas[0].sum[1].width_bits == 256U);
  CHECK(table.formulas[0].caveats ==
        std::vector<std::string>{"denormal numbers count more than once"});
  CHECK_FALSE(table.formulas[1].sum[0].width_bits);
  CHECK(table.formulas[3].scope == Scope::socket);
}

TEST_CASE("what a table leaves out about all processors comes from the common file") {
  CommonEntries common;
  common.caveats = {{"denormals", "the common sentence"}, {"other", "another sentence"}};
  common.not_countable = {{{"flop.f64", "flop.x87", "bytes.DRAM.write"}, "common reason", "fix"}};
  Json json = small_table();
  json["quantities"][1]["caveats"] = {"other"};
  const auto table = event_table_from_json(json.dump(), "own.json", common);
  REQUIRE(table);
  // The table's own sentence, formula and reason come first.
  CHECK(table->formulas[0].caveats[0] == "denormal numbers count more than once");
  CHECK(table->formulas[1].caveats[0] == "another sentence");
  REQUIRE(table->not_countable.size() == 2);
  CHECK(table->not_countable[0].reason == "no such event");
  CHECK(table->not_countable[1].quantities == std::vector<std::string>{"flop.x87"});
}

TEST_CASE("each fault of a table names its place") {
  struct Fault {
    const char* pointer;
    Json value;
    const char* place;
  };
  const std::vector<Fault> faults = {
      {"/name", 7, "`name`"},
      {"/match", Json::array(), "`match`"},
      {"/match/0", {{"family", 6}}, "`match[0]`"},
      {"/match/0/models/1", {12, 10}, "`match[0].models[1]`"},
      {"/match/0/models/1", "12", "`match[0].models[1]`"},
      {"/match/0/family", "six", "`match[0].family`"},
      {"/counters/general", -1, "`counters.general`"},
      {"/events/scalar/config", "0x", "`events.scalar.config`"},
      {"/events/scalar/config", "1c7", "`events.scalar.config`"},
      {"/events/scalar/config", "0x1ffffffffffffffff", "`events.scalar.config`"},
      {"/events/scalar/config", 1.5, "`events.scalar.config`"},
      {"/events/scalar/type", "software_", "`events.scalar.type`"},
      {"/events/scalar/takes", 0, "`events.scalar.takes`"},
      {"/events/scalar/only", {64}, "`events.scalar.only[0]`"},
      {"/events/scalar/fixed", "yes", "`events.scalar.fixed`"},
      {"/events/imc_read/scale", 0, "`events.imc_read.scale`"},
      {"/events/imc_read", {{"pmu", "uncore_imc_*"}}, "`events.imc_read`"},
      {"/events/scalar", {{"pfm", "small::FP"}}, "`events.scalar`"},
      {"/quantities/0/quantity", "flop.f63", "`quantities[0].quantity`"},
      {"/quantities/0/scope", "node", "`quantities[0].scope`"},
      {"/quantities/0/bound", "about", "`quantities[0].bound`"},
      {"/quantities/0/sum", Json::array(), "`quantities[0]`"},
      {"/quantities/0/sum/1/event", "packet", "`quantities[0].sum[1].event`"},
      {"/quantities/0/sum/1/weight", 0, "`quantities[0].sum[1].weight`"},
      {"/quantities/0/sum/1/weight", nullptr, "`quantities[0].sum[1].weight`"},
      {"/quantities/1/sum/1/variable", "vector", "`quantities[1].sum[1].variable`"},
      {"/quantities/0/caveats/0", "denormal", "`quantities[0].caveats[0]`"},
      {"/not_countable/0/quantities/0", "bytes.DRAM", "`not_countable[0].quantities`"},
      {"/not_countable/0/reason", nullptr, "`not_countable[0].reason`"},
  };
  for (const Fault& fault : faults) {
    Json json = small_table();
    json[Json::json_pointer(fault.pointer)] = fault.value;
    INFO(fault.pointer << " = " << fault.value.dump());
    const Problem problem = problem_of(json.dump());
    CHECK(problem.reason.find(fault.place) != std::string::npos);
  }
}

TEST_CASE("what is no table at all is said so") {
  CHECK(problem_of("").reason.size() > 0);
  CHECK(problem_of("{").reason.size() > 0);
  CHECK(problem_of("[]").reason == "the document is not a `roofmark-events/1`");
  CHECK(problem_of(R"({"schema": "roofmark-profile/1"})").reason ==
        "the document is not a `roofmark-events/1`");
  CHECK(problem_of(R"({"schema": 1})").reason == "the document is not a `roofmark-events/1`");
  CHECK(problem_of(std::string(100000, '[')).reason.size() > 0);
  const std::string whole = small_table().dump();
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    INFO(length);
    CHECK_FALSE(event_table_from_json(whole.substr(0, length), "cut.json"));
  }
}

TEST_CASE("a quantity's name gives its unit, and only names of quantities do") {
  CHECK(unit_of_quantity("flop.bf16") == "FLOP");
  CHECK(unit_of_quantity("bytes.HBM.write") == "B");
  CHECK(unit_of_quantity("bytes.DRAM.total") == "B");
  CHECK(unit_of_quantity("op.i8") == "operations");
  CHECK(unit_of_quantity("reference_cycles") == "cycles");
  CHECK(unit_of_quantity("instructions.fp_scalar") == "instructions");
  for (const char* other : {"", "flop", "flop.", "flop.f128", "bytes.DRAM", "bytes..read",
                            "bytes.DRAM.reads", "instructions.", "time", "op."}) {
    INFO(other);
    CHECK_FALSE(unit_of_quantity(other));
  }
}
