// How many digits of a number are worth printing: none that its spread does not carry. The one rule
// of every report; web/numbers.js has the same, and tests/report compares the two.
#pragma once

#include <optional>

namespace roofmark::text {

/// Where nothing tells how sure a number is, and at most where something does.
inline constexpr int most_digits = 3;

/// Significant digits of `value` down to the decimal place of its spread's first digit. The spread
/// is how far the further end of its range lies: 0.449 within 0.300 to 0.509 is off by up to 0.149,
/// so that its tenths are carried and its hundredths are not. One digit at least.
int carried_digits(double value, std::optional<double> low, std::optional<double> high);

/// Of a number that is off by up to this share of it.
int carried_digits(double value, double relative_spread);

/// A difference, which may be zero: to the decimal place of its spread's first digit, so that what
/// is far below its spread is 0.
double to_place_of(double difference, double spread);

/// The nearest number of so many significant digits.
double rounded(double value, int digits);

}  // namespace roofmark::text
