// Comma-separated values of an unknown hand, RFC 4180 and what comes before and after it.
#pragma once

#include <cstddef>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark::import {

struct CsvRecord {
  std::size_t line = 1;  ///< where it begins, from 1
  std::vector<std::string> fields;
};

/// What to say of text in UTF-16, with what to do; nothing of other text.
std::optional<Problem> utf16_problem(std::string_view text, const std::string& name,
                                     const std::string& remedy);

/// Every record, also lines that are none (a program's own output) as a record of one or more
/// fields. A byte order mark is left out; text in UTF-16 is a Problem with the remedy.
Result<std::vector<CsvRecord>> csv_records(std::string_view text, const std::string& name);

}  // namespace roofmark::import
