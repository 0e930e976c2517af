#include "digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace roofmark::text {
namespace {

/// The decimal place of the first digit: 2 of 449, -1 of 0.149. As printed, since log10 is off by
/// one just below powers of ten.
int first_place(double value) {
  const std::string text = fmt::format("{:.15e}", std::abs(value));
  return std::stoi(text.substr(text.find('e') + 1));
}

int digits_with(double value, double spread) {
  if (!std::isfinite(value) || value == 0 || !(spread > 0)) return most_digits;
  if (!std::isfinite(spread)) return 1;
  return std::clamp(first_place(value) - first_place(spread) + 1, 1, most_digits);
}

}  // namespace

int carried_digits(double value, std::optional<double> low, std::optional<double> high) {
  const double below = low ? value - *low : 0, above = high ? *high - value : 0;
  return digits_with(value, std::max(below, above));
}

int carried_digits(double value, double relative_spread) {
  return digits_with(value, std::abs(value) * relative_spread);
}

double to_place_of(double difference, double spread) {
  if (!std::isfinite(difference) || !(spread > 0)) return difference;
  if (!std::isfinite(spread)) return 0;
  const double place = std::pow(10.0, first_place(spread));
  return std::round(difference / place) * place;
}

double rounded(double value, int digits) {
  if (!std::isfinite(value) || value == 0) return value;
  const std::string text = fmt::format("{:.{}e}", value, std::max(digits, 1) - 1);
  double made = value;
  std::from_chars(text.data(), text.data() + text.size(), made);
  return made;
}

}  // namespace roofmark::text
