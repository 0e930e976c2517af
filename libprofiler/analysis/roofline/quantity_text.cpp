#include "analysis/roofline/quantity_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace roofmark::model {
namespace {

struct Prefix {
  double scale;
  const char* name;
};
constexpr std::array<Prefix, 11> prefixes = {{{1e18, "E"},
                                              {1e15, "P"},
                                              {1e12, "T"},
                                              {1e9, "G"},
                                              {1e6, "M"},
                                              {1e3, "k"},
                                              {1, ""},
                                              {1e-3, "m"},
                                              {1e-6, "µ"},
                                              {1e-9, "n"},
                                              {1e-12, "p"}}};

/// Three significant digits without an exponent, for what lies between 0.001 and 1000.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

std::string si(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "unknown";
  for (const Prefix& prefix : prefixes)
    // 999.7 would round to "1000": it belongs to the next prefix.
    if (std::abs(value) >= prefix.scale * 0.9995)
      return fmt::format("{} {}{}", three_digits(value / prefix.scale), prefix.name, unit);
  return fmt::format("{} {}", number(value), unit);
}

std::string seconds_text(double seconds) {
  return seconds >= 1000 ? fmt::format("{:.0f} s", seconds) : si(seconds, "s");
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "unknown";
  const double value = 100 * share;
  if (value > 0 && value < 0.1) return "<0.1 %";
  if (value > 0 && value < 0.95) return fmt::format("{:.2g} %", value);
  return fmt::format("{:.0f} %", value);
}

std::string factor(double value) {
  if (!std::isfinite(value)) return "unknown";
  return value < 9.95 ? fmt::format("{:.1f}x", value) : fmt::format("{:.0f}x", value);
}

std::string number(double value) {
  if (!std::isfinite(value)) return "unknown";
  const double size = std::abs(value);
  if (value == 0) return "0";
  if (size < 0.001) return value > 0 ? "under 0.001" : "0";
  if (size < 0.0995) return fmt::format("{:.3g}", value);
  if (size < 999.5) return three_digits(value);
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
