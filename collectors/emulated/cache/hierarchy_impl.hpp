// The bodies of hierarchy.hpp; in a header so that the tool's access helpers can inline them.
#pragma once
#include <new>

#include "collectors/emulated/cache/below_l1.hpp"
#include "collectors/emulated/cache/hierarchy.hpp"

namespace roofmark::cache {

// ---- making
// ------------------------------------------------------------------------------------------

inline const char* Hierarchy::create(const Memory& memory, const Geometry& geometry,
                                     const Sampling& sampling) {
  if (!geometry.valid())
    return "the cache geometry is not one: sets and ways must be positive, ways <= 32";
  memory_ = memory;
  geometry_ = geometry;
  sampling_ = sampling;
  const auto can_sample = [](const LevelShape& s) {
    return !s.present() || (s.index == Index::hashed && s.sets % sets_per_block == 0);
  };
  second_ = sampling.second_policy_shift != no_second_policy;
  if (!can_sample(geometry.l2) || !can_sample(geometry.l3)) {
    if (sampling.shift != 0)
      return "a cache whose index is not hashed, or whose sets are no multiple of 16, can't be "
             "sampled";
    second_ = false;
  }
  if (sampling.shift > max_sampling_shift) return "at least 1/16 of the cache sets must be sampled";
  std::uint8_t& second_shift = sampling_.second_policy_shift;
  if (second_shift < sampling.shift) second_shift = sampling.shift;
  if (second_shift > max_second_policy_shift) second_shift = max_second_policy_shift;
  if (!second_) second_shift = no_second_policy;
  left_out_ = (1U << sampling.shift) - 1;
  const std::uint32_t by_line =
      second_shift < max_sampling_shift ? second_shift : max_sampling_shift;
  left_out_second_ = second_ ? (1U << by_line) - 1 : sets_per_block;
  block_shift_second_ = second_ ? second_shift - by_line : 0;
  if (!l3_.create(memory_, geometry.l3, sampling.shift) ||
      (second_ && !l3_lru_.create(memory_, geometry.l3, sampling_.second_policy_shift)) ||
      !reserve(0)) {
    return "no memory for the simulated L3";
  }
  Core* first = new_core();
  if (first == nullptr) return "no memory for the simulated L1 and L2";
  return nullptr;
}

inline bool Hierarchy::reserve(std::uint32_t owner) {
  if (owner >= max_owners) return false;
  Traffic*& chunk = chunks_[owner / owners_per_chunk];
  if (chunk == nullptr) chunk = allocate_array<Traffic>(memory_, owners_per_chunk);
  return chunk != nullptr;
}

inline Core* Hierarchy::new_core() {
  if (cores_count_ == max_cores) return nullptr;
  void* block = allocate_array<Core>(memory_, 1);
  if (block == nullptr) return nullptr;
  Core* core = new (block) Core();
  if (!core->l1_.create(memory_, geometry_.l1, 0) ||
      !core->l2_.create(memory_, geometry_.l2, sampling_.shift) ||
      (second_ && !core->l2_lru_.create(memory_, geometry_.l2, sampling_.second_policy_shift))) {
    return nullptr;
  }
  if (cores_count_ == 1) {
    settle();
    touched_by_ = allocate_array<std::uint64_t>(memory_, 1U << 16);
    if (touched_by_ == nullptr) return nullptr;
    const auto note = [this](Line line) { touched_by_[page_slot(line)] |= 1; };
    cores_[0]->l1_.for_each_line(note);
    cores_[0]->l2_.for_each_line(note);
  }
  core->clear_filter();
  core->home_ = this;
  core->id_ = cores_count_;
  core->set_owner(0);
  cores_[cores_count_++] = core;
  return core;
}

inline Core* Hierarchy::attach() {
  Core* chosen = nullptr;
  for (std::uint32_t i = 0; i < cores_count_ && chosen == nullptr; ++i) {
    if (!cores_[i]->in_use_) chosen = cores_[i];
  }
  if (chosen == nullptr) chosen = new_core();
  if (chosen == nullptr) chosen = cores_[cores_count_ - 1];
  chosen->in_use_ = true;
  return chosen;
}

// ---- an access
// ---------------------------------------------------------------------------------------

template <bool write>
void Core::miss_filter(Line line) {
  home_->access<write>(*this, line);
}

template <bool write>
void Core::span(std::uint64_t address, std::uint32_t bytes) {
  if (bytes == 0) return;
  const Line last = line_of(address + bytes - 1);
  for (Line line = line_of(address);; ++line) {
    if (!filtered<write>(line)) home_->access<write>(*this, line);
    if (line == last) return;
  }
}

template <bool write>
void Hierarchy::access(Core& core, Line any) {
  const Line line = stored(any);
  Level<BitPlru>& l1 = core.l1_;
  Set& set = l1.in(line);
  const std::uint32_t bit = l1.find(set, line);
  if (bit == 0) return fill_l1<write>(core, set, line);
  if (l1.touch(set, bit)) unmarked(core, set);
  bool dirty = (set.dirty & bit) != 0;
  if (write && !dirty) {
    if (!alone()) recall(core, line, place_of(line), true);
    l1.make_dirty(set, bit, core.owner_);
    dirty = true;
  }
  core.filter_[Core::slot_of(line)] = Core::key_of(line) | std::uint64_t{dirty};
}

// The marks of a set's lines went: accesses to them change something again.
inline void Hierarchy::unmarked(Core& core, Set& set) {
  const Line* const end = set.tags() + core.l1_.ways();
  for (const Line* tag = set.tags(); tag != end; ++tag) core.drop_from_filter(*tag);
}

template <bool write>
inline void Hierarchy::fill_l1(Core& core, Set& set, Line line) {
  if (telling_ != &core) let_tell(core);
  if (core.combining_ != 0) end_gathering(core, line);
  bool cleared = false;
  const Evicted out = core.l1_.insert(set, line, write ? core.owner_ : nobody, cleared);
  if (cleared) {
    unmarked(core, set);
    // Otherwise the line thrown out was unmarked: not in the filter.
    core.drop_from_filter(out.line);
  }
  core.filter_[Core::slot_of(line)] = Core::key_of(line) | std::uint64_t{write};
  if (out.owner != nobody) tell(core, out.line, out.owner);
  const bool shared = !alone() && others(core, line) != 0;
  if (shared) recall(core, line, place_of(line), false);
  if (!alone()) note_touch(core, line);
  tell(core, line, nobody);
  if (core.queued_ > Core::queue_length - 2) empty_queue(core);
  if (write && shared) recall(core, line, place_of(line), true);
}

// Reading a line back ends its gathering.
inline void Hierarchy::end_gathering(Core& core, Line line) {
  for (Core::Combining& buffer : core.buffers_) {
    if (buffer.line == line) {
      buffer = {};
      --core.combining_;
    }
  }
}

// ---- other threads
// -----------------------------------------------------------------------------------

inline void Hierarchy::note_touch(const Core& core, Line line) {
  touched_by_[page_slot(line)] |= std::uint64_t{1} << (core.id_ % 64);
}

// Bits of the cores that may hold the line; the own bit stands only for cores that share it
// modulo 64.
inline std::uint64_t Hierarchy::others(const Core& core, Line line) const {
  const std::uint64_t own = cores_count_ > 64 ? 0 : std::uint64_t{1} << (core.id_ % 64);
  return touched_by_[page_slot(line)] & ~own;
}

inline void Hierarchy::recall(Core& core, Line line, Place place, bool remove) {
  std::uint64_t bits = others(core, line);
  if (bits != 0) settle();
  for (; bits != 0; bits &= bits - 1) {
    for (auto id = static_cast<std::uint32_t>(std::countr_zero(bits)); id < cores_count_;
         id += 64) {
      Core& holder = *cores_[id];
      if (&holder == &core) continue;
      Level<BitPlru>& l1 = holder.l1_;
      Set& set = l1.in(line, place);
      Owner owner = nobody;
      if (const std::uint32_t bit = l1.find(set, line); bit != 0) {
        owner = remove ? l1.remove(set, bit) : l1.clean(set, bit);
        holder.drop_from_filter(line);
      }
      if (owner != nobody) {
        ++account(owner).l2.write;
        if (sampled(place)) ++account(owner).l2_sampled.write;
      }
      if (sampled(place)) recall_from<Compared>(holder, line, place, remove, owner);
      if (twice(place)) recall_from<Second>(holder, line, place, remove, owner);
    }
  }
}

// The L2 half of a recall; `from_l1` owned the line dirty in L1, which goes straight on to L3.
template <class View>
inline void Hierarchy::recall_from(Core& holder, Line line, Place place, bool remove,
                                   Owner from_l1) {
  auto& l2 = View::l2(holder);
  Owner owner = from_l1;
  if (l2.present()) {
    Set& set = l2.in(line, place);
    if (const std::uint32_t bit = l2.find(set, line); bit != 0) {
      const Owner dirtied = remove ? l2.remove(set, bit) : l2.clean(set, bit);
      if (dirtied != nobody) owner = dirtied;
    }
  }
  if (owner != nobody) put_l3<View>(holder, View::l3(*this), line, owner);
}

// ---- non-temporal stores
// -----------------------------------------------------------------------------

inline void Core::store_nontemporal(std::uint64_t address, std::uint32_t bytes) {
  while (bytes != 0) {
    const auto offset = static_cast<std::uint32_t>(address % line_bytes);
    const std::uint32_t part = bytes < line_bytes - offset ? bytes : line_bytes - offset;
    const std::uint64_t written = (~std::uint64_t{0} >> (line_bytes - part)) << offset;
    home_->store_nontemporal(*this, line_of(address), written);
    address += part;
    bytes -= part;
  }
}

inline void Hierarchy::store_nontemporal(Core& core, Line any, std::uint64_t bytes) {
  const Line line = stored(any);
  Core::Combining* buffer = nullptr;
  for (Core::Combining& b : core.buffers_) {
    if (b.line == line) buffer = &b;
  }
  if (buffer == nullptr) {
    drop_everywhere(core, line);
    ++core.traffic_->nontemporal;
    buffer = &core.buffers_[core.next_buffer_];
    core.next_buffer_ = (core.next_buffer_ + 1) % Core::combining_buffers;
    if (buffer->line == 0) ++core.combining_;
    *buffer = {line, 0};
  }
  buffer->written |= bytes;
  if (buffer->written == ~std::uint64_t{0}) {
    *buffer = {};
    --core.combining_;
  }
}

// Dirty copies travel down to DRAM on their owners' account.
inline void Hierarchy::drop_everywhere(Core& core, Line line) {
  settle();
  const Place place = place_of(line);
  if (!alone()) recall(core, line, place, true);
  Owner owner = nobody;
  Set& in_l1 = core.l1_.in(line, place);
  if (const std::uint32_t bit = core.l1_.find(in_l1, line); bit != 0) {
    owner = core.l1_.remove(in_l1, bit);
    core.drop_from_filter(line);
  }
  if (owner != nobody) {
    ++account(owner).l2.write;
    if (sampled(place)) ++account(owner).l2_sampled.write;
  }
  const auto below = [&]<class View>(View) {
    recall_from<View>(core, line, place, true, owner);
    auto& l3 = View::l3(*this);
    if (!l3.present()) return;
    Set& set = l3.in(line, place);
    if (const std::uint32_t bit = l3.find(set, line); bit != 0) {
      const Owner dirtied = l3.remove(set, bit);
      if (dirtied != nobody) to_dram<View>(core, line, dirtied);
    }
  };
  if (sampled(place)) below(Compared{});
  if (twice(place)) below(Second{});
}

// ---- the end
// -----------------------------------------------------------------------------------------

template <class View>
inline void Hierarchy::flush_view() {
  Core& last = *cores_[0];
  for (std::uint32_t i = 0; i < cores_count_; ++i) {
    View::l2(*cores_[i]).clean_all([&](Line line, Owner owner) {
      const Place place = place_of(line);
      count<View>(account(owner), line, Crossing::l3_write);
      auto& l3 = View::l3(*this);
      if (l3.present()) {
        Set& set = l3.in(line, place);
        if (const std::uint32_t bit = l3.find(set, line); bit != 0) {
          l3.make_dirty(set, bit, owner);
          return;
        }
      }
      to_dram<View>(last, line, owner);
    });
  }
  View::l3(*this).clean_all([&](Line line, Owner owner) { to_dram<View>(last, line, owner); });
}

inline void Hierarchy::flush() {
  settle();
  for (std::uint32_t i = 0; i < cores_count_; ++i) {
    Core& core = *cores_[i];
    core.clear_filter();
    core.l1_.clean_all([&](Line line, Owner owner) {
      tell(core, line, owner);
      empty_queue(core);
    });
  }
  flush_view<Compared>();
  if (second_) flush_view<Second>();
}

inline void Hierarchy::forget() {
  flush();
  for (Traffic* chunk : chunks_) {
    if (chunk == nullptr) continue;
    for (std::uint32_t i = 0; i < owners_per_chunk; ++i) chunk[i] = Traffic{};
  }
}

}  // namespace roofmark::cache
