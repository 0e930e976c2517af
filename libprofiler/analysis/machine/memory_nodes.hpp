// The system's NUMA nodes: which this process may use, what is free on them, what lies there.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "topology.hpp"

namespace roofmark {

/// Nodes on which the cpuset lets this process have memory; nothing where the system doesn't tell.
std::optional<std::vector<unsigned>> allowed_memory_nodes();

/// Takes the nodes that are not in `allowed`, and their memory, out of the layout, with a note.
void leave_out_forbidden_nodes(MachineLayout& layout,
                               const std::optional<std::vector<unsigned>>& allowed);

/// Of one node, without what would first have to be taken from somebody; nothing where the system
/// doesn't tell.
std::optional<std::size_t> free_bytes_of_node(unsigned node);

/// The share of these pages that lies on `node`, from a sample of them; nothing where the system
/// doesn't tell.
std::optional<double> share_on_node(const std::byte* data, std::size_t bytes, unsigned node);

}  // namespace roofmark
