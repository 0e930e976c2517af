// From a table and a kernel's description of its PMUs, which the test makes, to the flat plan.
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include <filesystem>
#include <fstream>

#include "../counters/table_text.hpp"
#include "analysis/counters/counter_plan.hpp"
#include "analysis/counters/pmu_device.hpp"
#include "catch.hpp"
#include "perf_support.hpp"

using namespace roofmark;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

/// A machine with two packages of two CPUs: `cpu` and two memory controllers in each package.
class FakeKernel {
 public:
  FakeKernel() {
    std::string name = (fs::temp_directory_path() / "roofmark-sysfs-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
    put("devices/cpu/type", "4\n");
    put("devices/cpu/format/event", "config:0-7\n");
    put("devices/cpu/format/umask", "config:8-15\n");
    for (const char* imc : {"uncore_imc_0", "uncore_imc_1"}) {
      const std::string folder = std::string("devices/") + imc;
      put(folder + "/type", std::string(imc).back() == '0' ? "20\n" : "21\n");
      put(folder + "/cpumask", "0,2\n");
      put(folder + "/format/event", "config:0-7\n");
      put(folder + "/format/umask", "config:8-15\n");
      put(folder + "/events/cas_count_read", "event=0x04,umask=0x03\n");
      put(folder + "/events/cas_count_read.scale", "6.103515625e-5\n");
      put(folder + "/events/cas_count_read.unit", "MiB\n");
    }
    for (int cpu = 0; cpu < 4; ++cpu)
      put("cpus/cpu" + std::to_string(cpu) + "/topology/physical_package_id",
          std::to_string(cpu / 2) + "\n");
  }
  ~FakeKernel() { fs::remove_all(root_); }
  FakeKernel(const FakeKernel&) = delete;
  FakeKernel& operator=(const FakeKernel&) = delete;

  void put(const std::string& path, const std::string& text) const {
    const fs::path file = root_ / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void remove(const std::string& path) const { fs::remove_all(root_ / path); }
  fs::path device(const char* name) const { return root_ / "devices" / name; }
  PlanOptions options() const {
    PlanOptions made;
    made.devices = root_ / "devices";
    made.cpus = root_ / "cpus";
    return made;
  }

 private:
  fs::path root_;
};

struct Table {
  explicit Table(const ordered_json& text = small_table()) {
    auto read = event_table_from_json(text.dump(), "test");
    if (!read) FAIL(to_line(read.error()));
    table = std::move(*read);
    match.table = &table;
    match.core_pmu = "cpu";
    match.pmus = {"cpu"};
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  EventTable table;
  TableMatch match;
};

const PlannedGroup& group_of(const CounterPlan& plan, const char* pmu, int cpu = -1) {
  for (const PlannedGroup& group : plan.groups)
    if (group.pmu == pmu && group.cpu == cpu) return group;
  FAIL("no group of " << pmu << " on " << cpu);
  return plan.groups.front();
}

const Problem* absence(const CounterPlan& plan, const std::string& quantity) {
  for (const UnplannedQuantity& entry : plan.absent)
    if (entry.quantity == quantity) return &entry.problem;
  return nullptr;
}

perf::Difference counted(std::initializer_list<std::uint64_t> values,
                         perf::Ran ran = perf::Ran::whole) {
  perf::Difference difference;
  difference.ran = ran;
  for (const std::uint64_t value : values) difference.values[difference.count++] = value;
  return difference;
}

}  // namespace

TEST_CASE("uncore PMUs are opened once per package by their alias") {
  const FakeKernel kernel;
  const Table table;
  PlanOptions options = kernel.options();
  options.wanted = {{"bytes.DRAM.read", Scope::socket}};
  const CounterPlan plan = plan_counters(table.match, options);
  CHECK(plan.passes == 1);
  CHECK(plan.absent.empty());
  REQUIRE(plan.groups.size() == 4);
  const PlannedGroup& second = group_of(plan, "uncore_imc_1", 2);
  CHECK(second.package == 1);
  REQUIRE(second.events.size() == 1);
  CHECK(second.events[0].numbers.type == 21);
  CHECK(second.events[0].numbers.config == 0x304);
  CHECK(second.events[0].numbers.exclude == 0);

  // 64 B a count; a socket's channels are summed, and the sockets.
  const std::vector<GroupCounts> counts = {
      {0, counted({10})}, {1, counted({20})}, {2, counted({300})}, {3, counted({4000})}};
  const auto total = [&](int package) {
    return *evaluate(*plan.formulas.front(), event_counts(plan, counts, Scope::socket, package));
  };
  CHECK(total(-1) == 64 * 4330);
  std::uint64_t first_package = 0;
  for (const GroupCounts& entry : counts)
    if (plan.groups[entry.group].package == 0) first_package += entry.counts.values[0];
  CHECK(total(0) == 64 * first_package);
  CHECK(total(0) + total(1) == total(-1));
}

TEST_CASE("a channel that was not counted makes the socket's count absent, not smaller") {
  const FakeKernel kernel;
  const Table table;
  PlanOptions options = kernel.options();
  options.wanted = {{"bytes.DRAM.read", Scope::socket}};
  const CounterPlan plan = plan_counters(table.match, options);
  CHECK(event_counts(plan, {{0, counted({10})}, {1, counted({20})}}, Scope::socket).empty());
  for (const perf::Ran ran : {perf::Ran::part, perf::Ran::not_at_all})
    CHECK(event_counts(
              plan,
              {{0, counted({1})}, {1, counted({2})}, {2, counted({3})}, {3, counted({4}, ran)}},
              Scope::socket)
              .empty());
}

TEST_CASE("what ran in part is scaled only for who asks, and it is said by how much") {
  const FakeKernel kernel;
  const Table table;
  PlanOptions options = kernel.options();
  options.wanted = {{"flop.f64", Scope::process}};
  const CounterPlan plan = plan_counters(table.match, options);
  REQUIRE(plan.groups.size() == 1);
  perf::Difference part = counted({100, 10}, perf::Ran::part);
  part.enabled_ns = 1000;
  part.running_ns = 250;
  CHECK(event_counts(plan, {{0, part}}, Scope::process).empty());
  const ScaledCounts scaled = scaled_event_counts(plan, {{0, part}}, Scope::process);
  CHECK(scaled.counts == EventCounts{{"scalar", 400}, {"packed", 40}});
  CHECK(scaled.largest_factor == 4);
  // What did not run has nothing to be scaled.
  part.ran = perf::Ran::not_at_all;
  CHECK(scaled_event_counts(plan, {{0, part}}, Scope::process).counts.empty());
  const ScaledCounts whole = scaled_event_counts(plan, {{0, counted({100, 10})}}, Scope::process);
  CHECK(whole.counts == EventCounts{{"scalar", 100}, {"packed", 10}});
  CHECK(whole.largest_factor == 1);
}

TEST_CASE("an alias of another meaning is not believed") {
  const FakeKernel kernel;
  const Table table;
  PlanOptions options = kernel.options();
  options.wanted = {{"bytes.DRAM.read", Scope::socket}};
  kernel.put("devices/uncore_imc_1/events/cas_count_read.scale", "3.0517578125e-5\n");
  // The other formula of this quantity is the core's, which this fake kernel has.
  const CounterPlan plan = plan_counters(table.match, options);
  REQUIRE(plan.formulas.size() == 1);
  CHECK(plan.formulas[0]->bound == Bound::estimate);
  kernel.put("devices/uncore_imc_1/events/cas_count_read.scale", "6.10351562500000000e-05\n");
  kernel.put("devices/uncore_imc_1/events/cas_count_read.unit", "MB\n");
  CHECK(plan_counters(table.match, options).formulas[0]->bound == Bound::estimate);
}

TEST_CASE("what the kernel does not have is absent with the reason") {
  const FakeKernel kernel;
  ordered_json text = small_table();
  text["quantities"].erase(4);
  const Table table(text);
  PlanOptions options = kernel.options();
  options.wanted = {{"bytes.DRAM.read", Scope::socket},
                    {"bytes.DRAM.write", Scope::process},
                    {"flop.f16", Scope::process}};
  kernel.put("devices/uncore_imc_0/cpumask", "x\n");
  CHECK(absence(plan_counters(table.match, options), "bytes.DRAM.read")->reason.find("cpumask") !=
        std::string::npos);
  kernel.remove("devices/uncore_imc_0/cpumask");
  CHECK(absence(plan_counters(table.match, options), "bytes.DRAM.read")
            ->reason.find("names no CPU") != std::string::npos);
  kernel.remove("devices/uncore_imc_0");
  kernel.remove("devices/uncore_imc_1");
  const CounterPlan plan = plan_counters(table.match, options);
  CHECK(plan.groups.empty());
  CHECK(plan.passes == 0);
  CHECK(absence(plan, "bytes.DRAM.read")->reason.find("no PMU `uncore_imc_*`") !=
        std::string::npos);
  CHECK(absence(plan, "bytes.DRAM.write")->reason == "no such event");
  CHECK(absence(plan, "flop.f16")->where == "flop.f16");
}

TEST_CASE("what does not fit at once takes another pass, and a formula stays together") {
  const FakeKernel kernel;
  const Table table;
  const CounterPlan plan = plan_counters(table.match, kernel.options());
  // `fills` and `merged` share one resource: two passes for their difference.
  CHECK(plan.passes == 2);
  unsigned with_scalar = 0;
  for (const PlannedGroup& group : plan.groups)
    for (const PlannedEvent& event : group.events) {
      with_scalar += event.name == "scalar";
      if (event.name != "scalar") continue;
      CHECK(event.numbers.exclude == (perf::exclude_kernel | perf::exclude_hypervisor));
      CHECK(event.numbers.config == 0x1c7);
      CHECK(event.numbers.type == PERF_TYPE_RAW);
      // The same pass has the other event of flop.f64.
      CHECK(std::any_of(group.events.begin(), group.events.end(),
                        [](const PlannedEvent& other) { return other.name == "packed"; }));
    }
  CHECK(with_scalar == 1);
  for (unsigned pass = 0; pass < plan.passes; ++pass) {
    const auto flat = flat_plan(plan, pass);
    REQUIRE(flat);
    const std::string text = plan_text(*flat);
    perf::FlatPlan read;
    unsigned line = 0;
    REQUIRE(perf::parse_plan(text.data(), text.size(), read, line) == nullptr);
    CHECK(plan_text(read) == text);
    CHECK(read.group_count == flat->group_count);
  }
}

TEST_CASE("a hybrid's events carry the number of their PMU") {
  const FakeKernel kernel;
  ordered_json text = small_table();
  text["events"]["generic"] = {{"type", "hardware"}, {"config", "0x1"}};
  text["quantities"].push_back({{"quantity", "instructions"},
                                {"scope", "process"},
                                {"bound", "exact"},
                                {"counts", "retired"},
                                {"sum", {{{"weight", 1}, {"event", "generic"}}}}});
  Table table(text);
  kernel.put("devices/cpu_core/type", "10\n");
  kernel.put("devices/cpu_core/format/rdpmc", "config1:1\n");
  table.match.pmus = {"cpu_core"};
  PlanOptions options = kernel.options();
  options.wanted = {{"flop.f64", Scope::process}, {"instructions", Scope::process}};
  options.ask_user_reads = true;
  const CounterPlan plan = plan_counters(table.match, options);
  REQUIRE(plan.groups.size() == 1);
  const auto& events = plan.groups[0].events;
  REQUIRE(events.size() == 3);
  CHECK(events[0].numbers.type == 10);
  CHECK(events[0].numbers.config1 == 2);
  CHECK(events[2].numbers.type == PERF_TYPE_HARDWARE);
  CHECK(events[2].numbers.config == ((std::uint64_t{10} << 32) | 1));
}

TEST_CASE("without a PMU every quantity of the cores is absent") {
  const FakeKernel kernel;
  Table table;
  table.match.pmus.clear();
  PlanOptions options = kernel.options();
  options.wanted = {{"flop.f64", Scope::process}};
  const CounterPlan plan = plan_counters(table.match, options);
  CHECK(plan.formulas.empty());
  REQUIRE(absence(plan, "flop.f64") != nullptr);
  CHECK(absence(plan, "flop.f64")->reason == "the kernel has no PMU `cpu`");
}

TEST_CASE("a table of breakpoints counts FLOPs from the plan's text to the quantity") {
  // What a function does is made known by where it is: 3 FLOPs an execution.
  using perf_test::watched_function;
  ordered_json text = small_table();
  text["events"] = {{"calls",
                     {{"type", "breakpoint"},
                      {"breakpoint", "x"},
                      {"config", 0},
                      {"config1", reinterpret_cast<std::uintptr_t>(&watched_function)},
                      {"config2", sizeof(long)}}},
                    {"faults", {{"type", "software"}, {"config", PERF_COUNT_SW_PAGE_FAULTS}}}};
  text["quantities"] = ordered_json::parse(R"([
    {"quantity": "flop.f64", "scope": "process", "bound": "exact", "counts": "retired", "sum": [{"weight": 3, "event": "calls"}]},
    {"quantity": "bytes.DRAM.read", "scope": "process", "bound": "exact", "counts": "lines", "sum": [{"weight": 4096, "event": "faults"}]}])");
  text["counters"].erase("limits");
  const Table table(text);
  const FakeKernel kernel;
  const CounterPlan plan = plan_counters(table.match, kernel.options());
  REQUIRE(plan.groups.size() == 2);
  const auto written = flat_plan(plan, 0);
  REQUIRE(written);
  const std::string handed = plan_text(*written);
  perf::FlatPlan flat;
  unsigned line = 0;
  REQUIRE(perf::parse_plan(handed.data(), handed.size(), flat, line) == nullptr);
  if (!perf_test::counts_here(flat)) return;
  std::vector<perf::Group> groups(flat.group_count);
  std::vector<perf::Reading> before(flat.group_count), after(flat.group_count);
  for (unsigned g = 0; g < flat.group_count; ++g)
    REQUIRE_FALSE(perf::open_group(flat, g, 0, groups[g]));
  for (unsigned g = 0; g < flat.group_count; ++g)
    CHECK(perf::read_group(groups[g], true, before[g]) == 0);
  for (int i = 0; i < 1000; ++i) watched_function();
  for (unsigned g = 0; g < flat.group_count; ++g)
    CHECK(perf::read_group(groups[g], true, after[g]) == 0);
  std::vector<GroupCounts> counts;
  for (unsigned g = 0; g < flat.group_count; ++g) {
    counts.push_back({g, perf::difference(before[g], after[g])});
    perf::close_group(groups[g]);
  }
  const auto quantities = evaluate_all(table.table, event_counts(plan, counts, Scope::process));
  CHECK(quantities[0].quantity == "flop.f64");
  CHECK(quantities[0].value == 3000U);
  CHECK(quantities[1].value.has_value());
}

TEST_CASE("lists of CPUs") {
  CHECK(parse_cpu_list("0-3,8") == std::vector<int>{0, 1, 2, 3, 8});
  CHECK(parse_cpu_list("0") == std::vector<int>{0});
  CHECK(parse_cpu_list("") == std::vector<int>{});
  for (const char* bad : {"-1", "3-1", "a", "0,,1", "0-", "1-99999999"})
    CHECK_FALSE(parse_cpu_list(bad));
}

TEST_CASE("a PMU is read as the kernel writes it, or refused") {
  const FakeKernel kernel;
  const auto pmu = read_pmu_device(kernel.device("uncore_imc_0"));
  REQUIRE(pmu);
  CHECK(pmu->type == 20);
  CHECK(pmu->cpus == std::vector<int>{0, 2});
  CHECK(pmu->aliases.size() == 1);
  CHECK(pmu->aliases.at("cas_count_read").scale == 6.103515625e-5);
  kernel.put("devices/uncore_imc_0/type", "x\n");
  CHECK_FALSE(read_pmu_device(kernel.device("uncore_imc_0")));
  CHECK_FALSE(read_pmu_device(kernel.device("none")));
}

TEST_CASE("a common event of Arm that the processor does not have is not believed") {
  PmuDevice pmu;
  pmu.name = "armv8_pmuv3_0";
  pmu.format = {{"event", "config:0-15"}};
  pmu.aliases["inst_retired"] = {"event=0x0008", std::nullopt, ""};
  CHECK_FALSE(why_not_implemented({0x08, 1, 0}, pmu));
  const auto why = why_not_implemented({0x37, 0, 0}, pmu);
  REQUIRE(why);
  CHECK(why->reason.find("0x37") != std::string::npos);
  // Events that a processor may have beside the common ones are in no list.
  CHECK_FALSE(why_not_implemented({0x74, 0, 0}, pmu));
  CHECK_FALSE(why_not_implemented({0x80c0, 0, 0}, pmu));
  // A kernel that lists none, and other architectures.
  PmuDevice bare = pmu, intel = pmu;
  bare.aliases.clear();
  intel.name = "cpu";
  CHECK_FALSE(why_not_implemented({0x37, 0, 0}, bare));
  CHECK_FALSE(why_not_implemented({0x37, 0, 0}, intel));
}
