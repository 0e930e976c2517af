// Three ceilings that are quick to measure: does a machine from the cache still behave as it did?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "stopwatch.hpp"
#include "topology.hpp"

namespace roofmark {

/// "fma" (FLOP/s), "L1.read" and "memory.read" (bytes/s) of one core. What can't be probed here is
/// absent.
using Probes = std::map<std::string, double>;

Probes measure_probes(const MachineLayout& layout, const Stopwatch& watch);

/// One sentence for each probe that moved by more than measuring explains.
std::vector<std::string> compare_probes(const Probes& then, const Probes& now,
                                        const std::string& measured_at);

}  // namespace roofmark
