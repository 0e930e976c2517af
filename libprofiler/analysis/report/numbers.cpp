#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/text/digits.hpp"

namespace roofmark::report {
namespace {

bool is_range(const Interval& number) {
  return number.low || number.high;
}

std::string middle_mark(const Interval& number) {
  return is_range(number) ? "~" : "";
}

int digits_of(const Interval& number) {
  return text::carried_digits(number.value, number.low, number.high);
}

/// A zero that is not sure: a sample saw none, and its bound is all that is known.
bool is_unsure_zero(const Interval& number) {
  return number.value == 0 && number.high && *number.high > 0 && std::isfinite(*number.high);
}

/// Numbers without a range stay as they are: whole ones keep all their digits.
double carried(const Interval& number) {
  return is_range(number) ? text::rounded(number.value, digits_of(number)) : number.value;
}

/// `told` makes words of a number and so many digits of it. A zero has no middle to be marked.
template <class Told>
std::string in_words(const Interval& number, Told told) {
  if (is_unsure_zero(number))
    return "0 to " + told(text::rounded(*number.high, text::most_digits), text::most_digits);
  return middle_mark(number) + told(carried(number), digits_of(number));
}

}  // namespace

std::string significant(const Interval& number, double scale) {
  return in_words(number,
                  [&](double value, int digits) { return significant(value / scale, digits); });
}

std::string significant_padded(const Interval& number, double scale) {
  return in_words(
      number, [&](double value, int digits) { return significant_padded(value / scale, digits); });
}

std::string with_prefix(const Interval& number, std::string_view unit) {
  return in_words(number,
                  [&](double value, int digits) { return with_prefix(value, unit, digits); });
}

std::string duration(const Interval& seconds, bool utf8) {
  return in_words(seconds, [&](double value, int) { return duration(value, utf8); });
}

std::string percent(const Interval& fraction) {
  return in_words(fraction, [](double value, int) { return percent(value); });
}

std::string percent_text(const Interval& fraction) {
  return in_words(fraction, [](double value, int) { return percent_text(value); });
}

std::string range_text(const Interval& number, const std::function<std::string(double)>& told) {
  if (!is_range(number) || is_unsure_zero(number)) return "";  // that is its range already
  const int digits = std::min(digits_of(number) + 1, text::most_digits);
  const std::string low = told(text::rounded(number.low.value_or(number.value), digits));
  if (number.high && std::isinf(*number.high)) return fmt::format(" (at least {})", low);
  const std::string high = told(text::rounded(number.high.value_or(number.value), digits));
  return low == high ? "" : fmt::format(" ({} to {})", low, high);
}

std::string whole(double count) {
  if (!std::isfinite(count)) return "-";
  if (std::abs(count) < 1e6) return fmt::format("{:.0f}", count);
  const std::string text = with_prefix(count, "", 3);
  std::string compact;
  for (const char c : text)
    if (c != ' ') compact += c;
  return compact;
}

std::string tick_text(double value) {
  if (!std::isfinite(value) || value == 0) return significant(value);
  const double size = std::abs(value);
  return size < 0.9e-4 || size > 1.1e5 ? fmt::format("{:.0e}", value) : significant(value);
}

std::string exact(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

}  // namespace roofmark::report
