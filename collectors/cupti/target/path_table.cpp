#include "path_table.hpp"

#include <algorithm>
#include <cstring>

namespace roofmark::cupti {

PathTable::PathTable(std::size_t limit) : limit_(limit) {
  entries_.push_back({0, {}});
}

std::uint32_t PathTable::child(std::uint32_t parent, std::string_view name) {
  std::pair<std::uint32_t, std::string> key{parent, name};
  if (const auto known = numbers_.find(key); known != numbers_.end()) return known->second;
  if (entries_.size() >= limit_) {
    constexpr std::string_view other = "(other)";
    if (parent == 0 && name == other) {
      // The one that is always made, so that there is a place for all others.
    } else {
      return child(0, other);
    }
  }
  const auto number = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({parent, key.second});
  numbers_.emplace(std::move(key), number);
  return number;
}

std::uint32_t PathTable::number_of(std::string_view encoded) {
  std::uint32_t path = 0;
  std::string_view rest = encoded;
  // Whole before anything is made of it.
  while (!rest.empty()) {
    std::uint32_t length = 0;
    if (rest.size() < sizeof length) return 0;
    std::memcpy(&length, rest.data(), sizeof length);
    rest.remove_prefix(sizeof length);
    if (rest.size() < length) return 0;
    rest.remove_prefix(length);
  }
  while (!encoded.empty()) {
    std::uint32_t length = 0;
    std::memcpy(&length, encoded.data(), sizeof length);
    path = child(path, encoded.substr(sizeof length, length));
    encoded.remove_prefix(sizeof length + length);
  }
  return path;
}

LaunchPath PathTable::names(std::uint32_t path) const {
  LaunchPath names;
  for (; path != 0; path = entries_[path].parent) names.push_back(entries_[path].name);
  std::reverse(names.begin(), names.end());
  return names;
}

}  // namespace roofmark::cupti
