#include "scaled.hpp"

#include <algorithm>

namespace roofmark {
namespace {

void scale(ComputeCeiling& ceiling, double factor) {
  for (double* value : {&ceiling.flop_per_s, &ceiling.flop_per_cycle, &ceiling.low, &ceiling.high})
    *value *= factor;
  ceiling.source = Source::theoretical;
}
void scale(BandwidthCeiling& ceiling, double factor) {
  for (double* value :
       {&ceiling.interface_bytes_per_s, &ceiling.program_bytes_per_s, &ceiling.low, &ceiling.high})
    *value *= factor;
  ceiling.source = Source::theoretical;
}

/// Ceilings of a number of threads that is no multiple of the ranks say nothing of a share, nor do
/// those of hyper-threads.
template <class Ceiling>
void share(std::vector<Ceiling>& ceilings, unsigned cores, unsigned ranks) {
  std::vector<Ceiling> shares;
  for (Ceiling ceiling : ceilings) {
    const bool whole_node = ceiling.threads == cores;
    const bool even = ceiling.threads % ranks == 0 && ceiling.threads <= cores;
    if (!even && !(whole_node && ranks >= cores)) continue;
    ceiling.threads = std::max(1U, ceiling.threads / ranks);
    ceiling.scope = ceiling.threads == 1 ? "core" : "machine";
    scale(ceiling, 1.0 / ranks);
    shares.push_back(std::move(ceiling));
  }
  // An uneven number of ranks may fit no measured number of cores but all of them.
  if (shares.empty())
    for (Ceiling ceiling : ceilings) {
      if (ceiling.threads != cores) continue;
      ceiling.threads = std::max(1U, cores / ranks);
      scale(ceiling, 1.0 / ranks);
      shares.push_back(std::move(ceiling));
    }
  ceilings = std::move(shares);
}

}  // namespace

Machine share_of(const Machine& node, std::uint64_t ranks) {
  if (ranks < 2) return node;
  Machine part = node;
  const unsigned cores = std::max(1U, node.topology.cores);
  const auto divisor = static_cast<unsigned>(std::min<std::uint64_t>(ranks, 1U << 20));
  share(part.compute, cores, divisor);
  share(part.bandwidth, cores, divisor);
  part.topology.cores = std::max(1U, cores / divisor);
  part.topology.threads = std::max(1U, node.topology.threads / divisor);
  return part;
}

Machine of_nodes(const Machine& node, std::uint64_t nodes) {
  if (nodes < 2) return node;
  Machine all = node;
  const auto factor = static_cast<unsigned>(std::min<std::uint64_t>(nodes, 1U << 20));
  // One core of one node stays what it is; all cores are those of all nodes.
  const auto multiply = [&](auto& ceilings) {
    auto made = ceilings;
    made.clear();
    for (auto ceiling : ceilings) {
      if (ceiling.threads == 1) made.push_back(ceiling);
      ceiling.threads *= factor;
      ceiling.scope = "machine";
      scale(ceiling, factor);
      made.push_back(ceiling);
    }
    ceilings = std::move(made);
  };
  multiply(all.compute);
  multiply(all.bandwidth);
  for (unsigned* count : {&all.topology.sockets, &all.topology.numa_nodes, &all.topology.cores,
                          &all.topology.threads})
    *count *= factor;
  for (auto& [kind, count] : all.topology.core_kinds) count *= factor;
  if (auto machine = all.topology.scope_cores.find("machine");
      machine != all.topology.scope_cores.end())
    machine->second *= factor;
  for (auto& [kind, bytes] : all.topology.memory_bytes) bytes *= factor;
  return all;
}

}  // namespace roofmark
