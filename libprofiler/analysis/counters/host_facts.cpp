#include "host_facts.hpp"

#include <array>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "analysis/files/read_file.hpp"
#include "analysis/text/parsing.hpp"
#include "pmu_device.hpp"

namespace roofmark {
namespace {

using namespace text;

namespace fs = std::filesystem;

constexpr unsigned capability_sys_admin = 21, capability_perfmon = 38;  // linux/capability.h

std::string text_at(const fs::path& file) {
  return read_file(file).value_or("");
}

/// The number that is all of the text, blanks around it apart.
template <class Number>
std::optional<Number> number(std::string_view text, int base = 10) {
  return whole_number<Number>(trimmed(text), base);
}

/// What follows `start` on the first line that begins with it.
std::optional<std::string> line_after(const std::string& text, std::string_view start) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind(start, 0) == 0) return std::string(trimmed(line.substr(start.size())));
  return std::nullopt;
}

std::string word(const std::string& text, std::size_t index) {
  std::istringstream words(text);
  std::string one;
  for (std::size_t i = 0; i <= index; ++i)
    if (!(words >> one)) return {};
  return one;
}

void take_process(const fs::path& root, HostFacts& facts) {
  const std::string status = text_at(root / "proc/self/status");
  if (const auto mode = line_after(status, "Seccomp:")) facts.seccomp = number<int>(*mode);
  if (const auto bits = line_after(status, "CapEff:"))
    facts.effective_capabilities = number<std::uint64_t>(*bits, 16);
  if (const auto ids = line_after(status, "Uid:"))
    facts.user = number<std::uint64_t>(word(*ids, 1));
  if (const auto limit = line_after(text_at(root / "proc/self/limits"), "Max open files")) {
    facts.descriptors_soft = number<std::uint64_t>(word(*limit, 0));
    facts.descriptors_hard = number<std::uint64_t>(word(*limit, 1));
  }
}

bool has_flag(const std::string& cpuinfo, std::string_view flag) {
  const auto flags = line_after(cpuinfo, "flags");
  if (!flags) return false;
  std::istringstream words(*flags);
  for (std::string one; words >> one;)
    if (one == flag) return true;
  return false;
}

void take_hypervisor(const fs::path& root, const std::string& cpuinfo, HostFacts& facts) {
  const std::string dmi = text_at(root / "sys/class/dmi/id/sys_vendor") +
                          text_at(root / "sys/class/dmi/id/product_name");
  constexpr std::array<std::string_view, 9> makers = {"QEMU",       "KVM",         "VMware",
                                                      "VirtualBox", "Xen",         "Amazon EC2",
                                                      "Google",     "Firecracker", "OpenStack"};
  facts.virtual_machine = has_flag(cpuinfo, "hypervisor");
  const std::string type(trimmed(text_at(root / "sys/hypervisor/type")));
  if (!type.empty()) {
    facts.virtual_machine = true;
    facts.hypervisor = type;
  }
  for (const std::string_view maker : makers) {
    if (dmi.find(maker) == std::string::npos) continue;
    // These two also sell machines without a hypervisor.
    const bool sells_metal = maker == "Amazon EC2" || maker == "Google";
    if (sells_metal && !facts.virtual_machine) continue;
    facts.virtual_machine = true;
    if (facts.hypervisor.empty()) facts.hypervisor = std::string(maker);
  }
  if (facts.hypervisor.empty() && dmi.find("Microsoft Corporation") != std::string::npos &&
      facts.virtual_machine)
    facts.hypervisor = "Hyper-V";
}

std::string container_of(const fs::path& root) {
  std::error_code ignored;
  const std::string version = text_at(root / "proc/version");
  // gVisor's own kernel gives this one date of building.
  if (version.find("gVisor") != std::string::npos ||
      version.find("Sun Jan 10 15:06:54 PST 2016") != std::string::npos)
    return "gVisor";
  if (fs::exists(root / ".dockerenv", ignored)) return "docker";
  if (fs::exists(root / "run/.containerenv", ignored)) return "podman";
  std::string systemd(trimmed(text_at(root / "run/systemd/container")));
  if (!systemd.empty()) return systemd;
  if (fs::exists(root / "var/run/secrets/kubernetes.io", ignored)) return "kubernetes";
  const std::string groups = text_at(root / "proc/1/cgroup");
  for (const std::string_view name : {"kubepods", "docker", "lxc", "libpod"})
    if (groups.find("/" + std::string(name)) != std::string::npos) return std::string(name);
  return {};
}

void take_resctrl(const fs::path& root, const std::string& cpuinfo, HostFacts& facts) {
  facts.resctrl_known = text_at(root / "proc/filesystems").find("\tresctrl\n") != std::string::npos;
  facts.bandwidth_monitoring = has_flag(cpuinfo, "cqm_mbm_total");
  std::istringstream mounts(text_at(root / "proc/self/mounts"));
  for (std::string line; std::getline(mounts, line);)
    if (word(line, 2) == "resctrl") facts.resctrl_mounted = word(line, 1);
}

}  // namespace

bool HostFacts::may_count_all() const {
  const std::uint64_t either =
      (std::uint64_t{1} << capability_perfmon) | (std::uint64_t{1} << capability_sys_admin);
  return (effective_capabilities.value_or(0) & either) != 0;
}

HostFacts read_host_facts(const fs::path& root) {
  HostFacts facts;
  const fs::path kernel = root / "proc/sys/kernel";
  const fs::path devices = root / "sys/bus/event_source/devices";
  facts.kernel = trimmed(text_at(kernel / "osrelease"));
  facts.paranoid = number<int>(text_at(kernel / "perf_event_paranoid"));
  if (const auto watchdog = number<int>(text_at(kernel / "nmi_watchdog")))
    facts.nmi_watchdog = *watchdog != 0;
  facts.user_reads = number<int>(text_at(devices / "cpu/rdpmc"));
  if (!facts.user_reads) facts.user_reads = number<int>(text_at(kernel / "perf_user_access"));
  take_process(root, facts);
  const std::string cpuinfo = text_at(root / "proc/cpuinfo");
  take_hypervisor(root, cpuinfo, facts);
  facts.container = container_of(root);
  take_resctrl(root, cpuinfo, facts);
  facts.pmus = pmus_in(devices);
  return facts;
}

std::string paranoid_meaning(int level) {
  if (level >= 3) return "nothing without CAP_PERFMON";
  if (level == 2) return "own processes, user mode only";
  if (level == 1) return "own processes";
  return level == 0 ? "whole CPUs and uncore too" : "everything";
}

}  // namespace roofmark
