// Launch paths under small numbers: 0 is the empty one. Pure; its owner locks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectors/cupti/results.hpp"

namespace roofmark::cupti {

class PathTable {
 public:
  /// Beyond `limit` paths, new ones are "(other)" of the outermost region.
  explicit PathTable(std::size_t limit = 20000);

  /// From the runtime's form: for each name its length (uint32_t) and bytes. A form that does not
  /// hold together is the empty path.
  std::uint32_t number_of(std::string_view encoded);
  std::uint32_t child(std::uint32_t parent, std::string_view name);

  std::uint32_t parent(std::uint32_t path) const { return entries_[path].parent; }
  LaunchPath names(std::uint32_t path) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint32_t parent;
    std::string name;
  };
  std::size_t limit_;
  std::vector<Entry> entries_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> numbers_;
};

}  // namespace roofmark::cupti
