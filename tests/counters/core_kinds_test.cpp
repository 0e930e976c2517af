// Machines with several kinds of cores: what is counted in which run, by the tables of hybrids and
// a kernel that the test makes.
#include <linux/perf_event.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "all_tables.hpp"
#include "analysis/counters/counter_plan.hpp"

using namespace roofmark;
namespace fs = std::filesystem;

namespace {

/// A hybrid as Linux shows it: PMUs of numbers that no event has by itself.
class Hybrid {
 public:
  Hybrid() {
    std::string name = (fs::temp_directory_path() / "roofmark-hybrid-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
    core("cpu_core", "4\n", "0-11\n");
    core("cpu_atom", "10\n", "12-19\n");
    put("uncore_imc_free_running_0/type", "30\n");
    put("uncore_imc_free_running_0/cpumask", "0\n");
    put("uncore_imc_free_running_0/format/event", "config:0-7\n");
    put("uncore_imc_free_running_0/format/umask", "config:8-15\n");
    for (const char* alias : {"data_read", "data_write"}) {
      const std::string file = std::string("uncore_imc_free_running_0/events/") + alias;
      put(file, "event=0xff,umask=0x20\n");
      put(file + ".scale", "6.103515625e-5\n");
      put(file + ".unit", "MiB\n");
    }
  }
  ~Hybrid() { fs::remove_all(root_); }
  Hybrid(const Hybrid&) = delete;
  Hybrid& operator=(const Hybrid&) = delete;

  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  /// The kinds of cores of a processor in its tables.
  static std::vector<KindOfCore> kinds(unsigned model) {
    std::ifstream file(std::string(ROOFMARK_CPUINFO) + "/alder_lake.txt");
    std::ostringstream text;
    text << file.rdbuf();
    std::vector<CpuIdentity> cpus = read_cpuinfo(text.str());
    for (CpuIdentity& cpu : cpus) cpu.model = model;
    std::vector<KindOfCore> made;
    for (const TableMatch& match :
         match_tables(all_tables(), cpus, {"cpu_atom", "cpu_core", "uncore_imc_free_running_0"}))
      made.push_back({match, {}});
    return made;
  }

  PlanOptions options() const {
    PlanOptions made;
    made.devices = root_;
    made.cpus = root_;
    return made;
  }

 private:
  void core(const std::string& name, const char* type, const char* cpus) const {
    put(name + "/type", type);
    put(name + "/cpus", cpus);
    put(name + "/format/event", "config:0-7\n");
    put(name + "/format/umask", "config:8-15\n");
    put(name + "/format/offcore_rsp", "config1:0-63\n");
  }

  fs::path root_;
};

constexpr unsigned alder_lake = 151, meteor_lake = 170, lunar_lake = 189;

const Formula* formula_of(const CounterPlan& plan, const std::string& quantity,
                          Scope scope = Scope::process) {
  for (const Formula* formula : plan.formulas)
    if (formula->quantity == quantity && formula->scope == scope) return formula;
  return nullptr;
}

/// Passes that have an event.
std::set<unsigned> passes_with(const CounterPlan& plan, const std::string& event) {
  std::set<unsigned> passes;
  for (const PlannedGroup& group : plan.groups)
    for (const PlannedEvent& planned : group.events)
      if (planned.name == event) passes.insert(group.pass);
  return passes;
}

unsigned kind_named(const CounterPlan& plan, const std::string& words) {
  for (unsigned kind = 0; kind < plan.kinds.size(); ++kind)
    if (plan.kinds[kind].words == words) return kind;
  FAIL("no kind " << words);
  return 0;
}

/// What holds for the plan of every hybrid.
void check_whole(const CounterPlan& plan, const std::vector<KindOfCore>& kinds,
                 const PlanOptions& options) {
  REQUIRE(plan.kinds.size() == 2);
  for (const Formula* formula : plan.formulas) {
    if (formula->scope == Scope::socket) continue;
    INFO(formula->quantity);
    // All events in one run, whichever kinds they are of.
    std::set<unsigned> common;
    for (unsigned pass = 0; pass < plan.passes; ++pass) common.insert(pass);
    for (const FormulaTerm& term : formula->sum) {
      const std::set<unsigned> with = passes_with(plan, term.event);
      std::erase_if(common, [&](unsigned pass) { return with.count(pass) == 0; });
      CHECK(term.event.rfind("cpu_", 0) == 0);
    }
    CHECK_FALSE(common.empty());
  }
  for (unsigned pass = 0; pass < plan.passes; ++pass)
    for (unsigned kind = 0; kind < 2; ++kind) {
      std::vector<std::string> events;
      for (const PlannedGroup& group : plan.groups) {
        if (group.pass != pass || group.kind != kind || group.cpu >= 0) continue;
        CHECK(group.pmu == plan.kinds[kind].pmu);
        CHECK(group.set == pass);
        for (const PlannedEvent& event : group.events) {
          CHECK(event.name.rfind(group.pmu + "/", 0) == 0);
          CHECK(event.numbers.type == (group.pmu == "cpu_core" ? 4 : 10));
          events.push_back(event.name.substr(group.pmu.size() + 1));
        }
      }
      CHECK_FALSE(events.empty());  // the witness at least
      CHECK(fit_together(*kinds[kind].match.table, events, options.occupancy));
    }
  for (unsigned pass = 0; pass < plan.passes; ++pass) CHECK(flat_plan(plan, pass));
}

}  // namespace

TEST_CASE("Alder Lake: E cores count no FLOPs, which is missed only where threads ran on them") {
  const Hybrid kernel;
  const auto kinds = Hybrid::kinds(alder_lake);
  const CounterPlan plan = plan_counters(kinds, kernel.options());
  check_whole(plan, kinds, kernel.options());
  const Formula* const flop = formula_of(plan, "flop.f64");
  REQUIRE(flop);
  CHECK(flop->sum.size() == 3);
  for (const FormulaTerm& term : flop->sum) CHECK(term.event.rfind("cpu_core/f64_", 0) == 0);
  REQUIRE(plan.lacks.count(flop) == 1);
  const Lack& lack = plan.lacks.at(flop).front();
  CHECK(plan.kinds[lack.kind].words == "E cores");
  CHECK(lack.problem.reason.find("Gracemont") != std::string::npos);
  // What both count has no lack, and the same name means another event on each.
  const Formula* const instructions = formula_of(plan, "instructions");
  REQUIRE(instructions);
  CHECK(instructions->sum.size() == 2);
  CHECK(plan.lacks.count(instructions) == 0);
  CHECK(evaluate(*instructions, {{"cpu_core/instructions", 70}, {"cpu_atom/instructions", 5}}) ==
        75U);
  CHECK_FALSE(evaluate(*instructions, {{"cpu_core/instructions", 70}}));
}

TEST_CASE("Meteor Lake: each kind has its own weights for FLOPs") {
  const Hybrid kernel;
  const auto kinds = Hybrid::kinds(meteor_lake);
  const CounterPlan plan = plan_counters(kinds, kernel.options());
  check_whole(plan, kinds, kernel.options());
  const Formula* const flop = formula_of(plan, "flop.f64");
  REQUIRE(flop);
  CHECK(plan.lacks.count(flop) == 0);
  CHECK(evaluate(*flop, {{"cpu_core/f64_scalar", 1},
                         {"cpu_core/f64_128", 10},
                         {"cpu_core/f64_256", 100},
                         {"cpu_atom/f64", 1000}}) == 1421U);
  CHECK(flop->fma_weight == 2.0);
  // A caveat that is one kind's alone says whose.
  const auto has = [&](const std::string& start, const std::string& part) {
    return std::any_of(flop->caveats.begin(), flop->caveats.end(), [&](const std::string& caveat) {
      return caveat.rfind(start, 0) == 0 && caveat.find(part) != std::string::npos;
    });
  };
  CHECK(has("P cores: ", "denormal"));
  CHECK(has("E cores: ", "multiply-add"));
}

TEST_CASE("Lunar Lake is planned as the others are") {
  const Hybrid kernel;
  const auto kinds = Hybrid::kinds(lunar_lake);
  check_whole(plan_counters(kinds, kernel.options()), kinds, kernel.options());
}

TEST_CASE("bounds of kinds that are added: the weaker one, and none of two that differ") {
  const Hybrid kernel;
  const auto kinds = Hybrid::kinds(alder_lake);
  const CounterPlan plan = plan_counters(kinds, kernel.options());
  CHECK(formula_of(plan, "instructions")->bound == Bound::exact);
  CHECK(formula_of(plan, "bytes.DRAM.read")->bound == Bound::lower);
  CHECK(formula_of(plan, "bytes.L3.write")->bound == Bound::upper);
}

TEST_CASE("a socket's memory controllers are asked once, whatever kinds of cores it has") {
  const Hybrid kernel;
  const auto kinds = Hybrid::kinds(alder_lake);
  const CounterPlan plan = plan_counters(kinds, kernel.options());
  const Formula* const read = formula_of(plan, "bytes.DRAM.read", Scope::socket);
  REQUIRE(read);
  CHECK(read->sum.front().event == "imc_free_read");
  CHECK(passes_with(plan, "imc_free_read").size() == 1);
  std::size_t of_package = 0;
  for (const PlannedGroup& group : plan.groups)
    if (group.cpu >= 0)
      for (const PlannedEvent& event : group.events) of_package += event.name == "imc_free_read";
  CHECK(of_package == 1);
}

TEST_CASE(
    "a run with events of one kind alone has the other's witness, with a counter of its own") {
  const Hybrid kernel;
  const auto kinds = Hybrid::kinds(alder_lake);
  PlanOptions options = kernel.options();
  options.wanted = {{"flop.f32", Scope::process}};
  const CounterPlan plan = plan_counters(kinds, options);
  CHECK(plan.passes == 1);
  REQUIRE(plan.groups.size() == 2);
  const PlannedGroup& witness = plan.groups[kind_named(plan, "E cores")];
  CHECK(witness.pmu == "cpu_atom");
  REQUIRE(witness.events.size() == 1);
  CHECK(witness.events[0].name == "cpu_atom/instructions");
  // Where that one is known not to open: another one.
  auto without = kinds;
  for (KindOfCore& kind : without)
    if (kind.match.table->name == "alder_lake_e")
      kind.refused.push_back({"instructions", Scope::process, {"refused", "", ""}});
  const CounterPlan other = plan_counters(without, options);
  CHECK(other.groups[kind_named(other, "E cores")].events[0].name == "cpu_atom/cycles");
}

TEST_CASE("what one kind refuses is that kind's lack, what all refuse is absent") {
  const Hybrid kernel;
  auto kinds = Hybrid::kinds(meteor_lake);
  const auto refuse = [&](std::size_t kind, const std::string& quantity) {
    kinds[kind].refused.push_back({quantity, Scope::process, {"it counts wrongly", "", "check"}});
  };
  refuse(0, "flop.f64");
  refuse(0, "flop.f32");
  refuse(1, "flop.f32");
  const CounterPlan plan = plan_counters(kinds, kernel.options());
  const Formula* const flop = formula_of(plan, "flop.f64");
  REQUIRE(flop);
  REQUIRE(plan.lacks.count(flop) == 1);
  CHECK(plan.lacks.at(flop).front().problem.reason == "it counts wrongly");
  for (const FormulaTerm& term : flop->sum)
    CHECK(term.event.rfind(plan.kinds[1].pmu + "/", 0) == 0);
  CHECK_FALSE(formula_of(plan, "flop.f32"));
  CHECK(std::any_of(plan.absent.begin(), plan.absent.end(), [](const UnplannedQuantity& entry) {
    return entry.quantity == "flop.f32" && entry.problem.reason == "it counts wrongly";
  }));
}

TEST_CASE("half of a formula in another run is no way to a quantity") {
  const Hybrid kernel;
  auto kinds = Hybrid::kinds(meteor_lake);
  EventTable narrow = *kinds[1].match.table;
  narrow.counters.general = narrow.counters.general_without_smt = 2;
  kinds[1].match.table = &narrow;
  const CounterPlan plan = plan_counters(kinds, kernel.options());
  const Formula* const flop = formula_of(plan, "flop.f64");
  REQUIRE(flop);
  REQUIRE(plan.lacks.count(flop) == 1);
  CHECK(plan.lacks.at(flop).front().problem.reason.find("don't fit") != std::string::npos);
}

TEST_CASE("one kind of core is planned as ever: names of the table, no sums") {
  const Hybrid kernel;
  const auto kinds = Hybrid::kinds(alder_lake);
  const CounterPlan plan = plan_counters({kinds[1]}, kernel.options());
  CHECK(plan.kinds.empty());
  CHECK(plan.sums.empty());
  CHECK(plan.lacks.empty());
  for (const PlannedGroup& group : plan.groups)
    for (const PlannedEvent& event : group.events) CHECK(event.name.find('/') == std::string::npos);
}
