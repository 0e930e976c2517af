// Numbers as people type them: "20e12", "20T", "200 GB/s".
#pragma once

#include <roofmark/result.hpp>
#include <string>
#include <string_view>

namespace roofmark {

/// A positive finite number with an optional SI prefix and unit; `unit` is what may follow ("B/s").
Result<double> parse_quantity(std::string_view text, std::string_view unit);

}  // namespace roofmark
