#include "proc_text.hpp"

#include <algorithm>

namespace roofmark {

std::optional<std::string_view> stat_field(std::string_view line, int number) {
  // The name stands in parentheses: the last one ends it.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= line.size()) return std::nullopt;
  std::string_view rest = line.substr(name_end + 2);
  for (int field = 3; field < number; ++field) {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(blank + 1);
  }
  return rest.substr(0, rest.find_first_of(" \n"));
}

std::vector<std::string_view> zero_ended(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace roofmark
