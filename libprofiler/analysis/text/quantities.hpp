// Significant digits and prefixes of the SI: how every report and sentence writes a quantity. The C
// locale always; what is not a finite number is "-".
#pragma once

#include <string>
#include <string_view>

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

}  // namespace roofmark::text
