// Adding counts, and making them whole: the part that every sum of them shares.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <roofmark/profile.hpp>

namespace roofmark {

/// The value, and the range where either has one. Where they come from is the caller's to say.
inline void add_values(Count& sum, const Count& part) {
  const bool range = sum.low || part.low;
  const std::uint64_t low = sum.low.value_or(sum.value) + part.low.value_or(part.value);
  const std::uint64_t high = sum.high.value_or(sum.value) + part.high.value_or(part.value);
  sum.value += part.value;
  if (!range) return;
  sum.low = low;
  sum.high = high;
}

/// A computed count to the nearest whole; what is less than nothing is none.
inline std::uint64_t rounded_count(double value) {
  constexpr double most = 9e18;  // below what llround can give
  return value > 0 ? static_cast<std::uint64_t>(std::llround(std::min(value, most))) : 0;
}

}  // namespace roofmark
