// `--fail-if`: a limit to what may change, for a gate in CI.
#pragma once

#include <cstddef>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

#include "comparison.hpp"

namespace roofmark::comparison {

/// "time > +5%", "solve/spmv: roof_fraction < -3%", "solve/*: bytes > 10%".
struct Condition {
  std::string text;      ///< as it was typed
  std::string pattern;   ///< of paths, as a shell has it; empty: every region
  std::string quantity;  ///< one of quantity_names()
  bool above = true;     ///< `>`; else `<`
  double limit = 0;      ///< relative change: 0.05
};

Result<Condition> parse_condition(const std::string& text);

struct Outcome {
  enum class State { holds, passes, unknown };
  std::size_t condition = 0, region = 0;  ///< indices
  State state = State::passes;
  std::string text;  ///< "time +7.1 % (limit +5 %)", or why it is not known
};

/// Each condition at each region that it speaks of. It holds where the change is beyond the limit
/// and beyond the noise; where the noise would hide twice the limit it is not known. A problem
/// where a pattern fits no region of both sides.
Result<std::vector<Outcome>> judge(const std::vector<Condition>& conditions,
                                   const Comparison& comparison);

bool any_holds(const std::vector<Outcome>& outcomes);

}  // namespace roofmark::comparison
