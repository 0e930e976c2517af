// A hierarchy in host memory, and the access patterns that the cache tests share.
#pragma once
#include <collectors/emulated/cache/hierarchy.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cache_tests {

using namespace roofmark::cache;

struct Pool {
  // Bytes, so that the model's arrays of other types may live in them.
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  Memory memory() { return {&Pool::allocate, this}; }
  static void* allocate(void* self, std::uint64_t bytes) {
    auto& blocks = static_cast<Pool*>(self)->blocks;
    blocks.push_back(std::make_unique<std::byte[]>(bytes));
    return blocks.back().get();
  }
};

inline LevelShape modulo(std::uint64_t bytes, std::uint32_t ways) {
  return level_of_size(bytes, ways, Index::modulo);
}
inline LevelShape hashed(std::uint64_t bytes, std::uint32_t ways) {
  return level_of_size(bytes, ways, Index::hashed);
}

inline constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;
// The prototype of a small server part; big enough kernels run in a second.
inline const Geometry small = {modulo(32 * KiB, 8), hashed(512 * KiB, 8), hashed(8 * MiB, 16)};

struct Machine {
  Pool pool;
  std::unique_ptr<Hierarchy> caches = std::make_unique<Hierarchy>();
  Core* core = nullptr;
  const char* wrong = nullptr;
  explicit Machine(const Geometry& geometry = small, const Sampling& sampling = {}) {
    wrong = caches->create(pool.memory(), geometry, sampling);
    if (wrong == nullptr) core = caches->attach();
  }
  Traffic lines(std::uint32_t owner = 0) const { return *caches->traffic_of(owner); }
  TrafficBytes bytes(std::uint32_t owner = 0) const {
    return bytes_of(*caches->traffic_of(owner), caches->sampling());
  }
};

inline constexpr std::uint64_t base =
    0x10'0000'0000;  // like a client's heap: page aligned, below 128 GiB

// a[i] = b[i] + s * c[i], doubles
inline void triad(Core& core, std::uint64_t n, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                  std::uint32_t vector_bytes = 8) {
  for (std::uint64_t at = 0; at < n * 8; at += vector_bytes) {
    core.load(b + at, vector_bytes);
    core.load(c + at, vector_bytes);
    core.store(a + at, vector_bytes);
  }
}

inline void read(Core& core, std::uint64_t from, std::uint64_t bytes) {
  for (std::uint64_t at = 0; at < bytes; at += 8) core.load(from + at, 8);
}

// a[i] += 1
inline void increment(Core& core, std::uint64_t from, std::uint64_t bytes) {
  for (std::uint64_t at = 0; at < bytes; at += 8) {
    core.load(from + at, 8);
    core.store(from + at, 8);
  }
}

// The first `rows` rows of C = A * B, row major, the textbook's loop order; k innermost walks a
// column of B.
inline void dgemm_naive(Core& core, std::uint64_t n, std::uint64_t rows, std::uint64_t a,
                        std::uint64_t b, std::uint64_t c) {
  for (std::uint64_t i = 0; i < rows; ++i) {
    for (std::uint64_t j = 0; j < n; ++j) {
      for (std::uint64_t k = 0; k < n; ++k) {
        core.load(a + 8 * (i * n + k), 8);
        core.load(b + 8 * (k * n + j), 8);
      }
      core.store(c + 8 * (i * n + j), 8);
    }
  }
}

}  // namespace cache_tests
