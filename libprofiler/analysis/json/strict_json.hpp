// JSON from an unknown hand: parsed within limits, every refusal with its line and column.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>

namespace roofmark {

struct JsonLimits {
  std::size_t depth = 64;
  /// Objects keep their order and are searched one by one, so a huge one would take quadratic time.
  std::size_t members = 1000;
};

/// Beside the grammar of RFC 8259 this refuses duplicate keys and what exceeds the limits.
Result<nlohmann::ordered_json> parse_strictly(std::string_view text, const std::string& name,
                                              const JsonLimits& limits = {});

}  // namespace roofmark
