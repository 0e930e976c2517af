#include "explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace roofmark::perf {
namespace {

struct Answer {
  std::string reason, remedy;
};

/// The highest level of perf_event_paranoid that allows the request.
int level_needed(const Request& request) {
  if (request.of_cpu) return 0;
  return request.with_kernel ? 1 : 2;
}

std::string lower_level(int level) {
  return fmt::format("sudo sysctl kernel.perf_event_paranoid={}", level);
}

std::string start_container(const HostFacts& facts, const std::string& otherwise) {
  if (facts.container == "docker" || facts.container == "podman")
    return facts.container + " run --cap-add PERFMON ... (needs the host's administrator)";
  if (facts.container.find("kube") != std::string::npos)
    return "add PERFMON to securityContext.capabilities.add of the pod";
  return otherwise;
}

Answer no_access(const Request& request, const HostFacts& facts) {
  const int needed = level_needed(request);
  const std::string what = request.of_cpu        ? "counters of a whole socket"
                           : request.with_kernel ? "what the kernel does for a program"
                                                 : "its own programs";
  if (facts.paranoid && *facts.paranoid > needed && !facts.may_count_all())
    return {fmt::format("kernel.perf_event_paranoid is {}: an ordinary user may not count {}",
                        *facts.paranoid, what),
            facts.container.empty() ? lower_level(needed)
                                    : start_container(facts, lower_level(needed) + " on the host")};
  return {
      fmt::format("the kernel denies access to {}, although kernel.perf_event_paranoid allows it: "
                  "a security module forbids it, or the program is another user's",
                  what),
      "run the command as root, or ask the administrator for CAP_PERFMON"};
}

Answer not_permitted(const HostFacts& facts) {
  if (facts.seccomp.value_or(0) != 0 || !facts.container.empty())
    return {fmt::format("a seccomp filter{} forbids perf_event_open",
                        facts.container.empty() ? std::string()
                                                : " of the container (" + facts.container + ")"),
            start_container(facts, "run the command outside of the sandbox")};
  return {
      "the kernel does not permit perf_event_open to this process: it is locked down, or a "
      "security module forbids it",
      "cat /sys/kernel/security/lockdown (`[none]` is needed), then ask the administrator for "
      "CAP_PERFMON"};
}

bool has_core_pmu(const HostFacts& facts) {
  return std::any_of(facts.pmus.begin(), facts.pmus.end(), [](const std::string& name) {
    return name == "cpu" || name.rfind("cpu_", 0) == 0 || name.rfind("armv", 0) == 0;
  });
}

std::string other_source() {
  return "--counters emulated counts without hardware";
}

bool is_tracepoint(const Request& request) {
  return request.pmu == "tracepoint";
}

Answer no_tracepoint() {
  return {"the kernel has no tracepoint of this number: each kernel has its own",
          "sudo grep -r . /sys/kernel/tracing/events --include=id (lists them)"};
}

Answer not_there(const Request& request, const HostFacts& facts) {
  if (is_tracepoint(request)) return no_tracepoint();
  if (request.of_cpu || has_core_pmu(facts))
    return {fmt::format("the PMU `{}` has no such event",
                        request.pmu.empty() ? std::string("of the core") : request.pmu),
            "roofmark events (is the table the one for this processor?)"};
  if (facts.virtual_machine)
    return {
        fmt::format("this virtual machine{} has no hardware counters: its hypervisor gives it none",
                    facts.hypervisor.empty() ? std::string() : " (" + facts.hypervisor + ")"),
        "let the host's administrator give the guest a vPMU (libvirt: <cpu "
        "mode='host-passthrough'/> and <pmu state='on'/>; clouds: a bare-metal instance), or " +
            other_source()};
  return {"the kernel has no PMU for this processor's cores",
          "update the kernel, or " + other_source()};
}

Answer too_many_files(const HostFacts& facts) {
  const std::string limit =
      facts.descriptors_soft ? fmt::format(" ({})", *facts.descriptors_soft) : std::string();
  const std::uint64_t wanted = 65536;
  const std::uint64_t hard = facts.descriptors_hard.value_or(wanted);
  const std::string reason =
      fmt::format("the limit of open files{} is reached: every thread needs one per event", limit);
  if (facts.descriptors_soft && hard <= *facts.descriptors_soft)
    return {reason, fmt::format("sudo prlimit --pid $$ --nofile={}", wanted)};
  return {reason, fmt::format("ulimit -n {}", std::min(hard, wanted))};
}

Answer not_valid(const Request& request, const HostFacts& facts) {
  if (request.leads && is_tracepoint(request)) return no_tracepoint();
  if (request.leads)
    return {
        "the kernel does not know a field of the event: it is older than the event, or the "
        "processor is another than the table is for",
        "roofmark events (is the table the one for this processor?)"};
  const std::string reason = "the group needs more counters than are free";
  if (facts.nmi_watchdog.value_or(false))
    return {reason + "; the kernel's NMI watchdog takes one", "sudo sysctl kernel.nmi_watchdog=0"};
  return {reason,
          "end other users of the counters (`perf`, a debugger), or ask for fewer quantities"};
}

Answer busy(const HostFacts& facts) {
  const std::string reason = "the PMU is taken for exclusive use";
  if (facts.nmi_watchdog.value_or(false))
    return {reason + " or by the kernel's NMI watchdog", "sudo sysctl kernel.nmi_watchdog=0"};
  return {reason + " by another profiler", "pgrep -a 'perf|vtune|likwid' (and end that)"};
}

Answer no_call(const HostFacts& facts) {
  if (facts.container == "gVisor")
    return {"gVisor has no perf_event_open",
            "run in a container that is not gVisor's, or " + other_source()};
  if (facts.seccomp.value_or(0) != 0)
    return {"a seccomp filter hides perf_event_open",
            start_container(facts, "run the command outside of the sandbox")};
  return {"this kernel was built without perf events",
          "boot a kernel with CONFIG_PERF_EVENTS=y, or " + other_source()};
}

Answer answer(int error, const Request& request, const HostFacts& facts) {
  switch (error) {
    case EACCES:
      return no_access(request, facts);
    case EPERM:
      return not_permitted(facts);
    case ENOENT:
      return not_there(request, facts);
    case EMFILE:
      return too_many_files(facts);
    case ENFILE:
      return {"the system's limit of open files is reached", "sudo sysctl fs.file-max=1000000"};
    case ENOSPC:
      return request.breakpoint
                 ? Answer{"all breakpoint registers of the processor are taken (x86 has four)",
                          "end the debugger that holds them, or watch fewer places"}
                 : Answer{"the PMU has no room for one more event",
                          "end other users of the counters, or ask for fewer quantities"};
    case EINVAL:
      return not_valid(request, facts);
    case EBUSY:
      return busy(facts);
    case ENODEV:
      return {request.of_cpu ? "the CPU is not online or its PMU is gone"
                             : "the processor can't count this event in this way",
              request.of_cpu ? "lscpu -e=CPU,ONLINE" : other_source()};
    case EOPNOTSUPP:
      return {
          "the PMU does not support a feature that was asked for (it can't leave out the kernel, "
          "or knows no such event)",
          request.with_kernel
              ? other_source()
              : "sudo sysctl kernel.perf_event_paranoid=1 and count with the kernel"};
    case ENOSYS:
      return no_call(facts);
    case ESRCH:
      return {"the thread had ended", ""};
    case ENOMEM:
      return {"the kernel has no memory for one more counter", "count fewer threads or quantities"};
    default:
      return {fmt::format("perf_event_open failed: {}", std::generic_category().message(error)),
              other_source()};
  }
}

}  // namespace

Problem explain(int error, const Request& request, const HostFacts& facts) {
  Answer found = answer(error, request, facts);
  return {std::move(found.reason), request.event, std::move(found.remedy)};
}

}  // namespace roofmark::perf
