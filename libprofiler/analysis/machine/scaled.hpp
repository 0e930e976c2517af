// The ceilings of a part of a node, and of several nodes.
#pragma once

#include <cstdint>
#include <roofmark/machine.hpp>

namespace roofmark {

/// What each of `ranks` processes of one node has of it when all of them run: what k x ranks cores
/// reach together, divided by the ranks, on k cores; with more ranks than cores, a part of a core.
/// What a share is made of was measured; that it is handed out evenly is not: source theoretical.
Machine share_of(const Machine& node, std::uint64_t ranks);

/// `nodes` like this one, which share nothing. Source theoretical.
Machine of_nodes(const Machine& node, std::uint64_t nodes);

}  // namespace roofmark
