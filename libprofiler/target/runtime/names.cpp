#include "names.hpp"

#include <string.h>

namespace roofmark::runtime {

// Eight bytes a step, multiply and fold (the mixing step of MUM hashes).
uint64_t Names::hash(const char* bytes, size_t length) {
  constexpr uint64_t factor = 0x9e3779b97f4a7c15;
  uint64_t state = length * factor;
  while (length != 0) {
    uint64_t word = 0;
    const size_t step = length < 8 ? length : 8;
    memcpy(&word, bytes, step);
    const auto product = static_cast<unsigned __int128>(state ^ word) * factor;
    state = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    bytes += step;
    length -= step;
  }
  return state;
}

uint32_t Names::find(const char* bytes, size_t length) const {
  const Table* table = load_acquire(table_);
  if (table == nullptr) return none;
  const uint64_t wanted = hash(bytes, length);
  for (uint64_t at = wanted;; ++at) {
    const NameEntry* entry = load_acquire(table->slots[at & table->mask]);
    if (entry == nullptr) return none;
    if (entry->hash == wanted && entry->length == length &&
        memcmp(entry->bytes, bytes, length) == 0)
      return entry->id;
  }
}

bool Names::grow() {
  const uint32_t capacity = capacity_ == 0 ? 256 : capacity_ * 2;
  const uint64_t slots = uint64_t{capacity} * 2;
  auto** entries = pool_.take_array<NameEntry*>(capacity);
  auto* table = static_cast<Table*>(pool_.take(sizeof(Table) + slots * sizeof(NameEntry*)));
  if (entries == nullptr || table == nullptr) return false;
  table->mask = slots - 1;
  for (uint32_t id = 1; id <= count_; ++id) {
    entries[id] = entries_[id];
    uint64_t at = entries[id]->hash;
    while (table->slots[at & table->mask] != nullptr) ++at;
    table->slots[at & table->mask] = entries[id];
  }
  entries_ = entries;
  capacity_ = capacity;
  store_release(table_, table);
  return true;
}

uint32_t Names::add(const char* bytes, size_t length) {
  if (const uint32_t known = find(bytes, length); known != none) return known;
  if (count_ + 1 >= capacity_ && !grow()) return none;
  auto* entry = pool_.take_array<NameEntry>(1);
  auto* copy = static_cast<char*>(pool_.take(length == 0 ? 1 : length));
  if (entry == nullptr || copy == nullptr) return none;
  memcpy(copy, bytes, length);
  entry->bytes = copy;
  entry->length = static_cast<uint32_t>(length);
  entry->hash = hash(bytes, length);
  entry->id = ++count_;
  entries_[entry->id] = entry;
  uint64_t at = entry->hash;
  while (table_->slots[at & table_->mask] != nullptr) ++at;
  store_release(table_->slots[at & table_->mask], entry);
  return entry->id;
}

}  // namespace roofmark::runtime
