// Numbers as people read them. The C locale always; what is not a finite number is "-".
#pragma once

#include <functional>
#include <roofmark/report.hpp>
#include <string>
#include <string_view>

#include "analysis/text/quantities.hpp"

namespace roofmark::report {

using text::significant;
using text::significant_padded;

/// "20 TFLOP/s", "213 MB/s": an SI prefix and the unit, so many significant digits.
std::string with_prefix(double value, std::string_view unit, int digits = 3);

/// "1.23 s", "12.3 ms", "450 us" ("µs" with utf8), "2 min 5 s" is left as "125 s".
std::string duration(double seconds, bool utf8 = true);

/// "81%", "9.3%", "<0.1%"; a measured zero is "0%": for tables, whose columns are narrow.
std::string percent(double fraction);
/// The same in a sentence: "81 %".
std::string percent_text(double fraction);

/// The same of numbers with a range: no digit that the range does not carry (text/digits.hpp), and
/// a "~" before the middle of one. A zero with an upper end is told as "0 to 1.54 kB". `scale`: the
/// number is told in units of so much.
std::string significant(const Interval& number, double scale = 1);
std::string significant_padded(const Interval& number, double scale = 1);
std::string with_prefix(const Interval& number, std::string_view unit);
std::string duration(const Interval& seconds, bool utf8 = true);
std::string percent(const Interval& fraction);
std::string percent_text(const Interval& fraction);
/// To the digits of a number that is off by up to this share of it: not a range, so that no "~"
/// stands before it.
double within_share(double value, double relative_spread);
/// "1.6x": how many times as fast, of two digits at most.
std::string gain_text(double gain, double relative_spread);
/// Of a share that is known within a part of itself; without a "~", since it is not a middle.
std::string percent(double fraction, double relative_spread);
std::string percent_text(double fraction, double relative_spread);
/// " (300 ms to 509 ms)", the ends with one digit more; empty where it is no range.
std::string range_text(const Interval& number, const std::function<std::string(double)>& told);

/// "12345" up to six digits, then "1.23 M".
std::string whole(double count);

/// For the ticks of an axis: "0.01", "500", "1e-09", "2e+12".
std::string tick_text(double value);

/// The shortest form that reads back as the same double: for files.
std::string exact(double value);

}  // namespace roofmark::report
