// What is measured beside the scopes and the memory that lies next to their cores: other kinds of
// memory, memory of another NUMA node, all hardware threads of a core. No I/O.
#pragma once

#include <string>
#include <vector>

#include "topology.hpp"

namespace roofmark {

struct Placement {
  /// "": a kind of memory, whose ceilings are roofs like any other's; "remote" and "smt" stand
  /// apart.
  std::string name;
  std::string scope;
  std::vector<unsigned> cpus;   ///< hardware threads that measure together
  std::vector<unsigned> nodes;  ///< of each of them, where its memory is; empty: as the system does
  std::string level;            ///< the kind of that memory
};

/// The most telling first: what there is no time for is left out from the end.
std::vector<Placement> placements_of(const MachineLayout& layout);

/// Where a core's memory lies when nobody asks for another: the node that is local to it, DRAM
/// where several kinds are. Nothing where no node is.
const MemoryNode* home_node(const MachineLayout& layout, unsigned cpu);

/// "HBM on 8 cores", for a person.
std::string description_of(const Placement& placement);

}  // namespace roofmark
