// One level of cache: sets of tags, dirty bits and owners under a replacement policy.
#pragma once
#include <bit>
#include <cstdint>

#include "collectors/emulated/cache/geometry.hpp"
#include "collectors/emulated/cache/set.hpp"
#if defined(__SSE2__)
#include "collectors/emulated/freestanding_intrinsics.hpp"
#endif

namespace roofmark::cache {

struct Evicted {
  Line line = 0;  // 0: an empty way was filled
  Owner owner = nobody;
};

// Behind the sets come arrays of the same layout: the owners, of use in sets that several own, and
// what the policy keeps of each way. So a way's owner lies one array's length after its tag.
//
// `fixed`: the stride, where code is made for one; the index of such a level is hashed by blocks.
template <class Policy, std::uint32_t fixed = 0>
class Level {
 public:
  Level() = default;
  // Works on the same sets.
  template <class Same>
  explicit Level(const Same& same)
      : shape_(same.shape_),
        all_(same.all_),
        blocks_(same.blocks_),
        share_shift_(same.share_shift_),
        base_(same.base_),
        words_(same.words_),
        policy_(same.policy_),
        holed_(same.holed_) {}

  // `share_shift`: only the lines whose hash lies in the first 1/2^shift are ever looked up, so
  // that only that part of the sets is allocated.
  bool create(const Memory& memory, const LevelShape& shape, std::uint32_t share_shift) {
    shape_ = shape;
    if (!shape.present()) return true;
    all_ = static_cast<std::uint32_t>((std::uint64_t{1} << shape.ways) - 1);
    stride_ = std::bit_ceil(shape.ways < 4 ? 4U : shape.ways);
    set_bytes_ = bytes_of_set(stride_);
    share_shift_ = share_shift < 4 ? share_shift : 4;
    const bool hashed = shape.index == Index::hashed;
    if (hashed && shape.sets % sets_per_block == 0) blocks_ = shape.sets / sets_per_block;
    if (!hashed && std::has_single_bit(shape.sets)) mask_ = shape.sets - 1;
    sets_ = (shape.sets >> share_shift) + 1;
    const std::uint64_t bytes = std::uint64_t{sets_} * set_bytes_;
    words_ = bytes / sizeof(Line);
    base_ = allocate_array<char>(memory, bytes * (2 + Policy::arrays));
    return base_ != nullptr;
  }

  bool present() const { return fixed != 0 || shape_.present(); }
  // Can a level of this fixed stride stand for it?
  bool is_like(std::uint32_t stride) const { return blocks_ != 0 && stride_ == stride; }

  Set& in(Line line, const Place& place) const { return at(set_of(line, place)); }
  Set& in(Line line) const { return mask_ != 0 ? at(line & mask_) : in(line, place_of(line)); }

  // Into the host's own caches. Inline in any case: to the compiler it is a function that does
  // nothing, a call of which it leaves out.
  [[gnu::always_inline]] void prefetch(const Set& set) const {
    __builtin_prefetch(&set);
    if (stride() > 12) __builtin_prefetch(set.tags() + 12);
  }

  // The bit of the way that holds the line (`stored`), or 0.
  std::uint32_t find(const Set& set, Line line) const { return matching(set.tags(), line); }

  // True when other ways lost their mark.
  bool touch(Set& set, std::uint32_t bit) { return policy_.touch(set, bit, all_, 2 * words_); }

  // Puts a line, which must not be there, in the victim's way, and touches it; `cleared`: other
  // ways lost their mark.
  Evicted insert(Set& set, Line line, Owner owner, bool& cleared) {
    const std::uint32_t bit =
        holed_ ? hole_or_victim(set, cleared) : policy_.replace(set, all_, 2 * words_, cleared);
    Line& tag = set.tags()[number_of(bit)];
    const std::uint32_t dirty = set.dirty;
    Evicted out{tag, nobody};
    if ((dirty & bit) != 0) out.owner = owner_of(set, tag);
    tag = line;
    set.dirty = dirty & ~bit;
    if (owner != nobody) make_dirty(set, bit, owner);
    return out;
  }
  Evicted insert(Set& set, Line line, Owner owner) {
    bool cleared = false;
    return insert(set, line, owner, cleared);
  }

  // The first to dirty a line stays its owner until the line is written back.
  void make_dirty(Set& set, std::uint32_t bit, Owner owner) {
    if ((set.dirty & bit) != 0) return;
    if (set.owner != owner) add_owner(set, bit, owner);
    set.dirty |= bit;
  }

  // Clears the dirty bit and says whose it was.
  Owner clean(Set& set, std::uint32_t bit) {
    if ((set.dirty & bit) == 0) return nobody;
    set.dirty &= ~bit;
    return owner_of(set, set.tags()[number_of(bit)]);
  }

  Owner remove(Set& set, std::uint32_t bit) {
    const Owner owner = clean(set, bit);
    set.tags()[number_of(bit)] = 0;
    set.recent &= ~bit;
    holed_ = true;
    return owner;
  }

  std::uint32_t ways() const { return shape_.ways; }
  std::uint32_t sets() const { return present() ? sets_ : 0; }

  // f(line, owner) for every dirty line, which is clean afterwards.
  template <class F>
  void clean_all(F&& f) {
    for (std::uint32_t i = 0; i < sets(); ++i) {
      Set& set = at(i);
      for (std::uint32_t dirty = set.dirty; dirty != 0; dirty &= dirty - 1) {
        Line& tag = set.tags()[number_of(dirty)];
        f(tag, owner_of(set, tag));
      }
      set.dirty = 0;
    }
  }

  template <class F>
  void for_each_line(F&& f) const {
    for (std::uint32_t i = 0; i < sets(); ++i) {
      for (std::uint32_t way = 0; way < shape_.ways; ++way) {
        if (at(i).tags()[way] != 0) f(at(i).tags()[way]);
      }
    }
  }

 private:
  template <class, std::uint32_t>
  friend class Level;

  static constexpr std::uint32_t bytes_of_set(std::uint32_t stride) {
    return static_cast<std::uint32_t>(sizeof(Set) + stride * sizeof(Line));
  }
  std::uint32_t stride() const { return fixed != 0 ? fixed : stride_; }
  Set& at(std::uint32_t set) const {
    const std::uint64_t bytes = fixed != 0 ? bytes_of_set(fixed) : set_bytes_;
    return *reinterpret_cast<Set*>(base_ + set * bytes);
  }

  std::uint32_t set_of(Line line, const Place& place) const {
    if (fixed != 0 || blocks_ != 0) {
      const auto block = static_cast<std::uint32_t>((std::uint64_t{place.block} * blocks_) >> 32);
      return (block * sets_per_block + place.within) >> share_shift_;
    }
    if (mask_ != 0) return line & mask_;
    if (shape_.index == Index::modulo) return line % shape_.sets;
    // A set count that blocks do not divide: the lines of a block are spread one by one.
    const std::uint32_t hash = place.block + place.within * 0x9E3779B1U;
    return static_cast<std::uint32_t>((std::uint64_t{hash} * shape_.sets) >> 32);
  }

  Owner& owner_of(Line& tag) const { return (&tag)[words_]; }
  Owner owner_of(const Set& set, Line& tag) const {
    return set.owner == several ? owner_of(tag) : set.owner;
  }

  // For a line that turns dirty in a set that others dirtied.
  [[gnu::noinline]] void add_owner(Set& set, std::uint32_t bit, Owner owner) {
    const auto all_dirty = [&](auto&& holds) {
      for (std::uint32_t dirty = set.dirty; dirty != 0; dirty &= dirty - 1)
        if (!holds(set.tags()[number_of(dirty)])) return false;
      return true;
    };
    const auto is_its = [&](Line& tag) { return owner_of(tag) == owner; };
    if (set.dirty == 0 || (set.owner == several && all_dirty(is_its))) {
      set.owner = owner;
      return;
    }
    if (set.owner != several) {
      all_dirty([&](Line& tag) {
        owner_of(tag) = set.owner;
        return true;
      });
      set.owner = several;
    }
    owner_of(set.tags()[number_of(bit)]) = owner;
  }

  // Ways emptied by an invalidation are filled before anything is thrown out.
  [[gnu::noinline]] std::uint32_t hole_or_victim(Set& set, bool& cleared) {
    const std::uint32_t empty = matching(set.tags(), 0) & all_;
    if (empty == 0) return policy_.replace(set, all_, 2 * words_, cleared);
    const std::uint32_t unmarked = empty & ~set.recent;
    const std::uint32_t from = unmarked != 0 ? unmarked : empty;
    const std::uint32_t bit = from & (0 - from);
    cleared = touch(set, bit);
    return bit;
  }

  // Bits of the ways with this tag, those beyond the last included: they are 0.
  std::uint32_t matching(const Line* tags, Line line) const {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(line));
    const auto four = [&](std::uint32_t group) {
      return _mm_cmpeq_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(tags) + group),
                             wanted);
    };
    const auto eight = [&](std::uint32_t group) {
      return _mm_packs_epi32(four(group), four(group + 1));
    };
    if (stride() == 16)
      return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(eight(0), eight(2))));
    if (stride() == 8)
      return static_cast<std::uint32_t>(
          _mm_movemask_epi8(_mm_packs_epi16(eight(0), _mm_setzero_si128())));
    std::uint32_t found = 0;
    for (std::uint32_t group = 0; group * 4 < stride(); ++group) {
      found |= static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(four(group))))
               << (group * 4);
    }
    return found;
#else
    std::uint32_t found = 0;
    for (std::uint32_t way = 0; way < stride(); ++way)
      found |= std::uint32_t{tags[way] == line} << way;
    return found;
#endif
  }

  LevelShape shape_{};
  std::uint32_t all_ = 0;
  std::uint32_t stride_ = 4;
  std::uint32_t set_bytes_ = 0;
  std::uint32_t mask_ = 0;    // modulo and a power of two
  std::uint32_t blocks_ = 0;  // hashed and divisible into blocks
  std::uint32_t share_shift_ = 0;
  std::uint32_t sets_ = 0;
  char* base_ = nullptr;
  std::uint64_t words_ = 0;  // of one array
  Policy policy_{};
  bool holed_ = false;  // some way was emptied since the start
};

}  // namespace roofmark::cache
