// What has to hold for every table that is installed.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "all_tables.hpp"
#include "analysis/counters/counter_fit.hpp"
#include "analysis/counters/sysfs_terms.hpp"
#include "analysis/counters/table_match.hpp"

using namespace roofmark;

namespace {

bool is_x86(const EventTable& table) {
  return !table.match[0].vendor.empty();
}

/// The kernel's formats of the core PMUs (Linux, arch/*/events, drivers/perf/arm_pmuv3.c).
PmuFormat core_format(const EventTable& table) {
  if (table.match[0].vendor == "GenuineIntel")
    return {{"event", "config:0-7"}, {"umask", "config:8-15"}, {"offcore_rsp", "config1:0-63"}};
  if (is_x86(table)) return {{"event", "config:0-7,32-35"}, {"umask", "config:8-15"}};
  if (table.match[0].implementer) return {{"event", "config:0-15"}, {"long", "config1:0"}};
  return {{"event", "config:0-59"}};
}

bool has_formula(const EventTable& table, const std::string& quantity) {
  return std::any_of(table.formulas.begin(), table.formulas.end(),
                     [&](const Formula& formula) { return formula.quantity == quantity; });
}

bool is_refused(const EventTable& table, const std::string& quantity) {
  return std::any_of(
      table.not_countable.begin(), table.not_countable.end(), [&](const NotCountable& entry) {
        return std::count(entry.quantities.begin(), entry.quantities.end(), quantity) != 0;
      });
}

std::vector<std::string> events_of(const Formula& formula) {
  std::vector<std::string> names;
  for (const FormulaTerm& term : formula.sum) names.push_back(term.event);
  return names;
}

unsigned bits_of(const std::string& quantity) {
  if (quantity == "flop.f64") return 64;
  if (quantity == "flop.f32") return 32;
  return quantity == "flop.f16" || quantity == "flop.bf16" ? 16 : 0;
}

}  // namespace

TEST_CASE("every microarchitecture that is promised has its table") {
  std::set<std::string> names;
  for (const EventTable& table : all_tables()) names.insert(table.name);
  for (const char* name : {"sandy_bridge",   "sandy_bridge_ep",
                           "ivy_bridge",     "ivy_bridge_ep",
                           "haswell",        "haswell_ep",
                           "broadwell",      "broadwell_ep",
                           "skylake",        "skylake_x",
                           "cascade_lake",   "ice_lake",
                           "ice_lake_x",     "sapphire_rapids",
                           "emerald_rapids", "granite_rapids",
                           "sierra_forest",  "alder_lake_p",
                           "alder_lake_e",   "meteor_lake_p",
                           "meteor_lake_e",  "lunar_lake_p",
                           "lunar_lake_e",   "arrow_lake_p",
                           "arrow_lake_e",   "knights_landing",
                           "zen1",           "zen2",
                           "zen3",           "zen4",
                           "zen5",           "neoverse_n1",
                           "neoverse_n2",    "neoverse_v1",
                           "neoverse_v2",    "a64fx",
                           "power9",         "power10",
                           "sifive_u74",     "thunderx2",
                           "kunpeng_920"})
    CHECK(names.count(name) == 1);
}

TEST_CASE("a table is named as its file, says what it is and where it is from") {
  for (const EventTable& table : all_tables()) {
    INFO(table.file);
    CHECK(std::filesystem::path(table.file).stem() == table.name);
    CHECK_FALSE(table.about.empty());
    CHECK_FALSE(table.sources.empty());
  }
}

TEST_CASE("every quantity that a report asks for is counted or refused with a reason") {
  for (const EventTable& table : all_tables())
    for (const char* quantity :
         {"flop.f64", "flop.f32", "flop.f16", "flop.bf16", "flop.x87", "op.i8", "bytes.L1.read",
          "bytes.L1.write", "bytes.L2.read", "bytes.L2.write", "bytes.L3.read", "bytes.L3.write",
          "bytes.DRAM.read", "bytes.DRAM.write", "instructions", "cycles", "reference_cycles"}) {
      INFO(table.name << ' ' << quantity);
      const bool in_any = has_formula(table, "flop.any") && bits_of(quantity) > 0;
      CHECK((has_formula(table, quantity) || is_refused(table, quantity) || in_any));
    }
}

TEST_CASE("where FLOPs can't be counted there is a refusal and no formula") {
  for (const EventTable& table : all_tables()) {
    const bool none = table.name == "haswell" || table.name == "haswell_ep" ||
                      table.name == "knights_landing" || table.name == "alder_lake_e" ||
                      table.name == "neoverse_n1" || table.name == "thunderx2" ||
                      table.name == "kunpeng_920";
    INFO(table.name);
    for (const char* quantity : {"flop.f64", "flop.f32"}) {
      const bool counted = has_formula(table, quantity) || has_formula(table, "flop.any");
      CHECK(counted != none);
      CHECK(is_refused(table, quantity) == none);
    }
  }
}

TEST_CASE("a process-scope refusal does not contradict a process-scope formula") {
  for (const EventTable& table : all_tables())
    for (const Formula& formula : table.formulas) {
      INFO(table.name << ' ' << formula.quantity);
      if (formula.scope == Scope::process) CHECK_FALSE(is_refused(table, formula.quantity));
      if (formula.scope == Scope::socket) CHECK(formula.caveats.size() > 0);
    }
}

TEST_CASE("what is not exact says why") {
  for (const EventTable& table : all_tables())
    for (const Formula& formula : table.formulas) {
      INFO(table.name << ' ' << formula.quantity);
      CHECK((formula.bound == Bound::exact || !formula.caveats.empty()));
    }
}

TEST_CASE("a pattern for memory controllers takes no PMU of another kind") {
  // PMUs whose names begin alike: their events have other codes.
  for (const EventTable& table : all_tables())
    for (const CounterEvent& event : table.events) {
      INFO(table.name << ' ' << event.name << ' ' << event.pmu);
      const auto found =
          pmus_like(event.pmu, {"uncore_imc_0", "uncore_imc_11", "uncore_imc_uclk_0",
                                "uncore_imc_free_running", "uncore_imc_free_running_1"});
      const bool free_running = event.pmu.find("free_running") != std::string::npos;
      for (const std::string& pmu : found)
        CHECK((pmu.find("free_running") != std::string::npos) == free_running);
      CHECK(std::count(found.begin(), found.end(), "uncore_imc_uclk_0") == 0);
    }
}

TEST_CASE("the sysfs form of an event of the core says the same as its numbers") {
  unsigned compared = 0;
  for (const EventTable& table : all_tables())
    for (const CounterEvent& event : table.events) {
      if (!event.pmu.empty() || event.type != EventType::raw) continue;
      INFO(table.name << ' ' << event.name << ' ' << event.sysfs);
      const auto numbers = encode_terms(event.sysfs, core_format(table), event.name);
      REQUIRE(numbers);
      CHECK(*numbers == *event.numbers);
      ++compared;
    }
  CHECK(compared > 400);
}

TEST_CASE("a packed operation weighs what its lanes are") {
  for (const EventTable& table : all_tables())
    for (const Formula& formula : table.formulas) {
      const unsigned bits = bits_of(formula.quantity);
      if (bits == 0) continue;
      for (const FormulaTerm& term : formula.sum) {
        if (!term.width_bits) continue;
        INFO(table.name << ' ' << term.event);
        // A complex number is two.
        const double lanes = term.event == "f16_complex_scalar" ? 2
                             : *term.width_bits == 0            ? 1
                                                                : *term.width_bits / bits;
        CHECK(term.weight == lanes);
      }
    }
}

TEST_CASE("what counts FLOPs counts a fused multiply-add twice, where there is one") {
  for (const EventTable& table : all_tables()) {
    const bool without_fma = table.name.find("_bridge") != std::string::npos;
    for (const Formula& formula : table.formulas) {
      if (formula.quantity.rfind("flop.f", 0) != 0) continue;
      INFO(table.name << ' ' << formula.quantity);
      CHECK(formula.fma_weight.has_value() != without_fma);
      if (formula.fma_weight) CHECK(*formula.fma_weight == 2);
    }
  }
}

TEST_CASE("bytes of an alias are what sysfs scales its counts by") {
  for (const EventTable& table : all_tables())
    for (const Formula& formula : table.formulas)
      for (const FormulaTerm& term : formula.sum) {
        const CounterEvent& event = *table.event(term.event);
        if (!event.scale) continue;
        INFO(table.name << ' ' << term.event);
        REQUIRE(event.unit == "MiB");
        CHECK(std::abs(*event.scale * 1048576 / term.weight - 1) < 0.001);
      }
}

TEST_CASE("the events of one formula fit together, but for those that are known not to") {
  const std::set<std::string> apart = {// All four on one counter.
                                       "power9 flop.any", "power10 flop.any",
                                       // Eight channels, four counters.
                                       "zen1 bytes.DRAM.total", "zen2 bytes.DRAM.total",
                                       "zen3 bytes.DRAM.total"};
  for (const EventTable& table : all_tables())
    for (const Formula& formula : table.formulas) {
      const std::string name = table.name + " " + formula.quantity;
      INFO(name);
      CHECK(fit_together(table, events_of(formula), {}) != (apart.count(name) == 1));
    }
}

TEST_CASE("an event is used by a quantity") {
  for (const EventTable& table : all_tables())
    for (const CounterEvent& event : table.events) {
      INFO(table.name << ' ' << event.name);
      CHECK(std::any_of(table.formulas.begin(), table.formulas.end(), [&](const Formula& formula) {
        const auto names = events_of(formula);
        return std::count(names.begin(), names.end(), event.name) != 0;
      }));
    }
}

TEST_CASE("AMD's joined counters and POWER's single ones are as the code says") {
  for (const EventTable& table : all_tables())
    for (const CounterEvent& event : table.events) {
      if (!event.pmu.empty() || event.type != EventType::raw) continue;
      INFO(table.name << ' ' << event.name);
      if (table.match[0].vendor == "AuthenticAMD") {
        const bool large = (event.numbers->config & 0xff) == 0x03;
        CHECK((event.takes == 2) == large);
      }
      if (!table.match[0].pvrs.empty()) {
        const std::uint64_t counter = event.numbers->config >> 16 & 0xf;
        REQUIRE(counter > 0);
        CHECK(event.only == std::vector<unsigned>{static_cast<unsigned>(counter - 1)});
      }
    }
}
