// What counts as a number at all. Beyond these bounds a time or a rate is damage and not a
// measurement; within them no product or quotient with a 64-bit count leaves the range of double.
#pragma once

namespace roofmark::model {

constexpr bool is_rate(double per_s) {
  return per_s > 1e-6 && per_s < 1e30;
}
constexpr bool is_time(double seconds) {
  return seconds > 1e-12 && seconds < 1e12;
}
/// A relative uncertainty beyond this says no more than "not known".
constexpr double largest_uncertainty = 100;

}  // namespace roofmark::model
