// The shape of a simulated cache hierarchy. Freestanding: shared by the Valgrind tool and host
// code.
#pragma once
#include <cstdint>

namespace roofmark::cache {

inline constexpr std::uint32_t line_bytes = 64;
inline constexpr std::uint32_t max_ways = 32;
// Hashed levels place lines by blocks of so many sets, and sets are sampled within them
// (level.hpp).
inline constexpr std::uint32_t sets_per_block = 16;
constexpr std::uint64_t block_bytes(std::uint32_t ways) {
  return std::uint64_t{sets_per_block} * ways * line_bytes;
}

// How a line finds its set. `modulo` is what first-level caches do. Shared last-level caches hash
// the address over their slices, and a physically indexed L2 sees 4 KiB pages in random order: with
// plain bits of the virtual address a stride of a power of two would fall into a handful of sets
// (naive dgemm, n = 512, L3 = 1 MiB: 8 times the DRAM traffic), which no such machine shows.
enum class Index : std::uint8_t { modulo, hashed };

// ways == 0: the machine has no such level; traffic passes through it.
struct LevelShape {
  std::uint32_t sets = 0;
  std::uint32_t ways = 0;
  Index index = Index::hashed;

  constexpr bool present() const { return ways != 0; }
  constexpr std::uint64_t bytes() const { return std::uint64_t{sets} * ways * line_bytes; }
};

// Any set count is allowed (491520 sets, a prime); a size that is no multiple of ways * 64 is
// rounded down.
constexpr LevelShape level_of_size(std::uint64_t bytes, std::uint32_t ways, Index index) {
  if (bytes == 0 || ways == 0) return {};
  const std::uint64_t sets = bytes / line_bytes / ways;
  return {static_cast<std::uint32_t>(sets == 0 ? 1 : sets), ways, index};
}

struct Geometry {
  LevelShape l1 = level_of_size(48 << 10, 12, Index::modulo);  // private to a thread
  LevelShape l2 = level_of_size(2 << 20, 16, Index::hashed);   // private to a thread
  LevelShape l3 = level_of_size(32 << 20, 16, Index::hashed);  // shared by all threads

  constexpr bool valid() const {
    const auto fits = [](const LevelShape& s) {
      return !s.present() || (s.sets > 0 && s.ways <= max_ways);
    };
    return l1.present() && fits(l1) && fits(l2) && fits(l3);
  }
};

// 1/2^shift of the L2 and L3 sets; 0: all of them. Every access is simulated in L1 whatever is
// sampled. `second_policy_shift`: the share of sets that is simulated with true LRU as well, to
// learn whether a result hangs on the replacement policy; `no_second_policy` turns that off.
inline constexpr std::uint8_t max_sampling_shift = 4;
inline constexpr std::uint8_t max_second_policy_shift = 8;
inline constexpr std::uint8_t no_second_policy = 32;
struct Sampling {
  std::uint8_t shift = 0;
  std::uint8_t second_policy_shift = 6;
};

// The caller's memory: zeroed, never given back. Large blocks come from mmap at best: an L3 of 480
// MiB asks for 79 MB, of which only the touched pages are needed. nullptr: none left.
struct Memory {
  void* (*allocate_zeroed)(void* context, std::uint64_t bytes) = nullptr;
  void* context = nullptr;
};

// `count` objects on a host cache line of their own, or nullptr.
template <class T>
T* allocate_array(const Memory& memory, std::uint64_t count) {
  void* block = memory.allocate_zeroed(memory.context, count * sizeof(T) + line_bytes);
  if (block == nullptr) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  return reinterpret_cast<T*>((address + line_bytes - 1) & ~std::uintptr_t{line_bytes - 1});
}

}  // namespace roofmark::cache
