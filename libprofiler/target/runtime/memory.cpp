#include "memory.hpp"

#include <string.h>
#include <sys/mman.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace roofmark::runtime {
namespace {

constexpr size_t alignment = 64;
constexpr size_t first_chunk_bytes = size_t{32} * 1024;
constexpr size_t largest_chunk_bytes = size_t{16} * 1024 * 1024;

size_t aligned(size_t bytes) {
  return (bytes + alignment - 1) & ~(alignment - 1);
}

}  // namespace

void* map_pages(size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  return pages;
}

void wipe_in_fork_children(void* pages, size_t bytes) {
  (void)madvise(pages, bytes, MADV_WIPEONFORK);
}

void* Pool::take(size_t bytes) {
  bytes = aligned(bytes);
  while (chunk_ == nullptr || used_ + bytes > chunk_->bytes) {
    Chunk* next = chunk_ == nullptr ? first_ : chunk_->next;
    if (next == nullptr) {
      size_t chunk_bytes = chunk_ == nullptr ? first_chunk_bytes : chunk_->bytes * 2;
      if (chunk_bytes > largest_chunk_bytes) chunk_bytes = largest_chunk_bytes;
      if (chunk_bytes < bytes + alignment) chunk_bytes = (bytes + alignment + 4095) & ~size_t{4095};
      next = static_cast<Chunk*>(map_pages(chunk_bytes));
      if (next == nullptr) return nullptr;
      next->bytes = chunk_bytes;
      (chunk_ == nullptr ? first_ : chunk_->next) = next;
    }
    chunk_ = next;
    used_ = alignment;
  }
  void* taken = reinterpret_cast<char*>(chunk_) + used_;
  used_ += bytes;
  memset(taken, 0, bytes);
  return taken;
}

void Pool::reset() {
  chunk_ = nullptr;
  used_ = 0;
}

void Pool::abandon() {
  first_ = nullptr;
  reset();
}

}  // namespace roofmark::runtime
