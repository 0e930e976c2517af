// What a first-level cache allows is accesses a cycle, so that its bandwidth hangs on how wide the
// loads and the stores are.
#pragma once

#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/roofline.hpp>

#include "analysis/roofline/ceilings.hpp"

namespace roofmark::model {

/// Bytes/s of L1 for a mix of loads and stores of given mean sizes.
std::optional<Ceiling> l1_ceiling(const Machine& machine, const TrafficMix& mix, double cores);

/// The widest loads and stores that a machine was measured with; 0: not known.
double widest_l1_access_bytes(const Machine& machine);

}  // namespace roofmark::model
