// Numbers in sentences: three significant digits, SI prefixes, independent of the locale, ASCII.
#pragma once

#include <string>
#include <string_view>

namespace roofmark::model {

std::string si(double value, std::string_view unit);  ///< 16.4e9, "B/s" -> "16.4 GB/s"
std::string seconds_text(double seconds);             ///< "1.02 s", "3.1 ms", "45 us"
std::string percent(double share);                    ///< 0.314 -> "31 %"
std::string factor(double value);                     ///< 3.14 -> "3.1x"
std::string number(double value);                     ///< three significant digits
std::string amount(double value);                     ///< "2", "1.25", "50.0 M": a few of something

}  // namespace roofmark::model
