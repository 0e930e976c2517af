// A mix of reads and writes between the patterns that were measured.
#pragma once

#include <functional>
#include <optional>
#include <roofmark/roofline.hpp>
#include <span>

namespace roofmark::model {

struct Pattern {
  const char* name;
  double read_share;  ///< of what crosses the interface
};

/// Rates of two kinds of work one after the other: the time that a unit takes is linear in the
/// share of the second.
Ceiling in_turn(const Ceiling& first, const Ceiling& second, double share_of_second);

/// Between the nearest patterns with more and with fewer reads that have a ceiling; the nearest
/// alone where there is none on the other side. `patterns` begins with the most reads.
std::optional<Ceiling> between_patterns(
    std::span<const Pattern> patterns, double read_share,
    const std::function<std::optional<Ceiling>(const Pattern&)>& ceiling_of);

}  // namespace roofmark::model
