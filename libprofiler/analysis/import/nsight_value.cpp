#include "nsight_value.hpp"

#include <array>
#include <cmath>

#include "analysis/text/parsing.hpp"

namespace roofmark::import {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
/// What stands behind a prefix, and alone. Old versions wrote words out.
constexpr std::array bases = {Unit{"byte", 1},    Unit{"hz", 1},      Unit{"second", 1},
                              Unit{"s", 1},       Unit{"inst", 1},    Unit{"cycle", 1},
                              Unit{"sector", 32}, Unit{"request", 1}, Unit{"warp", 1},
                              Unit{"block", 1},   Unit{"thread", 1},  Unit{"register/thread", 1}};
constexpr std::array prefixes = {Unit{"n", 1e-9}, Unit{"u", 1e-6}, Unit{"m", 1e-3},
                                 Unit{"k", 1e3},  Unit{"K", 1e3},  Unit{"M", 1e6},
                                 Unit{"G", 1e9},  Unit{"T", 1e12}, Unit{"P", 1e15}};

/// More than any launch does in a year; a sum of a few such would be no 64-bit number.
constexpr double most_of_a_launch = 1e17;

std::optional<double> simple(std::string_view unit) {
  const std::string small = text::lowered(unit);
  for (const Unit& base : bases)
    if (small == base.name) return base.factor;
  for (const Unit& prefix : prefixes) {
    if (unit.substr(0, 1) != prefix.name) continue;
    const std::string rest = text::lowered(unit.substr(1));
    for (const Unit& base : bases)
      if (rest == base.name) return prefix.factor * base.factor;
  }
  return std::nullopt;
}

/// Groups of three behind a first of one to three: else a comma is a decimal one, which says
/// nothing that could be trusted.
bool without_separators(std::string_view text, std::string& digits) {
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string_view whole = text.substr(0, point);
  if (whole.find(',') == std::string_view::npos) {
    digits = text;
    return true;
  }
  std::size_t group = 0;
  bool first = true;
  for (const char c : whole) {
    if (c != ',') {
      digits += c;
      ++group;
      continue;
    }
    if (first ? group == 0 || group > 3 : group != 3) return false;
    first = false;
    group = 0;
  }
  digits += text.substr(point);
  return group == 3;
}

}  // namespace

std::optional<double> unit_factor(std::string_view unit) {
  unit = text::trimmed(unit);
  if (unit.empty()) return 1;
  if (unit == "%") return 0.01;
  const std::size_t slash = unit.rfind('/');
  if (const auto whole = simple(unit)) return whole;
  if (slash == std::string_view::npos) return std::nullopt;
  const auto above = simple(unit.substr(0, slash)), below = simple(unit.substr(slash + 1));
  if (!above || !below) return std::nullopt;
  return *above / *below;
}

bool is_time_unit(std::string_view unit) {
  const std::string small = text::lowered(text::trimmed(unit));
  return small.ends_with("second") || small == "s" || small == "ms" || small == "us" ||
         small == "ns";
}

std::optional<double> metric_value(std::string_view text, std::string_view unit) {
  std::string digits;
  if (!without_separators(text::trimmed(text), digits)) return std::nullopt;
  const auto number = text::real_number(digits);
  const auto factor = unit_factor(unit);
  if (!number || !factor || !std::isfinite(*number) || *number < 0) return std::nullopt;
  const double value = *number * *factor;
  return value > most_of_a_launch ? std::nullopt : std::optional(value);
}

}  // namespace roofmark::import
