#include "quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "digits.hpp"

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

std::string with_prefix(double value, std::string_view unit, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return fmt::format("0 {}", unit);
  const Prefixed scaled = prefixed(value, digits);
  return fmt::format("{} {}{}", significant(rounded(scaled.value, digits), digits), scaled.prefix,
                     unit);
}

std::string duration(double seconds, bool utf8) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds == 0) return "0 s";
  const double size = std::abs(seconds);
  if (size >= 0.9995) return significant(seconds) + " s";
  if (size >= 0.9995e-3) return significant(seconds * 1e3) + " ms";
  if (size >= 0.9995e-6) return significant(seconds * 1e6) + (utf8 ? " µs" : " us");
  return significant(seconds * 1e9) + " ns";
}

std::string percent(double fraction) {
  if (!std::isfinite(fraction)) return "-";
  const double value = fraction * 100;
  if (value == 0) return "0%";
  if (std::abs(value) < 0.1) return value < 0 ? ">-0.1%" : "<0.1%";
  return (std::abs(value) < 9.95 ? significant(value, 2) : significant(std::round(value), 9)) + "%";
}

std::string percent_text(double fraction) {
  std::string text = percent(fraction);
  if (text.ends_with('%')) text.insert(text.size() - 1, " ");
  return text;
}

double within_share(double value, double relative_spread) {
  if (!(relative_spread > 0)) return value;
  return rounded(value, carried_digits(value, relative_spread));
}

std::string gain_text(double gain, double relative_spread) {
  const int digits = std::min(2, carried_digits(gain, relative_spread));
  return significant(rounded(gain, digits), digits) + "x";
}

std::string percent(double fraction, double relative_spread) {
  return percent(within_share(fraction, relative_spread));
}

std::string percent_text(double fraction, double relative_spread) {
  return percent_text(within_share(fraction, relative_spread));
}

std::string plain(double value, double relative_spread) {
  if (!std::isfinite(value)) return "-";
  const double told = within_share(value, relative_spread), size = std::abs(told);
  if (told == 0) return "0";
  if (size < 0.001) return told > 0 ? "under 0.001" : "0";
  if (size < 999'500) return significant(told);
  return with_prefix(told, "");
}

}  // namespace roofmark::text
