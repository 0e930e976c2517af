#include "cpu_quota.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace roofmark {
namespace {

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::optional<double> quota_in(const std::string& folder, bool unified) {
  if (unified) return parse_cpu_max(first_line_of(folder + "cpu.max"));
  const std::string quota = first_line_of(folder + "cpu.cfs_quota_us");
  return parse_cpu_max((quota == "-1" ? "max" : quota) + " " +
                       first_line_of(folder + "cpu.cfs_period_us"));
}

}  // namespace

std::optional<double> parse_cpu_max(const std::string& text) {
  std::istringstream words(text);
  words.imbue(std::locale::classic());
  double quota = 0, period = 0;
  if (!(words >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

std::optional<double> cpu_quota() {
  std::optional<double> least;
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    const bool unified = line.rfind("0::", 0) == 0;
    if (!unified && line.find("cpu,") == std::string::npos &&
        line.find(":cpu:") == std::string::npos)
      continue;
    const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    std::string path = line.substr(line.rfind(':') + 1);
    while (true) {
      const auto quota = quota_in(root + (path == "/" ? "" : path) + "/", unified);
      if (quota && (!least || *quota < *least)) least = quota;
      if (path.size() <= 1) break;
      path = path.substr(0, path.rfind('/'));
    }
  }
  return least;
}

void apply_cpu_quota(MachineLayout& layout, std::optional<double> quota) {
  if (!quota) return;
  const auto affordable = static_cast<std::size_t>(std::max(std::floor(*quota), 1.0));
  // Throttled hardware threads would say nothing of what they cost each other.
  if (layout.smt_siblings.size() > affordable) {
    layout.notes.push_back(
        fmt::format("A cgroup limits this process to {:.3g} cores' time: the {} hardware threads "
                    "of a core are not measured together.",
                    *quota, layout.smt_siblings.size()));
    layout.smt_siblings.resize(1);
  }
  if (*quota >= layout.topology.cores) return;
  for (ScopeGroup& group : layout.scopes)
    if (group.cpus.size() > affordable) group.cpus.resize(affordable);
  layout.notes.push_back(
      fmt::format("A cgroup limits this process to {:.3g} of {} cores' time: ceilings are measured "
                  "with {} at a time.",
                  *quota, layout.topology.cores, affordable));
}

}  // namespace roofmark
