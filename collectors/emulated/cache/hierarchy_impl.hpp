// The bodies of hierarchy.hpp; in a header so that the tool's access helpers can inline them.
#pragma once
#include <new>

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
  l3_is_large_ = geometry.l3.bytes() > (32U << 20);
  left_out_ = (1U << sampling.shift) - 1;
  const std::uint32_t by_line =
      second_shift < max_sampling_shift ? second_shift : max_sampling_shift;
  left_out_second_ = second_ ? (1U << by_line) - 1 : 0;
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
    home_->access<write>(*this, line);
    if (line == last) return;
  }
}

template <bool write>
void Hierarchy::access(Core& core, Line line) {
  Level<BitPlru>& l1 = core.l1_;
  const std::uint32_t set =
      l1.set_of(line, geometry_.l1.index == Index::hashed ? place_of(line) : Place{});
  const int found = l1.find(set, line);
  auto way = static_cast<std::uint32_t>(found);
  if (found < 0) fill_l1(core, set, line, way);
  if (l1.touch(set, way)) {
    for (std::uint32_t other = 0; other < l1.ways(); ++other) {
      if (other != way) core.drop_from_filter(l1.tag(set, other));
    }
  }
  if (write && !l1.dirty(set, way)) {
    if (cores_count_ > 1) recall(core, line, place_of(line), true);
    l1.make_dirty(set, way, core.owner_);
  }
  core.filter_[Core::slot_of(line)] = Core::key_of(line) | std::uint64_t{l1.dirty(set, way)};
}

inline void Hierarchy::fill_l1(Core& core, std::uint32_t set, Line line, std::uint32_t& way) {
  const Place place = place_of(line);
  ++core.traffic_->l2.read;
  if (core.combining_ != 0) {  // reading a line back ends its gathering
    for (Core::Combining& buffer : core.buffers_) {
      if (buffer.line == stored(line)) {
        buffer = {};
        --core.combining_;
      }
    }
  }
  const bool lower = sampled(place);
  if (l3_is_large_) prefetch_ahead(core, line);
  const Evicted out = core.l1_.insert(set, line, nobody, way);
  // Bit-PLRU throws out unmarked lines, which the filter does not hold; with one way there is no
  // choice.
  if (core.l1_.ways() == 1) core.drop_from_filter(out.line);
  if (out.owner != nobody) write_back_l1(core, out.line, out.owner);
  if (cores_count_ > 1) {
    recall(core, line, place, false);
    note_touch(core, line);
  }
  if (!lower) return;
  ++core.traffic_->l2_sampled.read;
  const bool two = twice(place);
  fetch<Main>(core, line, place, two);
  if (two) fetch<Second>(core, line, place, two);
}

// In a stream (the neighbour is in L1) the host fetches the sets of the lines to come meanwhile.
inline void Hierarchy::prefetch_ahead(const Core& core, Line line) const {
  if (core.l1_.find(core.l1_.set_of(line - 1, place_of(line - 1)), line - 1) < 0) return;
  const Line ahead = line + 2;
  const Place there = place_of(ahead);
  if (sampled(there)) l3_.prefetch(l3_.set_of(ahead, there));
  if (twice(there)) l3_lru_.prefetch(l3_lru_.set_of(ahead, there));
}

inline void Hierarchy::write_back_l1(Core& core, Line line, Owner owner) {
  Traffic& t = account(owner);
  ++t.l2.write;
  const Place place = place_of(line);
  if (!sampled(place)) return;
  ++t.l2_sampled.write;
  put_l2<Main>(core, line, place, owner);
  if (twice(place)) put_l2<Second>(core, line, place, owner);
}

// ---- below L1
// ----------------------------------------------------------------------------------------

template <class View>
inline void Hierarchy::fetch(Core& core, Line line, Place place, bool two) {
  auto& l2 = View::l2(core);
  const std::uint32_t set2 = l2.present() ? l2.set_of(line, place) : 0;
  if (l2.present()) {
    if (const int way = l2.find(set2, line); way >= 0) {
      l2.touch(set2, static_cast<std::uint32_t>(way));
      return;
    }
  }
  count<View>(*core.traffic_, two, Crossing::l3_read);
  auto& l3 = View::l3(*this);
  const std::uint32_t set3 = l3.present() ? l3.set_of(line, place) : 0;
  const int way = l3.present() ? l3.find(set3, line) : -1;
  if (way >= 0) {
    l3.touch(set3, static_cast<std::uint32_t>(way));
  } else {
    count<View>(*core.traffic_, two, Crossing::dram_read);
    if (l3.present()) {
      const Evicted out = l3.insert(set3, line, nobody);
      if (out.owner != nobody) to_dram<View>(core, out.line, out.owner);
    }
  }
  if (l2.present()) {
    const Evicted out = l2.insert(set2, line, nobody);
    if (out.owner != nobody) put_l3<View>(core, out.line, place_of(out.line), out.owner);
  }
}

template <class View>
inline void Hierarchy::put_l2(Core& core, Line line, Place place, Owner owner) {
  auto& l2 = View::l2(core);
  if (!l2.present()) return put_l3<View>(core, line, place, owner);
  const std::uint32_t set = l2.set_of(line, place);
  if (const int way = l2.find(set, line); way >= 0) {
    l2.make_dirty(set, static_cast<std::uint32_t>(way), owner);
    return;
  }
  const Evicted out = l2.insert(set, line, owner);
  if (out.owner != nobody) put_l3<View>(core, out.line, place_of(out.line), out.owner);
}

template <class View>
inline void Hierarchy::put_l3(Core& core, Line line, Place place, Owner owner) {
  count<View>(account(owner), twice(place), Crossing::l3_write);
  auto& l3 = View::l3(*this);
  if (!l3.present()) return to_dram<View>(core, line, owner);
  const std::uint32_t set = l3.set_of(line, place);
  if (const int way = l3.find(set, line); way >= 0) {
    l3.make_dirty(set, static_cast<std::uint32_t>(way), owner);
    return;
  }
  const Evicted out = l3.insert(set, line, owner);
  if (out.owner != nobody) to_dram<View>(core, out.line, out.owner);
}

template <class View>
inline void Hierarchy::to_dram(Core& core, Line line, Owner owner) {
  count<View>(account(owner), twice(place_of(line)), Crossing::dram_write);
  if constexpr (__is_same(View, Main)) ++core.traffic_->dram_write_evicting;
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
  for (std::uint64_t bits = others(core, line); bits != 0; bits &= bits - 1) {
    for (auto id = static_cast<std::uint32_t>(std::countr_zero(bits)); id < cores_count_;
         id += 64) {
      Core& holder = *cores_[id];
      if (&holder == &core) continue;
      Level<BitPlru>& l1 = holder.l1_;
      const std::uint32_t set = l1.set_of(line, place);
      Owner owner = nobody;
      if (const int way = l1.find(set, line); way >= 0) {
        const auto w = static_cast<std::uint32_t>(way);
        owner = remove ? l1.remove(set, w) : l1.clean(set, w);
        holder.drop_from_filter(line);
      }
      if (owner != nobody) {
        ++account(owner).l2.write;
        if (sampled(place)) ++account(owner).l2_sampled.write;
      }
      if (sampled(place)) recall_from<Main>(holder, line, place, remove, owner);
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
    const std::uint32_t set = l2.set_of(line, place);
    if (const int way = l2.find(set, line); way >= 0) {
      const auto w = static_cast<std::uint32_t>(way);
      const Owner dirtied = remove ? l2.remove(set, w) : l2.clean(set, w);
      if (dirtied != nobody) owner = dirtied;
    }
  }
  if (owner != nobody) put_l3<View>(holder, line, place, owner);
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

inline void Hierarchy::store_nontemporal(Core& core, Line line, std::uint64_t bytes) {
  Core::Combining* buffer = nullptr;
  for (Core::Combining& b : core.buffers_) {
    if (b.line == stored(line)) buffer = &b;
  }
  if (buffer == nullptr) {
    drop_everywhere(core, line);
    ++core.traffic_->nontemporal;
    buffer = &core.buffers_[core.next_buffer_];
    core.next_buffer_ = (core.next_buffer_ + 1) % Core::combining_buffers;
    if (buffer->line == 0) ++core.combining_;
    *buffer = {stored(line), 0};
  }
  buffer->written |= bytes;
  if (buffer->written == ~std::uint64_t{0}) {
    *buffer = {};
    --core.combining_;
  }
}

// Dirty copies travel down to DRAM on their owners' account.
inline void Hierarchy::drop_everywhere(Core& core, Line line) {
  const Place place = place_of(line);
  if (cores_count_ > 1) recall(core, line, place, true);
  Owner owner = nobody;
  const std::uint32_t set1 = core.l1_.set_of(line, place);
  if (const int way = core.l1_.find(set1, line); way >= 0) {
    owner = core.l1_.remove(set1, static_cast<std::uint32_t>(way));
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
    const std::uint32_t set = l3.set_of(line, place);
    if (const int way = l3.find(set, line); way >= 0) {
      const Owner dirtied = l3.remove(set, static_cast<std::uint32_t>(way));
      if (dirtied != nobody) to_dram<View>(core, line, dirtied);
    }
  };
  if (sampled(place)) below(Main{});
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
      count<View>(account(owner), twice(place), Crossing::l3_write);
      auto& l3 = View::l3(*this);
      const int way = l3.present() ? l3.find(l3.set_of(line, place), line) : -1;
      if (way >= 0) {
        l3.make_dirty(l3.set_of(line, place), static_cast<std::uint32_t>(way), owner);
      } else {
        to_dram<View>(last, line, owner);
      }
    });
  }
  View::l3(*this).clean_all([&](Line line, Owner owner) { to_dram<View>(last, line, owner); });
}

inline void Hierarchy::flush() {
  for (std::uint32_t i = 0; i < cores_count_; ++i) {
    Core& core = *cores_[i];
    core.clear_filter();
    core.l1_.clean_all([&](Line line, Owner owner) { write_back_l1(core, line, owner); });
  }
  flush_view<Main>();
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
