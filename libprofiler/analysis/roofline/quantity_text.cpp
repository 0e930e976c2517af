#include "analysis/roofline/quantity_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/text/digits.hpp"
#include "analysis/text/quantities.hpp"

namespace roofmark::model {

std::string si(double exact, std::string_view unit, double spread) {
  if (!std::isfinite(exact)) return "unknown";
  const int digits = text::carried_digits(exact, spread);
  const double value = digits < text::most_digits ? text::rounded(exact, digits) : exact;
  constexpr double least_told = 1e-12;  // nothing that is timed or counted is less
  if (std::abs(value) < least_told) return fmt::format("{} {}", number(value), unit);
  const text::Prefixed scaled = text::prefixed(value, digits);
  return fmt::format("{} {}{}", text::significant_padded(scaled.value, digits), scaled.prefix,
                     unit);
}

std::string seconds_text(double seconds, double spread) {
  if (seconds < 1000 || !std::isfinite(seconds)) return si(seconds, "s", spread);
  const int digits = text::carried_digits(seconds, spread);
  return fmt::format("{:.0f} s",
                     digits < text::most_digits ? text::rounded(seconds, digits) : seconds);
}

std::string percent(double exact, double spread) {
  if (!std::isfinite(exact)) return "unknown";
  const double share =
      spread > 0 ? text::rounded(exact, text::carried_digits(exact, spread)) : exact;
  const double value = 100 * share;
  if (value > 0 && value < 0.1) return "<0.1 %";
  if (value > 0 && value < 0.95) return fmt::format("{:.2g} %", value);
  return fmt::format("{:.0f} %", value);
}

std::string factor(double value) {
  if (!std::isfinite(value)) return "unknown";
  return value < 9.95 ? fmt::format("{:.1f}x", value) : fmt::format("{:.0f}x", value);
}

std::string number(double exact, double spread) {
  if (!std::isfinite(exact)) return "unknown";
  const int digits = text::carried_digits(exact, spread);
  const double value = digits < text::most_digits ? text::rounded(exact, digits) : exact;
  const double size = std::abs(value);
  if (value == 0) return "0";
  if (size < 0.001) return value > 0 ? "under 0.001" : "0";
  if (size < 0.0995) return fmt::format("{:.{}g}", value, digits);
  if (size < 0.995) return fmt::format("{:.{}f}", value, std::min(digits, 2));
  if (size < 999.5) return text::significant_padded(value, digits);
  if (size < 999'500) return fmt::format("{:.0f}", value);
  std::string text = si(value, "");
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string amount(double value) {
  if (!std::isfinite(value)) return "unknown";
  const bool whole = value == std::floor(value);
  if (std::abs(value) < 100'000 && whole) return fmt::format("{:.0f}", value);
  return number(value);
}

}  // namespace roofmark::model
