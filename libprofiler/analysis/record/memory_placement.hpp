// On which NUMA nodes a program has its memory, as /proc/PID/numa_maps tells, and what that says of
// the cores that it ran on.
#pragma once

#include <sys/types.h>

#include <analysis/join/join.hpp>
#include <analysis/machine/topology.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark {

using NodeBytes = std::map<unsigned, std::uint64_t>;

/// Anonymous and shared memory by node; files are not looked at.
NodeBytes parse_numa_maps(std::string_view text);

/// Of one process; empty where it has gone, or is somebody else's.
NodeBytes node_bytes(pid_t process);

struct MemoryPlacement {
  std::string kind;                    ///< see Program::memory_kind
  std::optional<double> remote_share;  ///< see Program::remote_memory_share
};

/// `processors`: on which its threads were seen.
MemoryPlacement memory_placement(const NodeBytes& bytes, const std::set<unsigned>& processors,
                                 const std::vector<MemoryNode>& nodes);

/// Whether there is more than one node, so that a look is worth its time.
bool has_several_nodes();

/// Into the program's facts, by this machine's nodes.
void add_memory_placement(const NodeBytes& bytes, const std::vector<PlacementSample>& samples,
                          WholeProgram& whole);

}  // namespace roofmark
