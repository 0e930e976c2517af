// How many threads worked at once, by how long so many did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace roofmark {

/// `time_with[n]`: how long exactly n threads were there. The largest number that was there for at
/// least 5 % of `whole`, at least 1: a pipeline that lasts a moment does not make a program
/// parallel.
inline std::uint64_t most_that_lasted(const std::vector<double>& time_with, double whole) {
  constexpr double least_share = 0.05;
  double at_least = 0;
  for (std::size_t n = time_with.size(); n-- > 2;) {
    at_least += time_with[n];
    if (at_least > 0 && at_least >= least_share * whole) return n;
  }
  return 1;
}

}  // namespace roofmark
