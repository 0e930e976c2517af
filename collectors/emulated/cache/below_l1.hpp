// What L1 tells L2 and L2 tells L3: fetches and write-backs.
#pragma once
#include "collectors/emulated/cache/hierarchy.hpp"

namespace roofmark::cache {

inline void Hierarchy::tell(Core& core, Line line, Owner owner) {
  core.queue_[core.queued_++] = {line, owner};
}

// One core's queue at a time holds messages: L3 gets those of all cores in order.
inline void Hierarchy::let_tell(Core& core) {
  settle();
  telling_ = &core;
}

inline void Hierarchy::settle() {
  if (telling_ != nullptr) empty_queue(*telling_);
}

inline void Hierarchy::empty_queue(Core& core) {
  if (core.queued_ == 0) return;
  // Code made for the usual shapes; whatever else there is works too.
  const auto shape = [&](std::uint32_t l2, std::uint32_t l3) {
    return core.l2_.is_like(l2) && l3_.is_like(l3);
  };
  if (shape(16, 16)) {
    empty_queue_of<16, 16>(core);
  } else if (shape(8, 16)) {
    empty_queue_of<8, 16>(core);
  } else {
    empty_queue_of<0, 0>(core);
  }
  core.queued_ = 0;
}

template <std::uint32_t l2_stride, std::uint32_t l3_stride>
void Hierarchy::empty_queue_of(Core& core) {
  // Copies, so that the compiler knows that nothing changes them.
  Level<BitPlru, l2_stride> l2(core.l2_);
  Level<BitPlru, l3_stride> l3(l3_);
  // First where each message goes, so that the host fetches all those sets at once.
  struct Work {
    Line line;
    Owner owner;
    Set* l2;
    Set* l3;
    bool compared;
  };
  Work work[Core::queue_length];
  Work* last = work;
  std::uint64_t fetched = 0;
  std::uint64_t fetched_here = 0;
  const std::uint32_t left_out = left_out_;
  const Core::Message* const end = core.queue_ + core.queued_;
  for (const Core::Message* m = core.queue_; m != end; ++m) {
    const Place place = place_of(m->line);
    const bool here = (place.within & left_out) == 0;
    if (m->owner == nobody) {
      ++fetched;
      if (!here) continue;
      ++fetched_here;
    } else {
      Traffic& its = account(core, m->owner);
      ++its.l2.write;
      if (!here) continue;
      ++its.l2_sampled.write;
    }
    last->line = m->line;
    last->owner = m->owner;
    last->compared = compared(place);
    if (l2.present()) {
      last->l2 = &l2.in(m->line, place);
      l2.prefetch(*last->l2);
    }
    if (l3.present()) {
      last->l3 = &l3.in(m->line, place);
      if (m->owner == nobody) l3.prefetch(*last->l3);
    }
    ++last;
  }
  core.traffic_->l2.read += fetched;
  core.traffic_->l2_sampled.read += fetched_here;
  for (const Work* w = work; w != last; ++w) {
    if (w->compared)
      pass_compared(core, w->line, w->owner);
    else if (w->owner == nobody)
      fetch<Main>(core, l2, l3, w->l2, w->l3, w->line);
    else
      put_l2<Main>(core, l2, l3, w->l2, w->line, w->owner);
  }
}

// Rarely: one line in 16 at most.
inline void Hierarchy::pass_compared(Core& core, Line line, Owner owner) {
  const Place place = place_of(line);
  const auto pass = [&]<class View>(View) {
    auto& l2 = View::l2(core);
    auto& l3 = View::l3(*this);
    Set* const in_l2 = l2.present() ? &l2.in(line, place) : nullptr;
    Set* const in_l3 = l3.present() ? &l3.in(line, place) : nullptr;
    if (owner == nobody)
      fetch<View>(core, l2, l3, in_l2, in_l3, line);
    else
      put_l2<View>(core, l2, l3, in_l2, line, owner);
  };
  pass(Compared{});
  if (twice(place)) pass(Second{});
}

// The line's sets; null where there is no such level.
template <class View, class L2, class L3>
inline void Hierarchy::fetch(Core& core, L2& l2, L3& l3, Set* in_l2, Set* in_l3, Line line) {
  Evicted from_l2{};
  if (l2.present()) {
    if (const std::uint32_t bit = l2.find(*in_l2, line); bit != 0) {
      l2.touch(*in_l2, bit);
      return;
    }
    from_l2 = l2.insert(*in_l2, line, nobody);
  }
  Traffic& t = *core.traffic_;
  count<View>(t, line, Crossing::l3_read);
  const std::uint32_t bit = l3.present() ? l3.find(*in_l3, line) : 0;
  if (bit != 0) {
    l3.touch(*in_l3, bit);
  } else {
    count<View>(t, line, Crossing::dram_read);
    if (l3.present()) {
      const Evicted out = l3.insert(*in_l3, line, nobody);
      if (out.owner != nobody) to_dram<View>(core, out.line, out.owner);
    }
  }
  if (from_l2.owner != nobody) put_l3<View>(core, l3, from_l2.line, from_l2.owner);
}

template <class View, class L2, class L3>
inline void Hierarchy::put_l2(Core& core, L2& l2, L3& l3, Set* in_l2, Line line, Owner owner) {
  if (!l2.present()) return put_l3<View>(core, l3, line, owner);
  if (const std::uint32_t bit = l2.find(*in_l2, line); bit != 0) {
    l2.make_dirty(*in_l2, bit, owner);
    return;
  }
  const Evicted out = l2.insert(*in_l2, line, owner);
  if (out.owner != nobody) put_l3<View>(core, l3, out.line, out.owner);
}

template <class View, class L3>
inline void Hierarchy::put_l3(Core& core, L3& l3, Line line, Owner owner) {
  count<View>(account(core, owner), line, Crossing::l3_write);
  if (!l3.present()) return to_dram<View>(core, line, owner);
  Set& set = l3.in(line, place_of(line));
  if (const std::uint32_t bit = l3.find(set, line); bit != 0) {
    l3.make_dirty(set, bit, owner);
    return;
  }
  const Evicted out = l3.insert(set, line, owner);
  if (out.owner != nobody) to_dram<View>(core, out.line, out.owner);
}

template <class View>
inline void Hierarchy::to_dram(Core& core, Line line, Owner owner) {
  count<View>(account(core, owner), line, Crossing::dram_write);
  if constexpr (!__is_same(View, Second)) ++core.traffic_->dram_write_evicting;
}

}  // namespace roofmark::cache
