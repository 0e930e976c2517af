// Lines, where they go, the sets that hold them, and which of its ways a set gives up. Ways are
// handed on as bits: what a search finds, and what marks are made of.
#pragma once
#include <cstdint>

#include "collectors/emulated/cache/geometry.hpp"

namespace roofmark::cache {

// A line number is the address / 64 modulo 2^32: 256 GiB of address space, of which Valgrind gives
// its client 128. 0 marks an empty way, so address 0 (never mapped) shares its number with the
// topmost line.
using Line = std::uint32_t;
constexpr Line line_of(std::uint64_t address) {
  return static_cast<Line>(address / line_bytes);
}
constexpr Line stored(Line line) {
  return line == 0 ? ~Line{0} : line;
}

// Who turned a line dirty, as number of the owner + 1; 0 is nobody: the line is clean.
using Owner = std::uint32_t;
inline constexpr Owner nobody = 0;

// Where a line goes in the hashed levels. 16 neighbours form a block; the block's hash chooses 16
// adjacent sets and the order of its lines in them. So a contiguous array fills the sets evenly (a
// hash of single lines would overflow some long before the cache is full), strides of powers of two
// spread, and the simulation finds the sets of neighbouring lines side by side in the host's
// memory. A sample of sets takes the same `within` in every level: one line of each block, whatever
// the array.
struct Place {
  std::uint32_t block = 0;   // hash of the block, to be scaled to the number of blocks of sets
  std::uint32_t within = 0;  // 0 .. 15
};

constexpr Place place_of(Line line) {
  const std::uint32_t number = line / sets_per_block;
  const std::uint32_t hash = (number ^ (number >> 11) ^ (number >> 23)) * 0x9E3779B1U;
  return {hash, (line ^ (hash >> 8)) % sets_per_block};
}

// Who dirtied a set's lines, where that is more than one.
inline constexpr Owner several = ~Owner{0};

// What is known of a set's ways, a bit each; their tags come after it in memory. The lines of a set
// mostly have one owner: to know it, the host need not touch a second array.
struct alignas(16) Set {
  std::uint32_t recent;  // bit-PLRU: used since the last time that all were
  std::uint32_t dirty;
  Owner owner;  // of all dirty lines; `several`: each has its own

  Line* tags() { return reinterpret_cast<Line*>(this + 1); }
  const Line* tags() const { return reinterpret_cast<const Line*>(this + 1); }
};

// Of one bit, or of the lowest.
inline std::uint32_t number_of(std::uint32_t bit) {
  return static_cast<std::uint32_t>(__builtin_ctz(bit));
}

// Bit-PLRU: the victim is the lowest way without a mark; a mark that would make all marked clears
// the others.
class BitPlru {
 public:
  static constexpr std::uint32_t arrays = 0;
  // True when other ways lost their mark.
  bool touch(Set& s, std::uint32_t bit, std::uint32_t all, std::uint64_t) {
    const std::uint32_t marked = s.recent | bit;
    s.recent = marked == all ? bit : marked;
    return marked == all;
  }
  // The victim, touched.
  std::uint32_t replace(Set& s, std::uint32_t all, std::uint64_t, bool& cleared) {
    std::uint32_t unmarked = ~s.recent & all;
    if (unmarked == 0) unmarked = all;  // there is one way
    const std::uint32_t others = unmarked & (unmarked - 1);
    const std::uint32_t bit = unmarked ^ others;
    cleared = others == 0;
    s.recent = cleared ? bit : s.recent | bit;
    return bit;
  }
};

// True LRU by stamps; for the sample of sets that is simulated a second time, not for speed.
class TrueLru {
 public:
  static constexpr std::uint32_t arrays = 1;
  // `words`: from a way's tag to its stamp.
  bool touch(Set& s, std::uint32_t bit, std::uint32_t, std::uint64_t words) {
    s.tags()[words + number_of(bit)] = ++now_;
    return false;
  }
  std::uint32_t replace(Set& s, std::uint32_t all, std::uint64_t words, bool& cleared) {
    const std::uint32_t* const stamps = s.tags() + words;
    std::uint32_t oldest = 0;
    for (std::uint32_t way = 1; way < max_ways && (all >> way) != 0; ++way) {
      // By distance, so that it stays right when the stamps wrap.
      if (now_ - stamps[way] > now_ - stamps[oldest]) oldest = way;
    }
    cleared = touch(s, 1U << oldest, all, words);
    return 1U << oldest;
  }

 private:
  std::uint32_t now_ = 0;
};

}  // namespace roofmark::cache
