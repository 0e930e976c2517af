// Does a measured machine make sense? What does not is flagged and said in a sentence; nothing is
// changed but a ceiling of several cores that one of them surpasses alone.
#pragma once

#include <optional>
#include <roofmark/machine.hpp>

namespace roofmark {

/// Execution pipes that explain FLOP per cycle of one core, and the share of their peak that was
/// attained.
struct PipeFit {
  unsigned pipes = 0;
  double share = 0;
};
/// Only for operations that pipes take each cycle: fma, add, mul.
std::optional<PipeFit> fit_pipes(const ComputeCeiling& ceiling);

/// Flags `below_theory` (no whole number of pipes within 1 %), `shared_core` (two cores attain less
/// than one and a half), `below_one_core` (raised to it), `above_inner_level` (a level is faster
/// than the one inside it).
void check_machine(Machine& machine);

}  // namespace roofmark
