// A private L1 and L2 per thread over a shared L3: write-back, write-allocate, neither inclusive
// nor exclusive. A miss fills every level on its way up; a level that throws a line out leaves the
// copies nearer the core alone; a written-back line that the next level lacks is put there without
// a read (it is whole). A write-back does not refresh a line's place in the replacement order.
//
// Stores mark a line dirty and make the current owner its owner; the line carries that owner down
// until it reaches DRAM, so a region that only reads never pays for what its predecessor wrote.
// Where a lower level holds the line dirty already, it keeps the owner that it has.
//
// Non-temporal stores gather in write-combining buffers and go to DRAM past L2 and L3, a line at a
// time however much of it was written; cached copies are written back and dropped.
//
// Threads: a store drops the line from the other threads' private caches; a miss first takes a line
// that another thread holds dirty down to L3. False sharing and migration therefore show as L2 and
// L3 traffic.
//
// Freestanding: no libc, no allocation but through `Memory`; not thread-safe (Valgrind runs one
// thread at a time).
#pragma once
#include <cstdint>

#include "collectors/emulated/cache/geometry.hpp"
#include "collectors/emulated/cache/level.hpp"
#include "collectors/emulated/cache/traffic.hpp"

namespace roofmark::cache {

class Hierarchy;

// The private caches that a thread runs on. Owned by the hierarchy, handed on to later threads as
// they are: a new thread finds a core's caches as the previous one left them.
class Core {
 public:
  // Whose accesses these are from now on: an index below `Hierarchy::max_owners`, dense for
  // economy. False: no memory for it; its traffic goes to owner 0.
  inline bool set_owner(std::uint32_t owner);

  // Any size, any alignment. A load that is stored to at once (read-modify-write) needs the store
  // alone.
  void load(std::uint64_t address, std::uint32_t bytes) {
    if (!within_line(address, bytes)) return span<false>(address, bytes);
    const Line line = line_of(address);
    if (!filtered<false>(line)) miss_filter<false>(line);
  }
  void store(std::uint64_t address, std::uint32_t bytes) {
    if (!within_line(address, bytes)) return span<true>(address, bytes);
    const Line line = line_of(address);
    if (!filtered<true>(line)) miss_filter<true>(line);
  }
  inline void store_nontemporal(std::uint64_t address, std::uint32_t bytes);

 private:
  friend class Hierarchy;

  // Lines whose access would change nothing: in L1, marked as recent, and dirty if bit 0 says so.
  // Entries are dropped as soon as that ends, so that results do not depend on the filter.
  static constexpr std::uint32_t filter_bits = 9;
  static constexpr std::uint32_t slot_of(Line line) {
    return (line * 0x9E3779B1U) >> (32 - filter_bits);
  }
  static constexpr std::uint64_t key_of(Line line) { return std::uint64_t{line} << 1; }
  static constexpr bool within_line(std::uint64_t address, std::uint32_t bytes) {
    return (address % line_bytes) + bytes <= line_bytes;
  }
  template <bool write>
  bool filtered(Line line) const {
    return (filter_[slot_of(line)] | std::uint64_t{!write}) == (key_of(line) | 1);
  }
  void drop_from_filter(Line line) {
    std::uint64_t& entry = filter_[slot_of(line)];
    if ((entry | 1) == (key_of(line) | 1)) entry = ~std::uint64_t{0};
  }
  void clear_filter() {
    for (std::uint64_t& entry : filter_) entry = ~std::uint64_t{0};
  }

  template <bool write>
  void miss_filter(Line line);
  template <bool write>
  void span(std::uint64_t address, std::uint32_t bytes);

  struct Combining {
    Line line = 0;  // 0: free
    std::uint64_t written = 0;
  };
  static constexpr std::uint32_t combining_buffers =
      12;  // line fill buffers of the cores this runs on: 10 to 16

  // What L2 is to be told, in order and a batch at a time: in a loop the host's caches can be asked
  // for all sets at once. Nobody looks at L2, L3 or the accounts before the queue was emptied.
  struct Message {
    Line line;
    Owner owner;  // of the line, which is written back; nobody: it is fetched
  };
  static constexpr std::uint32_t queue_length = 64;

  std::uint64_t filter_[1U << filter_bits];
  Message queue_[queue_length];
  std::uint32_t queued_;
  Hierarchy* home_;
  Traffic* traffic_;
  Owner owner_;
  std::uint32_t id_;
  bool in_use_;
  std::uint32_t combining_;  // buffers in use
  std::uint32_t next_buffer_;
  Combining buffers_[combining_buffers];
  Level<BitPlru> l1_;
  Level<BitPlru> l2_;
  Level<TrueLru> l2_lru_;
};

class Hierarchy {
 public:
  static constexpr std::uint32_t max_cores = 1024;
  static constexpr std::uint32_t owners_per_chunk = 1024;
  static constexpr std::uint32_t max_owners = 4096 * owners_per_chunk;

  // nullptr: done; otherwise what is wrong.
  inline const char* create(const Memory& memory, const Geometry& geometry,
                            const Sampling& sampling);

  // A core for a thread that starts; when there is no memory for another, one that is in use
  // already.
  inline Core* attach();
  void detach(Core* core) { core->in_use_ = false; }

  // Writes every dirty line back to its owner's account; for the end of the program.
  inline void flush();
  // Starts the accounts anew with what the caches hold; for a forked child, whose parent's work is
  // not its own.
  inline void forget();

  const Geometry& geometry() const { return geometry_; }
  // As simulated: the second policy is off where a level is not hashed.
  const Sampling& sampling() const { return sampling_; }
  // nullptr: this owner never was set.
  const Traffic* traffic_of(std::uint32_t owner) {
    settle();
    const Traffic* chunk = owner < max_owners ? chunks_[owner / owners_per_chunk] : nullptr;
    return chunk == nullptr ? nullptr : chunk + owner % owners_per_chunk;
  }

 private:
  friend class Core;

  bool alone() const { return cores_count_ == 1; }
  inline Core* new_core();
  inline bool reserve(std::uint32_t owner);
  // Most lines are written back while their owner runs.
  Traffic& account(const Core& core, Owner owner) {
    return owner == core.owner_ ? *core.traffic_ : account(owner);
  }
  Traffic& account(Owner owner) {
    return chunks_[(owner - 1) / owners_per_chunk][(owner - 1) % owners_per_chunk];
  }

  bool sampled(Place place) const { return (place.within & left_out_) == 0; }
  // Only among these are lines that are simulated twice. All lines of a set have one `within`, in
  // L2 and L3 alike: what is thrown out for a line that is none of these is none either.
  bool compared(Place place) const {
    return ((place.within | sets_per_block) & left_out_second_) == 0;
  }
  bool twice(Place place) const {
    return compared(place) && (std::uint64_t{place.block} << block_shift_second_ >> 32) == 0;
  }

  // The main hierarchy and the sample under true LRU differ in their levels and in where they
  // count.
  struct Main {
    static constexpr bool counts_once = true;
    static Level<BitPlru>& l2(Core& core) { return core.l2_; }
    static Level<BitPlru>& l3(Hierarchy& h) { return h.l3_; }
  };
  struct Compared : Main {  // the same, for lines that may be of the sample
    static constexpr bool counts_once = false;
  };
  struct Second {
    static constexpr bool counts_once = false;
    static Level<TrueLru>& l2(Core& core) { return core.l2_lru_; }
    static Level<TrueLru>& l3(Hierarchy& h) { return h.l3_lru_; }
  };
  // Not pointers to members: `(second ? a : b).*member` is an lvalue, of which GCC 12 and 13 make a
  // copy (at -O0 too), so that an increment is lost. Clang does not.
  enum class Crossing : std::uint8_t { l3_read, l3_write, dram_read, dram_write };
  template <class Lines>
  static std::uint64_t& cell(Lines& lines, Crossing crossing) {
    switch (crossing) {
      case Crossing::l3_read:
        return lines.l3.read;
      case Crossing::l3_write:
        return lines.l3.write;
      case Crossing::dram_read:
        return lines.dram.read;
      case Crossing::dram_write:
        break;
    }
    return lines.dram.write;
  }
  template <class View>
  void count(Traffic& t, Line line, Crossing crossing) const {
    if constexpr (__is_same(View, Second)) {
      ++cell(t.lru, crossing);
    } else {
      ++cell(t, crossing);
      if (!View::counts_once && twice(place_of(line))) ++cell(t.plru, crossing);
    }
  }

  template <bool write>
  void access(Core& core, Line line);
  template <bool write>
  [[gnu::always_inline]] inline void fill_l1(Core& core, Set& set, Line line);
  inline void unmarked(Core& core, Set& set);
  [[gnu::cold]] inline void end_gathering(Core& core, Line line);

  inline void let_tell(Core& core);
  inline void settle();
  inline void tell(Core& core, Line line, Owner owner);
  inline void empty_queue(Core& core);
  template <std::uint32_t l2_stride, std::uint32_t l3_stride>
  [[gnu::noinline]] void empty_queue_of(Core& core);
  inline void pass_compared(Core& core, Line line, Owner owner);
  template <class View, class L2, class L3>
  inline void fetch(Core& core, L2& l2, L3& l3, Set* in_l2, Set* in_l3, Line line);
  template <class View, class L2, class L3>
  inline void put_l2(Core& core, L2& l2, L3& l3, Set* in_l2, Line line, Owner owner);
  template <class View, class L3>
  inline void put_l3(Core& core, L3& l3, Line line, Owner owner);
  template <class View>
  inline void to_dram(Core& core, Line line, Owner owner);

  inline std::uint64_t others(const Core& core, Line line) const;
  inline void note_touch(const Core& core, Line line);
  inline void recall(Core& core, Line line, Place place, bool remove);
  template <class View>
  inline void recall_from(Core& holder, Line line, Place place, bool remove, Owner from_l1);
  inline void store_nontemporal(Core& core, Line line, std::uint64_t bytes);
  inline void drop_everywhere(Core& core, Line line);
  template <class View>
  inline void flush_view();

  static std::uint32_t page_slot(Line line) { return ((line >> 6) * 0x9E3779B1U) >> 16; }

  Memory memory_{};
  Geometry geometry_{};
  Sampling sampling_{};
  std::uint32_t left_out_ = 0;  // bits of Place::within that are 0 in the sampled sets
  std::uint32_t left_out_second_ = sets_per_block;  // a bit beyond them: there is none
  // Of those, the ones in the first 1/2^shift of the blocks.
  std::uint32_t block_shift_second_ = 0;
  bool second_ = false;
  Level<BitPlru> l3_{};
  Level<TrueLru> l3_lru_{};
  Core* telling_ = nullptr;  // whose queue may hold messages
  std::uint32_t cores_count_ = 0;
  Core* cores_[max_cores]{};
  // Which cores (by id modulo 64) ever filled a line of a page: whom a store has to look at. Only
  // kept once there are two cores.
  std::uint64_t* touched_by_ = nullptr;
  Traffic* chunks_[max_owners / owners_per_chunk]{};
};

inline bool Core::set_owner(std::uint32_t owner) {
  home_->empty_queue(*this);
  const bool known = home_->reserve(owner);
  owner_ = known ? owner + 1 : 1;
  traffic_ = &home_->account(owner_);
  return known;
}

}  // namespace roofmark::cache

#include "collectors/emulated/cache/hierarchy_impl.hpp"
