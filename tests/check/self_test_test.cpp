// Verdicts on counts, and the hardware path end to end on events that need no hardware: breakpoints
// on the kernels themselves.
#include "analysis/check/self_test.hpp"

#include <linux/perf_event.h>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "collectors/perf/group.hpp"

using namespace roofmark;
using namespace roofmark::check;
using nlohmann::ordered_json;

namespace {

Trust verdict(const char* quantity, std::uint64_t expected, std::optional<std::uint64_t> counted) {
  return SelfTestRow{"perf", quantity, "kernel", expected, counted, ""}.verdict();
}

const SelfTestRow* row(const std::vector<SelfTestRow>& rows, const std::string& kernel,
                       const std::string& quantity) {
  for (const SelfTestRow& one : rows)
    if (one.kernel == kernel && one.quantity == quantity) return &one;
  return nullptr;
}

Kernel kernel(const std::string& name) {
  for (const Kernel& one : kernels_here())
    if (one.name == name) return one;
  FAIL("no kernel " << name);
  return {};
}

RegionCounts region(const char* name, std::vector<ComputeClass> mix) {
  RegionCounts made;
  made.path = {name};
  made.mix = std::move(mix);
  return made;
}

}  // namespace

TEST_CASE("off by more than 1 % of FLOPs or 10 % of bytes is untrusted") {
  CHECK(verdict("flop.f64", 1000, 1000) == Trust::trusted);
  CHECK(verdict("flop.f64", 1000, 1010) == Trust::trusted);
  CHECK(verdict("flop.f64", 1000, 990) == Trust::trusted);
  CHECK(verdict("flop.f64", 1000, 1011) == Trust::untrusted);
  CHECK(verdict("flop.f64", 1000, 500) == Trust::untrusted);
  CHECK(verdict("flop.f64", 1000, 0) == Trust::untrusted);
  CHECK(verdict("instructions", 1000, 1011) == Trust::untrusted);
  CHECK(verdict("bytes.DRAM.read", 1000, 1100) == Trust::trusted);
  CHECK(verdict("bytes.DRAM.read", 1000, 1101) == Trust::untrusted);
  CHECK(verdict("bytes.DRAM.read", 1000, std::nullopt) == Trust::not_counted);
  CHECK(verdict("flop.f64", 0, 0) == Trust::trusted);
  CHECK(verdict("flop.f64", 0, 1) == Trust::untrusted);
  CHECK_FALSE(SelfTestRow{"perf", "flop.f64", "kernel", 0, 1, ""}.factor());
}

#if defined(__x86_64__)

TEST_CASE("an emulator that counts wrongly is not trusted") {
  const std::vector<Kernel> kernels = {kernel("f64_128_add"), kernel("f32_128_mul"),
                                       kernel("integer"), kernel("write")};
  CountsOfPass counts;
  counts.processes.emplace_back();
  auto& regions = counts.processes.back().regions;
  regions.push_back(region("f64_128_add", {{Precision::f64, 128, Operation::add, 16 * 100}}));
  // The right number, of the wrong width.
  regions.push_back(region("f32_128_mul", {{Precision::f32, 256, Operation::mul, 32 * 100}}));
  regions.push_back(region("write", {}));
  regions.back().bytes["L1"].write = {6400, 6400, 6400};
  regions.back().bytes["DRAM"].read = {6400, 6400, 6400};
  regions.back().bytes["DRAM"].write = {3200, 3200, 3200};
  const auto rows = emulated_rows(counts, kernels, 100, 6400);
  CHECK(row(rows, "f64_128_add", "flop.f64")->verdict() == Trust::trusted);
  CHECK(row(rows, "f32_128_mul", "flop.f32")->verdict() == Trust::untrusted);
  // A region that is not there was not counted: it is no zero.
  CHECK(row(rows, "integer", "instructions")->verdict() == Trust::not_counted);
  CHECK_FALSE(row(rows, "integer", "instructions")->reason.empty());
  CHECK(row(rows, "write", "bytes.L1.write")->verdict() == Trust::trusted);
  CHECK(row(rows, "write", "bytes.DRAM.read")->verdict() == Trust::trusted);
  CHECK(row(rows, "write", "bytes.DRAM.write")->verdict() == Trust::untrusted);
  CHECK(row(rows, "write", "bytes.L2.write")->verdict() == Trust::not_counted);
}

TEST_CASE("a table is tested on the kernels, and what counts wrongly is found") {
  // An 'event' is the execution of a kernel, and weighs what the kernel does: right for two
  // kernels, half of it for a third; all others look as if they did nothing.
  constexpr std::uint64_t iterations = 200'000;
  const Kernel right = kernel("f64_scalar_add"), also = kernel("f64_128_mul"),
               half = kernel("f32_scalar_add");
  const auto event = [](const Kernel& one) {
    return ordered_json{{"type", "breakpoint"},
                        {"breakpoint", "x"},
                        {"config", 0},
                        {"config1", reinterpret_cast<std::uintptr_t>(one.run)},
                        {"config2", sizeof(long)}};
  };
  const auto term = [&](const char* name, const Kernel& one, double share) {
    return ordered_json{{"weight", share * static_cast<double>(expected_work(one, iterations))},
                        {"event", name}};
  };
  const auto quantity = [](const char* name, ordered_json sum) {
    return ordered_json{{"quantity", name},
                        {"scope", "process"},
                        {"bound", "exact"},
                        {"counts", "retired"},
                        {"sum", std::move(sum)}};
  };
  ordered_json text = {{"schema", "roofmark-events/1"},
                       {"name", "made_up"},
                       {"about", "breakpoints"},
                       {"match", {{{"vendor", "X"}, {"family", 1}}}},
                       {"counters", {{"general", 4}}}};
  text["events"] = {{"right", event(right)},
                    {"also", event(also)},
                    {"half", event(half)},
                    {"core", {{"config", "0xc0"}, {"sysfs", "event=0xc0"}}}};
  text["quantities"] = ordered_json::array(
      {quantity("flop.f64", ordered_json::array({term("right", right, 1), term("also", also, 1)})),
       quantity("flop.f32", ordered_json::array({term("half", half, 0.5)})),
       quantity("flop.f16", ordered_json::array({term("also", also, 1)})),
       quantity("instructions",
                ordered_json::array({ordered_json{{"weight", 1}, {"event", "core"}}}))});
  text["sources"] = {"made up"};
  const auto table = event_table_from_json(text.dump(), "test");
  if (!table) FAIL(to_line(table.error()));
  TableMatch match;
  match.table = &*table;
  match.core_pmu = "no_such_pmu";
  HostFacts facts;
  facts.paranoid = 2;
  const PerfCheck checked = check_perf(match, {}, facts, true);
  const auto state = [&](const std::string& name) -> const QuantityState& {
    for (const QuantityState& one : checked.quantities)
      if (one.quantity == name) return one;
    FAIL("no state of " << name);
    return checked.quantities.front();
  };
  // Without the PMU of its cores, the table's other quantities still count.
  REQUIRE(state("instructions").problem);
  CHECK(state("instructions").problem->reason.find("no_such_pmu") != std::string::npos);
  if (const auto& refused = state("flop.f64").problem) {
    WARN("not tested here: " << to_line(*refused));
    return;
  }
  CHECK_FALSE(state("flop.f32").problem);
  CHECK(row(checked.test.rows, "f64_scalar_add", "flop.f64")->counted == 8 * iterations);
  CHECK(row(checked.test.rows, "f64_scalar_add", "flop.f64")->verdict() == Trust::trusted);
  CHECK(row(checked.test.rows, "f64_128_mul", "flop.f64")->verdict() == Trust::trusted);
  CHECK(row(checked.test.rows, "f32_scalar_add", "flop.f32")->factor() == 0.5);
  CHECK(row(checked.test.rows, "f32_scalar_add", "flop.f32")->verdict() == Trust::untrusted);
  CHECK(row(checked.test.rows, "f64_128_add", "flop.f64")->counted == 0U);
  CHECK(row(checked.test.rows, "integer", "instructions") == nullptr);
  // FLOPs of a precision that a kernel has none of, and only there.
  REQUIRE(row(checked.test.rows, "f64_128_mul", "flop.f16") != nullptr);
  CHECK(row(checked.test.rows, "f64_128_mul", "flop.f16")->expected == 0);
  CHECK(row(checked.test.rows, "f64_128_mul", "flop.f16")->verdict() == Trust::untrusted);
  CHECK(row(checked.test.rows, "f64_scalar_add", "flop.f16") == nullptr);
}

#endif

TEST_CASE("events that do not fit are refused one by one, and the others count") {
  // Five breakpoints on four registers.
  static volatile long places[5];
  ordered_json text = {
      {"schema", "roofmark-events/1"}, {"name", "made_up"},
      {"about", "breakpoints"},        {"match", {{{"vendor", "X"}, {"family", 1}}}},
      {"counters", {{"general", 4}}},  {"sources", {"made up"}}};
  const char* quantities[] = {"flop.f64", "flop.f32", "flop.f16", "flop.bf16", "flop.x87"};
  for (int i = 0; i < 5; ++i) {
    const std::string name = "place" + std::to_string(i);
    text["events"][name] = {{"type", "breakpoint"},
                            {"breakpoint", "w"},
                            {"config", 0},
                            {"config1", reinterpret_cast<std::uintptr_t>(&places[i])},
                            {"config2", 8}};
    text["quantities"].push_back({{"quantity", quantities[i]},
                                  {"scope", "process"},
                                  {"bound", "exact"},
                                  {"counts", "retired"},
                                  {"sum", {{{"weight", 1}, {"event", name}}}}});
  }
  const auto table = event_table_from_json(text.dump(), "test");
  if (!table) FAIL(to_line(table.error()));
  TableMatch match;
  match.table = &*table;
  HostFacts facts;
  facts.paranoid = 2;
  const PerfCheck checked = check_perf(match, {}, facts, false);
  unsigned there = 0;
  for (const QuantityState& state : checked.quantities) {
    there += !state.problem;
    if (state.problem) CHECK_FALSE(state.problem->remedy.empty());
  }
  REQUIRE(checked.quantities.size() == 5);
  if (there == 0) {
    WARN("not tested here: " << to_line(*checked.quantities.front().problem));
    return;
  }
#if defined(__x86_64__)
  CHECK(there == 4);
  CHECK(checked.quantities.back().problem->reason.find("breakpoint registers") !=
        std::string::npos);
#endif
  CHECK(checked.test.rows.empty());
}
