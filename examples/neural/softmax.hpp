// The softmax of a row of attention scores, in float, and what it costs: 17 FLOP for each score,
// but one less for the row (its first maximum is a copy) and one more (a division).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// e^(value - maximum), to 1e-5 relative, without a call into a library, so that its cost is known.
// 14 FLOP: subtraction, multiply, subtraction, a polynomial of degree 5 (10), and a multiply by a
// power of two that is made of bits.
inline float exponential_below(float value, float maximum) {
  const float y = (value - maximum) * 1.44269504f;
  const std::int32_t whole = static_cast<std::int32_t>(y);
  const float f = y - static_cast<float>(whole);  // in (-1, 0]
  const float power =
      1.0f +
      f * (0.693147181f +
           f * (0.240226507f + f * (0.0555041087f + f * (0.00961812911f + f * 0.00133335581f))));
  // A power below the smallest normal number counts as 0.
  const std::uint32_t bits = whole < -126 ? 0 : static_cast<std::uint32_t>(whole + 127) << 23;
  float two_to_whole;
  std::memcpy(&two_to_whole, &bits, sizeof bits);
  return power * two_to_whole;
}

inline void softmax_row(float* scores, std::size_t count) {
  float maximum = scores[0];
  for (std::size_t t = 1; t < count; ++t) maximum = scores[t] > maximum ? scores[t] : maximum;
  float sum = 0;
  for (std::size_t t = 0; t < count; ++t) {
    scores[t] = exponential_below(scores[t], maximum);
    sum += scores[t];
  }
  const float inverse = 1.0f / sum;
  for (std::size_t t = 0; t < count; ++t) scores[t] *= inverse;
}
