// What this system says of itself that decides what may be counted: permissions, limits, virtual
// machine, container. Read from files below one root, so that a test can bring its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "table_match.hpp"

namespace roofmark {

struct HostFacts {
  std::string kernel;           ///< release
  std::optional<int> paranoid;  ///< kernel.perf_event_paranoid; absent: no perf events
  std::optional<bool> nmi_watchdog;
  std::optional<int> seccomp;  ///< of this process: 0 off, 1 strict, 2 filter
  std::optional<std::uint64_t> effective_capabilities;
  std::optional<std::uint64_t> user;                                ///< effective user id
  std::optional<std::uint64_t> descriptors_soft, descriptors_hard;  ///< of open files
  bool virtual_machine = false;
  std::string hypervisor;  ///< "QEMU", "KVM", ...; may be empty in a virtual machine
  std::string container;   ///< "docker", "podman", "gVisor", ...; empty: none seen
  PmuNames pmus;
  std::optional<int> user_reads;      ///< `rdpmc` of x86 or kernel.perf_user_access of Arm
  bool resctrl_known = false;         ///< the kernel has the file system
  std::string resctrl_mounted;        ///< where; empty: nowhere
  bool bandwidth_monitoring = false;  ///< the processor counts bytes per resctrl group

  /// CAP_PERFMON or CAP_SYS_ADMIN: perf_event_paranoid does not apply.
  bool may_count_all() const;
};

/// Each fact whose file is missing or damaged is absent.
HostFacts read_host_facts(const std::filesystem::path& root = "/");

/// "2 (own processes, user mode)": what a level of perf_event_paranoid lets an ordinary user do.
std::string paranoid_meaning(int level);

}  // namespace roofmark
