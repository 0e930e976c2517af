// What a flag of a region means to its reader.
#pragma once

#include <string>
#include <string_view>

namespace roofmark::report {

/// One clause, or an empty text for a flag that is not known.
std::string_view meaning_of_flag(std::string_view flag);

}  // namespace roofmark::report
