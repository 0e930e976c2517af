// Significant digits and prefixes of the SI: how every report and sentence writes a quantity. The C
// locale always; what is not a finite number is "-".
#pragma once

#include <string>
#include <string_view>

#include "digits.hpp"

namespace roofmark::text {

/// "2.13", "0.0835", "1.2e-09": so many significant digits, trailing zeros of the fraction kept
/// out.
std::string significant(double value, int digits = 3);
/// The same with the zeros, so that the numbers of a column line up: "2.20".
std::string significant_padded(double value, int digits = 3);

/// A finite number in units of a prefix: it lies from 1 to below 1000 when it is rounded to so many
/// digits, as far as there are prefixes.
struct Prefixed {
  double value = 0;
  std::string_view prefix;
};
Prefixed prefixed(double value, int digits);

/// "20 TFLOP/s", "213 MB/s": an SI prefix and the unit, so many significant digits.
std::string with_prefix(double value, std::string_view unit, int digits = most_digits);

/// "1.23 s", "12.3 ms", "450 us" ("µs" with utf8), "2 min 5 s" is left as "125 s".
std::string duration(double seconds, bool utf8 = true);

/// "81%", "9.3%", "<0.1%"; a measured zero is "0%": for tables, whose columns are narrow.
std::string percent(double fraction);
/// The same in a sentence: "81 %".
std::string percent_text(double fraction);

/// To the digits of a number that is off by up to this share of it: not a range, so that no "~"
/// stands before it.
double within_share(double value, double relative_spread);
/// Of a share that is known within a part of itself.
std::string percent(double fraction, double relative_spread);
std::string percent_text(double fraction, double relative_spread);
/// "1.6x": how many times as fast, of two digits at most.
std::string gain_text(double gain, double relative_spread);
/// A number in a sentence, without an exponent: "0.0941", "under 0.001", "12.3 M".
std::string plain(double value, double relative_spread = 0);

}  // namespace roofmark::text
