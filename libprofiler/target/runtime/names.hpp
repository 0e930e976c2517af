// Every name once per process, under a number that lives as long as the process: sites, and the
// children of a region, are told apart by it. The bytes are copied: a library that is unloaded may
// take its literals with it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "memory.hpp"

namespace roofmark::runtime {

struct NameEntry {
  const char* bytes;
  uint32_t length;
  uint32_t id;
  uint64_t hash;
  uint64_t file_offset;  // of its item in the recording; valid for that generation of the file
  uint32_t generation;
};

class Names {
 public:
  static constexpr uint32_t none = 0;

  /// The name's number if it has one; takes no lock.
  uint32_t find(const char* bytes, size_t length) const;
  /// Gives it a number; needs the lock. `none`: no memory.
  uint32_t add(const char* bytes, size_t length);
  /// Needs the lock.
  NameEntry* entry(uint32_t id) const { return entries_[id]; }

 private:
  struct Table {
    uint64_t mask;
    NameEntry* slots[1];
  };
  static uint64_t hash(const char* bytes, size_t length);
  bool grow();

  Pool pool_;
  Table* table_ = nullptr;  // replaced as a whole; old ones stay readable
  NameEntry** entries_ = nullptr;
  uint32_t count_ = 0, capacity_ = 0;
};

}  // namespace roofmark::runtime
