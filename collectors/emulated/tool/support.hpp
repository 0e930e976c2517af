// Containers without libc: what the tool needs and no more. Nothing here has a destructor or a
// constructor that runs at start: neither would ever be called in a Valgrind tool.
#pragma once

#include "hash.hpp"
#include "valgrind.hpp"

namespace roofmark::emulator {

/// A growing array. Elements are plain data and never destroyed.
template <class T>
class Vector {
 public:
  UWord size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](UWord i) { return data_[i]; }
  const T& operator[](UWord i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  void clear() { size_ = 0; }
  void pop() { --size_; }
  T& push(const T& value) {
    if (size_ == capacity_) reserve(capacity_ == 0 ? 16 : capacity_ * 2);
    data_[size_] = value;
    return data_[size_++];
  }
  void reserve(UWord capacity) {
    if (capacity <= capacity_) return;
    data_ = static_cast<T*>(VG_(realloc)("roofmark.vector", data_, capacity * sizeof(T)));
    capacity_ = capacity;
  }
  /// Grows or shrinks; new elements are all zero bytes.
  void resize(UWord size) {
    reserve(size);
    if (size > size_) VG_(memset)(data_ + size_, 0, (size - size_) * sizeof(T));
    size_ = size;
  }
  void free() {
    if (data_ != nullptr) VG_(free)(data_);
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

 private:
  T* data_ = nullptr;
  UWord size_ = 0;
  UWord capacity_ = 0;
};

/// 64-bit keys (never 0) to plain values, open addressing.
template <class V>
class Map {
 public:
  struct Entry {
    ULong key;
    V value;
  };
  UWord size() const { return used_; }
  V* find(ULong key) {
    if (entries_.empty()) return nullptr;
    const UWord mask = entries_.size() - 1;
    for (UWord i = mix(key) & mask; entries_[i].key != 0; i = (i + 1) & mask)
      if (entries_[i].key == key) return &entries_[i].value;
    return nullptr;
  }
  /// The key must not be there yet.
  V& insert(ULong key, const V& value) {
    if ((used_ + 1) * 4 > entries_.size() * 3) grow();
    ++used_;
    Entry& e = vacant(key);
    e = {key, value};
    return e.value;
  }
  template <class F>
  void for_each(F&& f) {
    for (Entry& e : entries_)
      if (e.key != 0) f(e.key, e.value);
  }

 private:
  static UWord mix(ULong key) {
    key *= 0x9E3779B97F4A7C15ULL;
    return key ^ (key >> 29);
  }
  Entry& vacant(ULong key) {
    const UWord mask = entries_.size() - 1;
    UWord i = mix(key) & mask;
    while (entries_[i].key != 0) i = (i + 1) & mask;
    return entries_[i];
  }
  void grow() {
    Vector<Entry> old = entries_;
    entries_ = {};
    entries_.resize(old.empty() ? 8 : old.size() * 2);
    for (const Entry& e : old)
      if (e.key != 0) vacant(e.key) = e;
    old.free();
  }
  Vector<Entry> entries_;
  UWord used_ = 0;
};

/// Zeroed pages that are never given back; null where there are none.
void* map_zeroed(UWord bytes);
/// The same for small blocks, cut from large mappings. Ends the run with a line where there are
/// none.
void* allocate_zeroed(UWord bytes);

}  // namespace roofmark::emulator
