#include "capabilities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "analysis/counters/table_match.hpp"
#include "collectors/cupti/availability.hpp"
#include "collectors/papi/events.hpp"
#include "collectors/papi/tables.hpp"
#include "collectors/resctrl/kernel_option.hpp"
#include "collectors/resctrl/monitor_tree.hpp"

namespace roofmark::check {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Fact permissions(const HostFacts& host) {
  if (host.may_count_all())
    return {"Capabilities", "CAP_PERFMON or CAP_SYS_ADMIN: everything may be counted", ""};
  return {"Capabilities", "none for counting: kernel.perf_event_paranoid applies", ""};
}

Fact paranoid(const HostFacts& host) {
  if (!host.paranoid)
    return {"perf_event_paranoid", "absent: no perf events",
            "boot a kernel with CONFIG_PERF_EVENTS=y"};
  Fact fact{"perf_event_paranoid",
            fmt::format("{} ({})", *host.paranoid, paranoid_meaning(*host.paranoid)), ""};
  if (!host.may_count_all() && *host.paranoid > 2)
    fact.fix = "sudo sysctl kernel.perf_event_paranoid=2";
  return fact;
}

Fact seccomp(const HostFacts& host) {
  if (!host.seccomp) return {"Seccomp", "unknown", ""};
  return {"Seccomp", *host.seccomp == 0 ? "off" : *host.seccomp == 1 ? "strict" : "filtered", ""};
}

Fact watchdog(const HostFacts& host) {
  if (!host.nmi_watchdog) return {"NMI watchdog", "unknown", ""};
  if (!*host.nmi_watchdog) return {"NMI watchdog", "off", ""};
  return {"NMI watchdog", "on: it takes a counter of every core",
          "sudo sysctl kernel.nmi_watchdog=0"};
}

Fact files(const HostFacts& host) {
  const auto text = [](const std::optional<std::uint64_t>& limit) {
    return limit ? fmt::format("{}", *limit) : std::string("no limit");
  };
  Fact fact{"Open files", text(host.descriptors_soft) + ", at most " + text(host.descriptors_hard),
            ""};
  // A thread with eight events: 1024 are gone at the 128th thread.
  if (host.descriptors_soft && *host.descriptors_soft < 1024)
    fact.fix = fmt::format("ulimit -n {}",
                           std::min<std::uint64_t>(host.descriptors_hard.value_or(65536), 65536));
  return fact;
}

bool is_uncore(const std::string& pmu) {
  for (const char* start : {"uncore_", "amd_df", "amd_umc", "amd_l3", "arm_cmn", "arm_dsu",
                            "arm_dmc", "nvidia_scf", "nest_", "hisi_", "hv_24x7"})
    if (pmu.rfind(start, 0) == 0) return true;
  return false;
}

/// Which drivers there are on this architecture; the kernel loads the right one where it knows it.
#if defined(__x86_64__)
constexpr const char* load_uncore_driver = "sudo modprobe intel_uncore || sudo modprobe amd_uncore";
#elif defined(__aarch64__)
constexpr const char* load_uncore_driver = "sudo modprobe -a arm-cmn arm_dsu_pmu arm_dmc620_pmu";
#else
constexpr const char* load_uncore_driver = "";
#endif

Fact uncore(const HostFacts& host) {
  std::vector<std::string> found;
  std::copy_if(host.pmus.begin(), host.pmus.end(), std::back_inserter(found), is_uncore);
  if (!found.empty()) return {"Uncore PMUs", joined(found), ""};
  return {"Uncore PMUs", host.virtual_machine ? "none (a virtual machine has none)" : "none",
          host.virtual_machine ? "" : load_uncore_driver};
}

Fact resctrl(const HostFacts& host) {
  if (!host.resctrl_mounted.empty())
    return {
        "resctrl",
        host.resctrl_mounted + (host.bandwidth_monitoring ? ", counts bytes" : ", counts no bytes"),
        ""};
  if (!host.bandwidth_monitoring)
    return {"resctrl", "this processor counts no bytes per group", ""};
  if (!host.resctrl_known) return {"resctrl", "not in this kernel", resctrl::kernel_with_resctrl};
  return {"resctrl", "not mounted", "sudo mount -t resctrl resctrl /sys/fs/resctrl"};
}

void add_tables(const std::vector<TableMatch>& matches, const std::vector<CpuIdentity>& cpus,
                CheckReport& report) {
  for (const CpuIdentity& cpu : cpus)
    report.facts.push_back(
        {"Processor", (cpu.title.empty() ? "" : cpu.title + ", ") + to_text(cpu), ""});
  if (cpus.empty()) report.facts.push_back({"Processor", "unknown", ""});
  for (const TableMatch& match : matches)
    report.facts.push_back({"Event table", match.table->name + ": " + match.table->about, ""});
  if (matches.empty())
    report.facts.push_back({"Event table", "none for this processor",
                            "docs/events.md: add a processor in ten minutes"});
}

bool smt_active(const std::filesystem::path& root) {
  std::ifstream file(root / "sys/devices/system/cpu/smt/active");
  int active = 1;
  // Where the kernel does not say, the smaller number of counters is the safe one.
  return !(file >> active) || active != 0;
}

/// The problem of the first quantity of that scope, where none of them can be counted.
std::optional<Problem> why_none(const std::vector<QuantityState>& quantities, Scope scope) {
  const QuantityState* first = nullptr;
  for (const QuantityState& state : quantities) {
    if (state.scope != scope) continue;
    if (!state.problem) return std::nullopt;
    if (first == nullptr) first = &state;
  }
  if (first != nullptr) return first->problem;
  return Problem{"the event table has no quantity of this scope", "", "roofmark events"};
}

/// Where the cores have no PMU, what the kernel says to the plainest of all events is nearer to the
/// cause than what the table misses.
std::optional<Problem> nearer_cause(const QuantityState& state, const std::optional<Problem>& plain,
                                    const HostFacts& host) {
  if (state.scope == Scope::process) return plain ? plain : state.problem;
  Problem problem = *state.problem;
  if (host.virtual_machine)
    problem.remedy = "count on bare metal: a virtual machine has no PMUs outside of the cores";
  return problem;
}

void check_hardware(const CheckOptions& options, const HostFacts& host,
                    const std::vector<TableMatch>& matches, CheckReport& report) {
  PlanOptions planning;
  planning.devices = options.devices;
  planning.cpus = options.root / "sys/devices/system/cpu";
  planning.occupancy = {smt_active(options.root), host.nmi_watchdog.value_or(false)};
  planning.ask_user_reads = host.user_reads.value_or(0) != 0;
  const std::optional<Problem> plain = try_hardware(host);
  std::optional<bool> by_page;
  for (const TableMatch& match : matches) {
    PerfCheck checked = check_perf(match, planning, host, options.self_test);
    for (QuantityState& state : checked.quantities) {
      if (state.problem && match.pmus.empty()) state.problem = nearer_cause(state, plain, host);
      report.quantities.push_back(std::move(state));
    }
    std::move(checked.test.rows.begin(), checked.test.rows.end(),
              std::back_inserter(report.self_test));
    std::move(checked.test.notes.begin(), checked.test.notes.end(),
              std::back_inserter(report.notes));
    if (checked.by_page) by_page = by_page.value_or(true) && *checked.by_page;
  }
  if (by_page)
    report.facts.push_back(
        {"Reads", *by_page ? "without a system call (rdpmc)" : "by a system call", ""});
  const Problem no_table{"no event table is for this processor", "",
                         "docs/events.md: add a processor in ten minutes"};
  auto process = matches.empty() ? std::optional<Problem>(plain.value_or(no_table))
                                 : why_none(report.quantities, Scope::process);
  report.collectors.push_back({"perf", std::move(process)});
  report.collectors.push_back({"perf.socket", matches.empty()
                                                  ? std::optional<Problem>(no_table)
                                                  : why_none(report.quantities, Scope::socket)});
}

/// Whether a group can be made, by making one: what is free is nowhere written.
void check_resctrl(const CheckOptions& options, CheckReport& report) {
  const auto monitor = resctrl::look(options.resctrl_root);
  std::optional<Problem> problem;
  if (!monitor) {
    problem = monitor.error();
  } else if (!monitor->total) {
    problem = Problem{"this processor counts only the traffic to its own NUMA node", "",
                      "boot without rdt=!mbmtotal where that is on the kernel's command line"};
  } else if (auto group = resctrl::Group::create(*monitor); !group) {
    problem = group.error();
  } else {
    problem = group->remove();
  }
  report.collectors.push_back({"resctrl", std::move(problem)});
}

/// By adding, starting and reading: PAPI's lists also name what the kernel does not give.
void check_papi(const CheckOptions& options, const std::vector<TableMatch>& matches,
                CheckReport& report) {
  const std::filesystem::path half = options.install.lib / "libroofmark-papi.so";
  std::error_code fault;
  std::optional<Problem> problem;
  std::string limit;
  const auto probed = papi::probe({"PAPI_TOT_CYC", "perf::PAGE-FAULTS"});
  if (!probed) {
    problem = probed.error();
  } else if (!std::filesystem::exists(half, fault)) {
    problem = Problem{"this Roofmark was built without PAPI", half.string(),
                      "install libpapi-dev and build it again"};
  } else if (std::none_of(probed->events.begin(), probed->events.end(),
                          [](const auto& answer) { return answer.step == papi::Step::counted; })) {
    problem = papi::explain(probed->events.front());
  } else if (probed->events.front().step != papi::Step::counted) {
    limit = "the kernel's own events alone: PAPI's presets are listed, and can't be opened here";
  }
  const bool here = !matches.empty() && !matches.front().pmus.empty();
  if (!problem && here && matches.size() == 1 && options.self_test) {
    SelfTest test = test_papi(*matches.front().table);
    std::move(test.rows.begin(), test.rows.end(), std::back_inserter(report.self_test));
    if (test.problem) report.problems.push_back(std::move(*test.problem));
  }
  if (probed && here && matches.size() > 1) {
    const Problem kinds = papi::why_not_several_kinds(names_of(matches));
    report.facts.push_back({"PAPI's events", kinds.reason, kinds.remedy});
  }
  report.collectors.push_back({"papi", std::move(problem), std::move(limit)});
}

/// Without initialising CUDA: that would wake the GPU, and a command that only looks may hang in
/// it.
void check_cupti(const CheckOptions& options, const HostFacts& host, CheckReport& report) {
  cupti::AvailabilityOptions asked;
  asked.root = options.root;
  asked.plugin = options.install.lib / "libroofmark-cupti.so";
  asked.capabilities = host.effective_capabilities.value_or(0);
  cupti::Availability found = cupti::availability(asked);
  report.facts.push_back({"NVIDIA driver", found.driver.empty() ? "none" : found.driver, ""});
  report.collectors.push_back({"cupti", std::move(found.times)});
  report.collectors.push_back({"cupti.counters", std::move(found.counters)});
}

void check_emulated(const CheckOptions& options, CheckReport& report) {
  auto problem = emulated::unavailable(options.install);
  const bool there = !problem;
  report.collectors.push_back({"emulated", std::move(problem)});
  if (!there || !options.self_test) return;
  SelfTest test = test_emulated(options.install);
  std::move(test.rows.begin(), test.rows.end(), std::back_inserter(report.self_test));
  std::move(test.notes.begin(), test.notes.end(), std::back_inserter(report.notes));
  report.interrupted = test.interrupted;
  if (test.problem) report.problems.push_back(std::move(*test.problem));
}

}  // namespace

bool CheckReport::untrusted() const {
  return std::any_of(self_test.begin(), self_test.end(),
                     [](const SelfTestRow& row) { return row.verdict() == Trust::untrusted; });
}

std::vector<Fact> facts_of(const HostFacts& host) {
  std::vector<Fact> facts;
  facts.push_back({"Kernel", host.kernel.empty() ? "unknown" : host.kernel, ""});
  facts.push_back({"Virtual machine",
                   !host.virtual_machine     ? "no"
                   : host.hypervisor.empty() ? "yes"
                                             : "yes (" + host.hypervisor + ")",
                   ""});
  facts.push_back({"Container", host.container.empty() ? "none seen" : host.container, ""});
  facts.push_back(seccomp(host));
  facts.push_back(paranoid(host));
  facts.push_back(permissions(host));
  facts.push_back(watchdog(host));
  facts.push_back(files(host));
  facts.push_back({"PMUs", host.pmus.empty() ? "none" : joined(host.pmus), ""});
  facts.push_back(uncore(host));
  facts.push_back(resctrl(host));
  return facts;
}

CheckReport check_machine(const CheckOptions& options) {
  CheckReport report;
  HostFacts host = read_host_facts(options.root);
  std::error_code fault;
  host.pmus.clear();
  for (std::filesystem::directory_iterator entry(options.devices, fault), end;
       !fault && entry != end; entry.increment(fault))
    host.pmus.push_back(entry->path().filename().string());
  std::sort(host.pmus.begin(), host.pmus.end());
  const std::vector<CpuIdentity> cpus = read_cpuinfo(options.cpuinfo);
  const std::vector<TableMatch> matches = match_tables(options.tables->tables, cpus, host.pmus);
  add_tables(matches, cpus, report);
  std::vector<Fact> facts = facts_of(host);
  std::move(facts.begin(), facts.end(), std::back_inserter(report.facts));
  for (const Library& library : libraries_here())
    report.facts.push_back({library.name,
                            library.file.empty()      ? "not installed"
                            : library.version.empty() ? library.file
                                                      : library.version,
                            ""});
  check_hardware(options, host, matches, report);
  check_papi(options, matches, report);
  check_resctrl(options, report);
  check_cupti(options, host, report);
  check_emulated(options, report);
  return report;
}

}  // namespace roofmark::check
