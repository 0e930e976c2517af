#include "identity.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace roofmark {
namespace {

/// Raised when what is measured changes, so that older results are not taken for the new ones.
constexpr const char* method = "3";

std::map<std::string, std::string> first_processor() {
  std::map<std::string, std::string> fields;
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.empty()) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    fields[key] = value == std::string::npos ? "" : line.substr(value);
  }
  return fields;
}

std::string hypervisor() {
#if defined(__x86_64__)
  std::uint32_t eax = 0, name[3] = {}, ecx = 0;
  __cpuid(1, eax, name[0], ecx, name[1]);
  if ((ecx >> 31 & 1) == 0) return "no";
  __cpuid(0x40000000, eax, name[0], name[1], name[2]);
  char text[13] = {};
  std::memcpy(text, name, 12);
  const std::string_view vendor = text;
  if (vendor.starts_with("KVM")) return "kvm";
  if (vendor.starts_with("Microsoft")) return "hyperv";
  if (vendor.starts_with("VMware")) return "vmware";
  if (vendor.starts_with("Xen")) return "xen";
  return "yes";
#else
  std::ifstream file("/sys/hypervisor/type");
  std::string type;
  return file >> type ? type : "unknown";
#endif
}

std::string bracketed(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::size_t open = line.find('['), end = line.find(']');
  return open == std::string::npos || end == std::string::npos
             ? ""
             : line.substr(open + 1, end - open - 1);
}

}  // namespace

std::string cpu_list(std::vector<unsigned> cpus) {
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return text;
}

Identity machine_identity(const MachineLayout& layout) {
  Identity identity;
  auto put = [&](const std::string& key, const std::string& value) {
    if (!value.empty()) identity[key] = value;
  };
  std::map<std::string, std::string> cpu = first_processor();
  for (const char* key : {"model name", "cpu model", "uarch", "Model"})
    if (identity.count("cpu_model") == 0) put("cpu_model", cpu[key]);
  put("cpu_vendor", cpu.count("vendor_id") != 0 ? cpu["vendor_id"] : cpu["CPU implementer"]);
  if (cpu.count("cpu family") != 0)
    put("cpu_version", cpu["cpu family"] + "/" + cpu["model"] + "/" + cpu["stepping"]);
  else
    put("cpu_version", cpu["CPU part"] + cpu["CPU revision"]);
  if (identity.count("cpu_model") == 0)
    put("cpu_model", identity["cpu_vendor"] + " " + identity["cpu_version"]);
  put("microcode", cpu["microcode"]);
  if (!layout.scopes.empty()) put("cores_allowed", cpu_list(layout.scopes.back().cpus));
  std::vector<unsigned> nodes;
  for (const MemoryNode& node : layout.memory) nodes.push_back(node.os_index);
  if (nodes.size() > 1) put("memory_allowed", cpu_list(nodes));
  put("virtual", hypervisor());
  put("huge_pages", bracketed("/sys/kernel/mm/transparent_hugepage/enabled"));
  utsname system{};
  if (uname(&system) == 0) {
    put("kernel", system.release);
    put("architecture", system.machine);
    put("hostname", system.nodename);
  }
  put("method", method);
  return identity;
}

std::string identity_key(const Identity& identity) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  auto add = [&](const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    hash = (hash ^ 0xffU) * 0x100000001b3U;
  };
  for (const auto& [key, value] : identity) {
    add(key);
    add(value);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace roofmark
