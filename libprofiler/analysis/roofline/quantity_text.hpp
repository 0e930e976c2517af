// Numbers in sentences: three significant digits, fewer where the number is not known so well
// (text/digits.hpp), SI prefixes, independent of the locale. `spread`: by how much of itself it may
// be off.
#pragma once

#include <string>
#include <string_view>

namespace roofmark::model {

std::string si(double value, std::string_view unit, double spread = 0);  ///< "16.4 GB/s"
std::string seconds_text(double seconds, double spread = 0);             ///< "1.02 s", "45.0 µs"
std::string percent(double share, double spread = 0);                    ///< 0.314 -> "31 %"
std::string factor(double value);                                        ///< 3.14 -> "3.1x"
std::string number(double value, double spread = 0);
std::string amount(double value);  ///< "2", "1.25", "50.0 M": a few of something

}  // namespace roofmark::model
