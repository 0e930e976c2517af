// What the machine is made of, as far as this process may use it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <roofmark/machine.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// A set of cores that share a resource, and the hardware threads a ceiling at that scope loads:
/// one per core.
struct ScopeGroup {
  std::string scope;           ///< "core", "llc", "numa", "socket", "machine"
  std::vector<unsigned> cpus;  ///< OS numbers, one per allowed core, in topology order
  std::string core_kind;  ///< "P" or "E" on hybrids when all its cores are of one kind, else empty
};

/// Memory of one kind that the process may use: "DRAM", "HBM", ... by NUMA node.
struct MemoryNode {
  unsigned os_index = 0;
  std::string kind;
  std::uint64_t bytes = 0;  ///< 0: not reported
  std::vector<unsigned>
      local_cpus;  ///< allowed hardware threads nearest to it; empty when none are
  std::map<unsigned, double> distances;  ///< to other nodes by their number, as firmware tells
};

std::map<std::string, std::uint64_t> memory_by_kind(const std::vector<MemoryNode>& nodes);

struct MachineLayout {
  Topology topology;
  std::vector<ScopeGroup> scopes;  ///< the first group of each scope whose size differs from the
                                   ///< scope below; core first
  std::vector<MemoryNode> memory;
  std::vector<unsigned> smt_siblings;  ///< the hardware threads of the core of the first scope
  std::vector<std::string> notes;
};

/// This machine, a recorded topology (hwloc XML) or a synthetic description ("pack:2 l3:1 core:8
/// pu:2"). `allowed` restricts it to these OS numbers; without it the process's own affinity mask
/// and cgroup decide.
struct TopologySource {
  std::optional<std::string> xml_file;
  std::optional<std::string> synthetic;
  std::optional<std::vector<unsigned>> allowed;
};

Result<MachineLayout> discover_layout(const TopologySource& source = {});

}  // namespace roofmark
