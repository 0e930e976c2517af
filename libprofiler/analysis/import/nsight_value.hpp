// Values of Nsight Compute's tables, in SI base units.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace roofmark::import {

/// The factor to bytes, seconds, hertz, counts, and those per second or cycle: "Kbyte/cycle" is
/// 1000. Nothing for an unknown unit. Prefixes are decimal.
std::optional<double> unit_factor(std::string_view unit);

/// "us", "nsecond": a time without one could be of any.
bool is_time_unit(std::string_view unit);

/// "134,221,568" and "292.93", with the unit's factor. Nothing for "n/a", "", "nan", what is no
/// number, and what is larger than any count.
std::optional<double> metric_value(std::string_view text, std::string_view unit);

}  // namespace roofmark::import
