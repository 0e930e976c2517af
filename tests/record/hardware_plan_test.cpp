// From tables, the kernel's PMUs and what `roofmark check` found to what is counted in which run.
#include <analysis/check/trust.hpp>
#include <analysis/record/hardware_plan.hpp>
#include <fstream>

#include "catch.hpp"
#include "collectors/perf/group.hpp"
#include "support.hpp"

using namespace roofmark;

namespace {

namespace fs = std::filesystem;

constexpr const char* table = R"({
  "schema": "roofmark-events/1", "name": "made_up", "about": "page faults",
  "match": [{"vendor": "AuthenticAMD", "family": 25, "core_pmu": "software"}],
  "counters": {"general": 2, "limits": {"one": 2}},
  "events": {
    "faults": {"type": "software", "config": "0x2", "uses": ["one"]},
    "minor": {"type": "software", "config": "0x5", "uses": ["one"]},
    "major": {"type": "software", "config": "0x6", "uses": ["one"]},
    "nobody": {"type": "software", "config": "0xff"}
  },
  "quantities": [
    {"quantity": "flop.f64", "scope": "process", "bound": "exact", "counts": "retired", "fma_weight": 2,
     "sum": [{"weight": 1, "event": "faults"}, {"weight": 2, "event": "minor"}]},
    {"quantity": "bytes.DRAM.read", "scope": "process", "bound": "lower", "counts": "lines",
     "sum": [{"weight": 64, "event": "major"}]},
    {"quantity": "bytes.L2.read", "scope": "process", "bound": "exact", "counts": "lines",
     "sum": [{"weight": 64, "event": "nobody"}]}
  ],
  "not_countable": [{"quantities": ["bytes.DRAM.write"], "reason": "no such event", "remedy": "count otherwise"}],
  "sources": ["made up"]
})";

constexpr const char* cpuinfo =
    "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 97\n"
    "stepping\t: 2\nmicrocode\t: 0x1\n";

struct Host {
  Host() {
    fs::create_directories(folder / "events");
    fs::create_directories(folder / "devices" / "software");
    write(folder / "devices" / "software" / "type", "1\n");
    write(folder / "events" / "made_up.json", table);
    write(folder / "cpuinfo", cpuinfo);
    options.installed_tables = folder / "events";
    options.cpuinfo = folder / "cpuinfo";
    options.devices = folder / "devices";
    options.findings = folder / "findings";
    unsetenv("ROOFMARK_EVENTS");
    setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
  }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

  test::TemporaryDirectory temporary;
  fs::path folder = temporary.path();
  HardwareOptions options;
};

bool countable() {
  perf::FlatPlan plan;
  plan.group_count = plan.event_count = 1;
  plan.groups[0] = {-1, 0, 1};
  plan.events[0] = {1, 3, 0, 2, 0, 0};
  perf::Group group;
  const perf::Refusal refusal = perf::open_group(plan, 0, 0, group);
  perf::close_group(group);
  if (refusal) WARN("not tested here: perf_event_open gives errno " << refusal.error);
  return !refusal;
}

const Missing* absent(const MeasuredPasses& passes, const std::string& quantity) {
  for (const Missing& one : passes.absent)
    if (one.quantity == quantity) return &one;
  return nullptr;
}

}  // namespace

TEST_CASE("what opens and runs is planned, the rest is absent with its reason") {
  if (!countable()) return;
  Host machine;
  const auto plan = plan_hardware(machine.options);
  REQUIRE(plan);
  CHECK(plan->counts_flop);
  CHECK(plan->passes.plan.passes == 2);
  CHECK(plan->passes.plan.formulas.size() == 2);
  CHECK(pass_text(plan->passes.plan, 0)->rfind("roofmark-perf/1\ngroup thread 2\n", 0) == 0);
  REQUIRE(absent(plan->passes, "bytes.L2.read"));
  REQUIRE(absent(plan->passes, "bytes.DRAM.write"));
  CHECK(absent(plan->passes, "bytes.DRAM.write")->fix == "count otherwise");
  CHECK_FALSE(absent(plan->passes, "flop.f64"));
  // Groups are named to the reader as the runtime numbers them.
  const Problem why = plan->passes.explain({24, 0, 1}, 1);
  CHECK(why.reason.find("limit of open files") != std::string::npos);
}

TEST_CASE("one run holds all events where the user wants it, or only what fits") {
  if (!countable()) return;
  Host machine;
  machine.options.multiplex = true;
  const auto all = plan_hardware(machine.options);
  REQUIRE(all);
  CHECK(all->passes.plan.passes == 1);
  CHECK(all->passes.multiplexed);
  CHECK(all->passes.plan.formulas.size() == 2);
  CHECK(pass_text(all->passes.plan, 0)->find("end 3") != std::string::npos);
  machine.options.multiplex = false;
  machine.options.once = true;
  const auto once = plan_hardware(machine.options);
  REQUIRE(once);
  CHECK(once->passes.plan.passes == 1);
  CHECK(once->passes.plan.formulas.size() == 1);
  REQUIRE(absent(once->passes, "bytes.DRAM.read"));
  CHECK(absent(once->passes, "bytes.DRAM.read")->reason.find("--once") != std::string::npos);
}

TEST_CASE("an event that the self-test found wrong is never used silently") {
  if (!countable()) return;
  Host machine;
  check::SelfTestRow row{"perf", "flop.f64", "f64_256_fma", 1000, 1500, ""};
  REQUIRE_FALSE(check::save_findings(*machine.options.findings, check::trust_key(cpuinfo), {row}));
  const auto plan = plan_hardware(machine.options);
  REQUIRE(plan);
  CHECK_FALSE(plan->counts_flop);
  REQUIRE(absent(plan->passes, "flop.f64"));
  CHECK(absent(plan->passes, "flop.f64")->reason.find("1.5 of the true number") !=
        std::string::npos);
  for (const Formula* formula : plan->passes.plan.formulas) CHECK(formula->quantity != "flop.f64");
}

namespace {

/// Two kinds of cores whose PMUs are the kernel's own software events: raw events of theirs open.
struct Hybrid : Host {
  Hybrid() {
    fs::remove(folder / "events" / "made_up.json");
    for (const char* pmu : {"cpu_core", "cpu_atom"}) {
      fs::create_directories(folder / "devices" / pmu / "format");
      write(folder / "devices" / pmu / "type", "1\n");
      write(folder / "devices" / pmu / "format" / "event", "config:0-7\n");
    }
    kind("p", "P", "cpu_core", R"({"faults": {"config": "0x2"}, "minor": {"config": "0x5"}})",
         R"([{"weight": 1, "event": "faults"}, {"weight": 2, "event": "minor"}])");
  }
  void kind(const std::string& name, const std::string& type, const std::string& pmu,
            const std::string& events, const std::string& flop) const {
    const std::string quantity = R"({"scope": "process", "bound": "exact", "counts": "retired", )";
    const std::string lines = quantity +
                              R"("quantity": "bytes.DRAM.read", "sum": [{"weight": 64, "event": )"
                              R"("faults"}]})";
    const std::string flops =
        flop.empty() ? "" : ", " + quantity + R"("quantity": "flop.f64", "sum": )" + flop + "}";
    const std::string none =
        flop.empty() ? R"("not_countable": [{"quantities": ["flop.f64"], "reason": "no event", )"
                       R"("remedy": "bind"}], )"
                     : "";
    write(folder / "events" / (name + ".json"),
          R"({"schema": "roofmark-events/1", "name": ")" + name + R"(", "about": "made up", )" +
              R"("core_type": ")" + type +
              R"(", "match": [{"vendor": "AuthenticAMD", "family": 25, "core_pmu": ")" + pmu +
              R"("}], "counters": {"general": 2}, "events": )" + events + R"(, "quantities": [)" +
              lines + flops + "], " + none + R"("sources": ["made up"]})");
  }
};

}  // namespace

TEST_CASE("several kinds of cores: each one's events open, in one run, by the PMU's name") {
  if (!countable()) return;
  Hybrid machine;
  machine.kind("e", "E", "cpu_atom", R"({"faults": {"config": "0x2"}, "major": {"config": "0x6"}})",
               R"([{"weight": 3, "event": "major"}])");
  const auto plan = plan_hardware(machine.options);
  REQUIRE(plan);
  CHECK(plan->counts_flop);
  const CounterPlan& counted = plan->passes.plan;
  CHECK(counted.passes == 1);
  CHECK(counted.kinds.size() == 2);
  CHECK(counted.lacks.empty());
  REQUIRE(counted.groups.size() == 2);
  for (const PlannedGroup& group : counted.groups)
    for (const PlannedEvent& event : group.events) CHECK(event.name.rfind(group.pmu + "/", 0) == 0);
  CHECK(plan->passes.absent.empty());
  // A refusal is told with the name that tells the kinds apart.
  CHECK(to_line(plan->passes.explain({2, 1, 0}, 0)).find(counted.groups[1].pmu) !=
        std::string::npos);
}

TEST_CASE("several kinds of cores: what one can't count is its lack, and FLOPs are still planned") {
  if (!countable()) return;
  Hybrid machine;
  machine.kind("e", "E", "cpu_atom", R"({"faults": {"config": "0x2"}})", "");
  const auto plan = plan_hardware(machine.options);
  REQUIRE(plan);
  CHECK(plan->counts_flop);
  CHECK_FALSE(absent(plan->passes, "flop.f64"));
  REQUIRE(plan->passes.plan.lacks.size() == 1);
  CHECK(plan->passes.plan.lacks.begin()->second.front().problem.reason == "no event");
  // An event that does not open is a lack as well.
  machine.kind("e", "E", "cpu_atom",
               R"({"faults": {"config": "0x2"}, "nobody": {"config": "0xff"}})",
               R"([{"weight": 1, "event": "nobody"}])");
  const auto refused = plan_hardware(machine.options);
  REQUIRE(refused);
  REQUIRE(refused->passes.plan.lacks.size() == 1);
  CHECK_FALSE(refused->passes.plan.lacks.begin()->second.front().problem.reason.empty());
}

TEST_CASE("several kinds of cores that share a PMU, or that PAPI is to count, are refused") {
  if (!countable()) return;
  Hybrid machine;
  machine.kind("e", "E", "cpu_core", R"({"faults": {"config": "0x2"}})", "");
  const auto shared = plan_hardware(machine.options);
  REQUIRE_FALSE(shared);
  CHECK(shared.error().reason.find("does not tell apart") != std::string::npos);
  machine.kind("e", "E", "cpu_atom", R"({"faults": {"config": "0x2"}})", "");
  machine.options.by_papi = true;
  const auto by_papi = plan_hardware(machine.options);
  REQUIRE_FALSE(by_papi);
  CHECK(by_papi.error().reason ==
        "PAPI can't count several kinds of cores (e, p) together: a thread has one running set of "
        "its events, and that counts one kind");
  CHECK(by_papi.error().remedy == "--counters perf");
}

TEST_CASE("no table, and no PMU, are problems with a remedy") {
  Host machine;
  Host::write(machine.options.cpuinfo, "processor\t: 0\nvendor_id\t: Nobody\ncpu family\t: 1\n");
  const auto no_table = plan_hardware(machine.options);
  REQUIRE_FALSE(no_table);
  CHECK(no_table.error().reason.find("no event table") != std::string::npos);
  Host::write(machine.options.cpuinfo, cpuinfo);
  fs::remove_all(machine.options.devices / "software");
  const auto no_pmu = plan_hardware(machine.options);
  REQUIRE_FALSE(no_pmu);
  CHECK_FALSE(no_pmu.error().remedy.empty());
}

TEST_CASE("a damaged table is told and hides nothing") {
  if (!countable()) return;
  Host machine;
  Host::write(machine.folder / "events" / "broken.json", "{");
  std::string said;
  machine.options.tell = [&](const std::string& line) { said += line; };
  CHECK(plan_hardware(machine.options));
  CHECK(said.find("broken.json") != std::string::npos);
}
