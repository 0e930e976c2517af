// Numbers as people read them. The C locale always; what is not a finite number is "-".
#pragma once

#include <functional>
#include <roofmark/report.hpp>
#include <string>
#include <string_view>

#include "analysis/text/quantities.hpp"

namespace roofmark::report {

using text::duration;
using text::gain_text;
using text::percent;
using text::percent_text;
using text::significant;
using text::significant_padded;
using text::with_prefix;
using text::within_share;

/// Those of text/quantities.hpp of numbers with a range: no digit that the range does not carry
/// (text/digits.hpp), and a "~" before the middle of one. A zero with an upper end is told as "0
/// to 1.54 kB". `scale`: the number is told in units of so much.
std::string significant(const Interval& number, double scale = 1);
std::string significant_padded(const Interval& number, double scale = 1);
std::string with_prefix(const Interval& number, std::string_view unit);
std::string duration(const Interval& seconds, bool utf8 = true);
std::string percent(const Interval& fraction);
std::string percent_text(const Interval& fraction);
/// " (300 ms to 509 ms)", the ends with one digit more; empty where it is no range.
std::string range_text(const Interval& number, const std::function<std::string(double)>& told);

/// "12345" up to six digits, then "1.23 M".
std::string whole(double count);

/// For the ticks of an axis: "0.01", "500", "1e-09", "2e+12".
std::string tick_text(double value);

/// The shortest form that reads back as the same double: for files.
std::string exact(double value);

}  // namespace roofmark::report
