// What CLI11 prints of a command, for a terminal: it puts every description into one line.
#pragma once

#include <string>
#include <string_view>

namespace roofmark::cli {

/// Descriptions are broken at blanks, and go on below themselves; other lines at their own start.
std::string wrapped_help(std::string_view help, std::size_t columns);

}  // namespace roofmark::cli
