#include "quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace roofmark::text {
namespace {

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string rounded_text(double value, int digits) {
  return fmt::format("{:.{}e}", value, std::max(digits, 1) - 1);
}

int exponent_of(const std::string& text) {
  return std::stoi(text.substr(text.find('e') + 1));
}

/// value * 10^-exponent, without overflow for the extreme exponents.
double scaled(double value, int exponent) {
  return exponent > 0 ? value / std::pow(10.0, exponent) : value * std::pow(10.0, -exponent);
}

}  // namespace

std::string significant(double value, int digits) {
  const std::string text = significant_padded(value, digits);
  return text.find('e') == std::string::npos ? without_trailing_zeros(text) : text;
}

std::string significant_padded(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  // Rounding first: 9.999 has one digit before the point, but is "10.0" with three digits.
  const std::string rounded = rounded_text(value, digits);
  const int exponent = exponent_of(rounded);
  if (exponent < -4 || exponent > 8) return rounded;
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

Prefixed prefixed(double value, int digits) {
  static constexpr std::array<std::string_view, 17> prefixes = {
      "y", "z", "a", "f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E", "Z", "Y"};
  if (value == 0) return {0, ""};
  const int exponent = exponent_of(rounded_text(value, digits));
  const int step = std::clamp(static_cast<int>(std::floor(exponent / 3.0)), -8, 8);
  return {scaled(value, step * 3), prefixes[static_cast<std::size_t>(step + 8)]};
}

}  // namespace roofmark::text
