// The bytes of a recording file, and its items found without trusting any of them.
#pragma once

#include <cstdint>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

#include "libprofiler/arena/layout.h"

namespace roofmark {

template <class T>
struct ArenaKind;
template <>
struct ArenaKind<arena::Name> {
  static constexpr arena::ItemKind value = arena::ItemKind::name;
};
template <>
struct ArenaKind<arena::Thread> {
  static constexpr arena::ItemKind value = arena::ItemKind::thread;
};
template <>
struct ArenaKind<arena::Record> {
  static constexpr arena::ItemKind value = arena::ItemKind::record;
};
template <>
struct ArenaKind<arena::Histogram> {
  static constexpr arena::ItemKind value = arena::ItemKind::histogram;
};
template <>
struct ArenaKind<arena::Events> {
  static constexpr arena::ItemKind value = arena::ItemKind::events;
};
template <>
struct ArenaKind<arena::Counting> {
  static constexpr arena::ItemKind value = arena::ItemKind::counting;
};

class ArenaImage {
 public:
  struct Item {
    arena::ItemKind kind;
    std::uint64_t offset, bytes;
  };

  /// A copy of the file as it is now.
  static Result<ArenaImage> load(const std::string& path);

  const arena::FileHeader& header() const {
    return *reinterpret_cast<const arena::FileHeader*>(words_.data());
  }
  /// Every item that lies whole in a segment; what can't be read is told in `damage`.
  std::vector<Item> items(std::vector<std::string>& damage) const;

  /// The item as its type; null if it is of another kind or too short.
  template <class T>
  const T* as(const Item& item) const {
    if (item.kind != ArenaKind<T>::value || item.bytes < sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes() + item.offset);
  }

 private:
  const char* bytes() const { return reinterpret_cast<const char*>(words_.data()); }
  std::uint64_t size() const { return words_.size() * sizeof(std::uint64_t); }

  std::vector<std::uint64_t> words_;  // aligned for every item
};

}  // namespace roofmark
