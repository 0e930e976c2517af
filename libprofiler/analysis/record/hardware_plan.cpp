#include "hardware_plan.hpp"
#include "analysis/files/read_file.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/prctl.h>

#include <algorithm>
#include <analysis/check/self_test.hpp>
#include <analysis/check/trust.hpp>
#include <analysis/counters/events_text.hpp>
#include <analysis/counters/host_facts.hpp>
#include <analysis/counters/pmu_device.hpp>
#include <analysis/record/hardware_kinds.hpp>
#include <collectors/papi/events.hpp>
#include <collectors/papi/tables.hpp>
#include <collectors/perf/explain.hpp>
#include <fstream>
#include <sstream>

namespace roofmark {
namespace {

/// Of several reasons the first that somebody can do something about.
const Problem& why_nothing_counts(const std::vector<UnplannedQuantity>& absent) {
  const auto changeable =
      std::find_if(absent.begin(), absent.end(),
                   [](const UnplannedQuantity& entry) { return can_be_changed(entry.problem); });
  return (changeable == absent.end() ? absent.front() : *changeable).problem;
}

namespace fs = std::filesystem;

bool smt_active(const fs::path& root) {
  std::ifstream file(root / "sys/devices/system/cpu/smt/active");
  int active = 1;
  // Where the kernel does not say, the smaller number of counters is the safe one.
  return !(file >> active) || active != 0;
}

Missing missing(const std::string& quantity, const Problem& problem) {
  return {quantity, problem.reason, problem.remedy};
}

std::string scoped(const std::string& quantity, Scope scope) {
  return scope == Scope::socket ? quantity + " (socket)" : quantity;
}

/// What the table's variables are here. The vector length of SVE is the kernel's to say.
VariableValues variables_here() {
  VariableValues values;
#if defined(__aarch64__) && defined(PR_SVE_GET_VL)
  const int length = prctl(PR_SVE_GET_VL);
  if (length > 0) values["sve_vectors"] = static_cast<double>(length & PR_SVE_VL_LEN_MASK) / 16;
#endif
  return values;
}

/// All events in one pass: the kernel gives each group a part of the time.
void put_in_one_pass(CounterPlan& plan) {
  for (PlannedGroup& group : plan.groups) group.pass = 0;
  plan.passes = std::min(plan.passes, 1U);
}

/// What does not fit the first pass, where no other is made.
void leave_later_passes(CounterPlan& plan, std::vector<Missing>& absent) {
  const auto in_first = [&](const Formula& formula) {
    return std::all_of(formula.sum.begin(), formula.sum.end(), [&](const FormulaTerm& term) {
      return std::any_of(plan.groups.begin(), plan.groups.end(), [&](const PlannedGroup& group) {
        return group.pass == 0 &&
               std::any_of(group.events.begin(), group.events.end(),
                           [&](const PlannedEvent& event) { return event.name == term.event; });
      });
    });
  };
  std::erase_if(plan.formulas, [&](const Formula* formula) {
    if (in_first(*formula)) return false;
    absent.push_back({formula->quantity,
                      "its events don't fit the counters of one run, and the program was to run "
                      "only once (--once)",
                      "leave out --once, or add --multiplex"});
    return true;
  });
  std::erase_if(plan.groups, [](const PlannedGroup& group) { return group.pass != 0; });
  plan.passes = std::min(plan.passes, 1U);
}

/// The same quantities by PAPI, of processes alone.
Result<HardwarePlan> plan_by_papi(std::shared_ptr<const EventTables> tables,
                                  const EventTable& table,
                                  const std::vector<check::Finding>& findings,
                                  const HardwareOptions& options) {
  HardwarePlan made;
  MeasuredPasses& passes = made.passes;
  std::vector<WantedQuantity> wanted;
  for (const Formula& formula : table.formulas) {
    if (formula.scope != Scope::process) continue;
    const check::Finding* finding = check::distrust(findings, "perf", formula.quantity);
    if (finding == nullptr) finding = check::distrust(findings, "papi", formula.quantity);
    if (finding != nullptr)
      passes.absent.push_back({formula.quantity, untrusted(*finding), "--counters emulated"});
    else
      wanted.emplace_back(formula.quantity, formula.scope);
  }
  if (wanted.empty() && !passes.absent.empty())
    return tl::unexpected(Problem{passes.absent.front().reason, "", passes.absent.front().fix});
  if (wanted.empty())
    return tl::unexpected(
        Problem{"the event table " + table.name + " has no quantity", "", "roofmark events"});
  auto planned = papi::plan_table(table, wanted, papi::questions_of_library());
  if (!planned) return tl::unexpected(planned.error());
  if (planned->plan.formulas.empty())
    return tl::unexpected(
        planned->plan.absent.empty()
            ? Problem{"PAPI counts none of the table's events", "", "roofmark check"}
            : why_nothing_counts(planned->plan.absent));
  passes.collector = "papi";
  passes.tables = std::move(tables);
  passes.variables = variables_here();
  passes.plan = std::move(planned->plan);
  passes.texts = std::move(planned->texts);
  for (const UnplannedQuantity& entry : passes.plan.absent)
    passes.absent.push_back(missing(entry.quantity, entry.problem));
  if (options.once) leave_later_passes(passes.plan, passes.absent);
  made.counts_flop =
      std::any_of(passes.plan.formulas.begin(), passes.plan.formulas.end(),
                  [](const Formula* formula) { return formula->quantity.rfind("flop.", 0) == 0; });
  const std::vector<PlannedGroup> groups = passes.plan.groups;
  passes.explain = [groups](const RawRefusal& refusal, unsigned pass) {
    for (const PlannedGroup& group : groups)
      if (group.pass == pass && refusal.group == 0 && refusal.event < group.events.size())
        return papi::explain_in_program(refusal.error, group.events[refusal.event].name);
    return Problem{"PAPI could not count an event in the program", "", "roofmark check"};
  };
  return made;
}

Problem no_quantity(const std::vector<KindOfCore>& kinds) {
  return {"the event table " + kinds.front().match.table->name + " has no quantity", "",
          "roofmark events"};
}

/// Precisions that few programs have are in `roofmark events`, not below every report.
void add_not_countable(const std::vector<KindOfCore>& kinds, MeasuredPasses& passes) {
  const auto is_planned = [&](const std::string& quantity) {
    return std::any_of(passes.plan.formulas.begin(), passes.plan.formulas.end(),
                       [&](const Formula* formula) {
                         return formula->quantity == quantity && formula->scope == Scope::process;
                       });
  };
  for (const KindOfCore& kind : kinds)
    for (const NotCountable& entry : kind.match.table->not_countable)
      for (const std::string& quantity : entry.quantities)
        if ((quantity.rfind("bytes.", 0) == 0 || quantity == "flop.f64" || quantity == "flop.f32" ||
             quantity == "flop.any") &&
            !is_planned(quantity))
          passes.absent.push_back({quantity, entry.reason, entry.remedy});
}

}  // namespace

Result<HardwarePlan> plan_hardware(const HardwareOptions& options) {
  HardwarePlan made;
  auto tables = std::make_shared<EventTables>(
      load_event_tables(event_table_folders(options.installed_tables)));
  const auto tell = [&](const Problem& problem) {
    if (options.tell) options.tell(to_line(problem) + ".");
  };
  for (const Problem& problem : tables->problems) tell(problem);
  const std::string cpuinfo = read_file(options.cpuinfo).value_or("");
  HostFacts host = read_host_facts(options.root);
  host.pmus = pmus_in(options.devices);
  CountableEvents countable;
  countable.cpus = read_cpuinfo(cpuinfo);
  countable.pmus = host.pmus;
  countable.matches = match_tables(tables->tables, countable.cpus, host.pmus);
  if (const auto nothing = why_nothing(countable)) {
    // The kernel's answer to the plainest of all events is nearer to the cause.
    const auto plain = countable.matches.empty() ? std::nullopt : check::try_hardware(host);
    return tl::unexpected(plain ? *plain : *nothing);
  }
  const std::vector<TableMatch>& matches = countable.matches;
  if (const auto problem = why_not_told_apart(matches)) return tl::unexpected(*problem);
  if (options.by_papi && matches.size() > 1)
    return tl::unexpected(papi::why_not_several_kinds(names_of(matches)));

  PlanOptions planning;
  planning.devices = options.devices;
  planning.cpus = options.root / "sys/devices/system/cpu";
  planning.occupancy = {smt_active(options.root), host.nmi_watchdog.value_or(false)};
  planning.ask_user_reads = host.user_reads.value_or(0) != 0;

  std::vector<check::Finding> findings;
  if (options.findings) {
    auto loaded = check::load_findings(*options.findings, check::trust_key(cpuinfo));
    if (loaded)
      findings = std::move(*loaded);
    else
      tell(loaded.error());
  }
  if (options.by_papi) return plan_by_papi(tables, *matches.front().table, findings, options);
  MeasuredPasses& passes = made.passes;
  std::optional<Problem> first;
  const std::vector<KindOfCore> kinds = kinds_of(matches, planning, host, findings, first);
  planning.wanted = quantities_of(kinds);
  if (planning.wanted.empty()) return tl::unexpected(first.value_or(no_quantity(kinds)));

  passes.tables = tables;
  passes.variables = variables_here();
  passes.multiplexed = options.multiplex;
  passes.plan = plan_counters(kinds, planning);
  for (const UnplannedQuantity& entry : passes.plan.absent)
    passes.absent.push_back(missing(scoped(entry.quantity, entry.scope), entry.problem));
  add_not_countable(kinds, passes);
  if (passes.plan.formulas.empty())
    return tl::unexpected(passes.plan.absent.empty()
                              ? Problem{"nothing is left to be counted", "", "roofmark check"}
                              : why_nothing_counts(passes.plan.absent));
  if (options.multiplex)
    put_in_one_pass(passes.plan);
  else if (options.once)
    leave_later_passes(passes.plan, passes.absent);
  made.counts_flop =
      std::any_of(passes.plan.formulas.begin(), passes.plan.formulas.end(),
                  [](const Formula* formula) { return formula->quantity.rfind("flop.", 0) == 0; });
  if (!made.counts_flop &&
      std::none_of(passes.absent.begin(), passes.absent.end(),
                   [](const Missing& entry) { return entry.quantity.rfind("flop", 0) == 0; }))
    passes.absent.push_back(
        {"flop", "the event tables of this machine (" + names_of(matches) + ") count no FLOPs",
         "--counters emulated"});
  const CounterPlan plan = passes.plan;
  passes.explain = [plan, host, planning](const RawRefusal& refusal, unsigned pass) {
    std::size_t index = refusal.group;
    for (const PlannedGroup& group : plan.groups) {
      if (group.pass != pass || index-- != 0) continue;
      perf::Request request;
      request.pmu = group.pmu;
      request.of_cpu = group.cpu >= 0;
      request.with_kernel = planning.with_kernel;
      request.leads = refusal.event == 0;
      if (refusal.event < group.events.size()) {
        request.event = group.events[refusal.event].name;
        const std::uint32_t type = group.events[refusal.event].numbers.type;
        request.breakpoint = type == PERF_TYPE_BREAKPOINT;
        request.with_kernel = request.with_kernel || type == PERF_TYPE_TRACEPOINT;
      }
      return perf::explain(refusal.error, request, host);
    }
    return Problem{"a counter could not be opened", "", "roofmark check"};
  };
  return made;
}

Result<std::string> pass_text(const CounterPlan& plan, unsigned pass) {
  const auto flat = flat_plan(plan, pass);
  if (!flat) return tl::unexpected(flat.error());
  std::string text = plan_text(*flat);
  if (text.empty())
    return tl::unexpected(Problem{"the plan of what to count is too long", "", "roofmark events"});
  return text;
}

}  // namespace roofmark
