// One level of cache: tags, dirty bits, an owner per dirty line, and a replacement policy.
#pragma once
#include <bit>
#include <cstdint>

#include "collectors/emulated/cache/geometry.hpp"
#if defined(__SSE2__)
#include "collectors/emulated/freestanding_intrinsics.hpp"
#endif

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

struct SetState {
  std::uint32_t recent;  // bit-PLRU: used since the last time that all were
  std::uint32_t dirty;
};

// Bit-PLRU: the victim is the lowest way without a mark; a mark that would make all marked clears
// the others.
class BitPlru {
 public:
  bool create(const Memory&, std::uint64_t) { return true; }
  // True when other ways lost their mark.
  bool touch(SetState& s, std::uint64_t, std::uint32_t way, std::uint32_t all) {
    const std::uint32_t bit = 1U << way;
    const std::uint32_t marked = s.recent | bit;
    s.recent = marked == all ? bit : marked;
    return marked == all;
  }
  std::uint32_t victim(const SetState& s, std::uint64_t, std::uint32_t all) const {
    const std::uint32_t unmarked = ~s.recent & all;
    return static_cast<std::uint32_t>(std::countr_zero(unmarked == 0 ? all : unmarked));
  }
};

// True LRU by stamps; for the sample of sets that is simulated a second time, not for speed.
class TrueLru {
 public:
  bool create(const Memory& memory, std::uint64_t slots) {
    stamps_ = allocate_array<std::uint32_t>(memory, slots);
    return stamps_ != nullptr;
  }
  bool touch(SetState&, std::uint64_t first, std::uint32_t way, std::uint32_t) {
    stamps_[first + way] = ++now_;
    return false;
  }
  std::uint32_t victim(const SetState&, std::uint64_t first, std::uint32_t all) const {
    std::uint32_t oldest = 0;
    for (std::uint32_t way = 1; way < max_ways && (all >> way) != 0; ++way) {
      // By distance, so that it stays right when the stamps wrap.
      if (now_ - stamps_[first + way] > now_ - stamps_[first + oldest]) oldest = way;
    }
    return oldest;
  }

 private:
  std::uint32_t* stamps_ = nullptr;
  std::uint32_t now_ = 0;
};

struct Evicted {
  Line line = 0;  // 0: an empty way was filled
  Owner owner = nobody;
};

template <class Policy>
class Level {
 public:
  // `share_shift`: only the lines whose hash lies in the first 1/2^shift are ever looked up, so
  // that only that part of the sets is allocated.
  bool create(const Memory& memory, const LevelShape& shape, std::uint32_t share_shift) {
    shape_ = shape;
    if (!shape.present()) return true;
    all_ = static_cast<std::uint32_t>((std::uint64_t{1} << shape.ways) - 1);
    stride_ = std::bit_ceil(shape.ways < 4 ? 4U : shape.ways);
    share_shift_ = share_shift < 4 ? share_shift : 4;
    blocks_ = shape.sets % sets_per_block == 0 ? shape.sets / sets_per_block : 0;
    mask_ = (shape.sets & (shape.sets - 1)) == 0 ? shape.sets - 1 : 0;
    sets_ = (shape.sets >> share_shift) + 1;
    const std::uint64_t slots = std::uint64_t{sets_} * stride_;
    tags_ = allocate_array<Line>(memory, slots);
    owners_ = allocate_array<Owner>(memory, slots);
    state_ = allocate_array<SetState>(memory, sets_);
    return tags_ != nullptr && owners_ != nullptr && state_ != nullptr &&
           policy_.create(memory, slots);
  }

  bool present() const { return shape_.present(); }

  std::uint32_t set_of(Line line, const Place& place) const {
    if (shape_.index == Index::modulo) return mask_ != 0 ? line & mask_ : line % shape_.sets;
    if (blocks_ != 0) {
      const auto block = static_cast<std::uint32_t>((std::uint64_t{place.block} * blocks_) >> 32);
      return (block * sets_per_block + place.within) >> share_shift_;
    }
    // A set count that blocks do not divide: the lines of a block are spread one by one.
    const std::uint32_t hash = place.block + place.within * 0x9E3779B1U;
    return static_cast<std::uint32_t>((std::uint64_t{hash} * shape_.sets) >> 32);
  }

  // The set's tags will be needed soon: a large simulated cache misses in the host's own caches.
  void prefetch(std::uint32_t set) const { __builtin_prefetch(&tags_[first(set)]); }

  // The way that holds the line, or -1.
  int find(std::uint32_t set, Line line) const {
    const std::uint32_t matches = matching(&tags_[first(set)], stored(line)) & all_;
    return matches == 0 ? -1 : std::countr_zero(matches);
  }

  bool touch(std::uint32_t set, std::uint32_t way) {
    return policy_.touch(state_[set], first(set), way, all_);
  }

  // Puts a line, which must not be there, in the victim's way; says which way through `way`.
  Evicted insert(std::uint32_t set, Line line, Owner owner, std::uint32_t& way) {
    SetState& s = state_[set];
    way = holed_ ? hole_or_victim(set) : policy_.victim(s, first(set), all_);
    const std::uint64_t slot = first(set) + way;
    const std::uint32_t bit = 1U << way;
    Evicted out{tags_[slot], nobody};
    if ((s.dirty & bit) != 0) out.owner = owners_[slot];
    tags_[slot] = stored(line);
    if (owner != nobody) {
      owners_[slot] = owner;
      s.dirty |= bit;
    } else {
      s.dirty &= ~bit;
    }
    return out;
  }
  Evicted insert(std::uint32_t set, Line line, Owner owner) {
    std::uint32_t way = 0;
    const Evicted out = insert(set, line, owner, way);
    touch(set, way);
    return out;
  }

  bool dirty(std::uint32_t set, std::uint32_t way) const {
    return (state_[set].dirty >> way & 1) != 0;
  }

  // The first to dirty a line stays its owner until the line is written back.
  void make_dirty(std::uint32_t set, std::uint32_t way, Owner owner) {
    SetState& s = state_[set];
    if ((s.dirty >> way & 1) != 0) return;
    s.dirty |= 1U << way;
    owners_[first(set) + way] = owner;
  }

  // Clears the dirty bit and says whose it was.
  Owner clean(std::uint32_t set, std::uint32_t way) {
    SetState& s = state_[set];
    if ((s.dirty >> way & 1) == 0) return nobody;
    s.dirty &= ~(1U << way);
    return owners_[first(set) + way];
  }

  Owner remove(std::uint32_t set, std::uint32_t way) {
    const Owner owner = clean(set, way);
    tags_[first(set) + way] = 0;
    state_[set].recent &= ~(1U << way);
    holed_ = true;
    return owner;
  }

  Line tag(std::uint32_t set, std::uint32_t way) const { return tags_[first(set) + way]; }
  std::uint32_t marked(std::uint32_t set) const { return state_[set].recent; }
  std::uint32_t ways() const { return shape_.ways; }
  std::uint32_t sets() const { return present() ? sets_ : 0; }

  // f(line, owner) for every dirty line, which is clean afterwards.
  template <class F>
  void clean_all(F&& f) {
    for (std::uint32_t set = 0; set < sets(); ++set) {
      for (std::uint32_t dirty = state_[set].dirty; dirty != 0; dirty &= dirty - 1) {
        const std::uint64_t slot = first(set) + static_cast<std::uint32_t>(std::countr_zero(dirty));
        f(tags_[slot], owners_[slot]);
      }
      state_[set].dirty = 0;
    }
  }

  template <class F>
  void for_each_line(F&& f) const {
    for (std::uint32_t set = 0; set < sets(); ++set) {
      for (std::uint32_t way = 0; way < shape_.ways; ++way) {
        if (tag(set, way) != 0) f(tag(set, way));
      }
    }
  }

 private:
  std::uint64_t first(std::uint32_t set) const { return std::uint64_t{set} * stride_; }

  // Ways emptied by an invalidation are filled before anything is thrown out.
  std::uint32_t hole_or_victim(std::uint32_t set) {
    const std::uint32_t empty = matching(&tags_[first(set)], 0) & all_;
    if (empty == 0) return policy_.victim(state_[set], first(set), all_);
    const std::uint32_t unmarked = empty & ~state_[set].recent;
    return static_cast<std::uint32_t>(std::countr_zero(unmarked != 0 ? unmarked : empty));
  }

  std::uint32_t matching(const Line* tags, Line line) const {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(line));
    const auto four = [&](std::uint32_t group) {
      return _mm_cmpeq_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(tags) + group),
                             wanted);
    };
    if (stride_ == 16) {
      const __m128i low = _mm_packs_epi32(four(0), four(1));
      const __m128i high = _mm_packs_epi32(four(2), four(3));
      return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
    }
    std::uint32_t found = 0;
    for (std::uint32_t group = 0; group * 4 < stride_; ++group) {
      found |= static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(four(group))))
               << (group * 4);
    }
    return found;
#else
    std::uint32_t found = 0;
    for (std::uint32_t way = 0; way < stride_; ++way)
      found |= std::uint32_t{tags[way] == line} << way;
    return found;
#endif
  }

  LevelShape shape_{};
  std::uint32_t all_ = 0;
  std::uint32_t stride_ = 4;
  std::uint32_t mask_ = 0;    // modulo and a power of two
  std::uint32_t blocks_ = 0;  // hashed and divisible into blocks
  std::uint32_t share_shift_ = 0;
  std::uint32_t sets_ = 0;
  Line* tags_ = nullptr;
  Owner* owners_ = nullptr;
  SetState* state_ = nullptr;
  Policy policy_{};
  bool holed_ = false;  // some way was emptied since the start
};

}  // namespace roofmark::cache
