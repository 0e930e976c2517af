#include "help_text.hpp"

#include <algorithm>
#include <analysis/text/plain_text.hpp>

namespace roofmark::cli {
namespace {

/// CLI11's first column, which holds the names.
constexpr std::size_t column = 30;
/// Below this nothing is left of the second.
constexpr std::size_t fewest_columns = column + 20;

/// Where a line's description begins; 0: it is text alone.
std::size_t description_of(std::string_view line) {
  if (!line.starts_with("  ") || line.size() <= column || line[column - 1] != ' ') return 0;
  return column;
}

}  // namespace

std::string wrapped_help(std::string_view help, std::size_t columns) {
  if (columns < fewest_columns) return std::string(help);
  std::string result;
  while (!help.empty()) {
    const std::size_t end = std::min(help.find('\n'), help.size());
    const std::string_view line = help.substr(0, end);
    help.remove_prefix(std::min(end + 1, help.size()));
    const std::size_t start = line.size() > columns ? description_of(line) : 0;
    if (line.size() <= columns || (start == 0 && line.starts_with("  "))) {
      result += std::string(line) + '\n';
      continue;
    }
    result += line.substr(0, start);
    bool first = true;
    for (const std::string& part : text::wrapped(line.substr(start), columns - start)) {
      if (!first) result += std::string(start, ' ');
      result += part + '\n';
      first = false;
    }
  }
  return result;
}

}  // namespace roofmark::cli
