// The call-path tree of a thread, and the two steps of a visit that every marker takes.
//
// A Node is private memory that only its thread changes; its Record is the part in the recording.
// Thread::current is the innermost open region. A step that finds anything unusual - a first visit,
// an unknown child, a child process, an exit that doesn't fit - leaves the short path by one of few
// compares; all that is rare is behind them (visits.cpp).
#pragma once

#define ROOFMARK_DISABLE  // the types only: the runtime does not annotate itself
#include <roofmark/roofmark.h>

#include "clock.hpp"
#include "libprofiler/arena/layout.h"
#include "memory.hpp"

namespace roofmark::runtime {

struct Node;
struct Thread;

/// Where a child is found by the number of its name: slots[name & mask], then the next ones.
struct Slot {
  uint32_t name;
  Node* node;
};
inline constexpr uint32_t no_name = 0xffffffff;

struct Node {
  Slot* slots;
  uint32_t mask;
  uint32_t name;
  arena::Record* record;
  arena::Histogram* histogram;  // null: the second visit is still to come
  Node* outer;                  // what was current before that visit
  Node* parent;
  // Rarely used from here.
  Thread* thread;
  Node* next;       // all nodes of the thread, in order of creation
  Node* successor;  // in a fork child: what took this node's place
  Node* folded;     // while the thread is folded
  uint64_t record_offset;
  uint64_t closed_elsewhere;  // when another thread closed a visit, 0: none; atomic
  uint64_t closed_visit;      // which; atomic
  uint32_t children;
  bool inherited;  // open since before the fork
};

/// What was open in the creator when a thread was created.
struct Origin {
  Thread* creator = nullptr;
  uint64_t creator_serial = 0;
  const arena::Record* record = nullptr;  // null: nothing was open
  Node* node = nullptr;
  uint64_t visit = 0;
  uint64_t created_ticks = 0;
  int creator_tid = 0;
  bool known = false;
};

struct alignas(64) Thread {
  Node* current;       // atomic: read by threads that this one created
  uint64_t* deadline;  // when to look at the clock, the CPU and the rest; 0 in a fork child
  // Rarely used from here.
  Node* before_vfork;
  int depth_in_other;
  uint64_t serial;  // 0: free; atomic
  arena::Thread* item;
  uint64_t item_offset;
  Origin origin;
  bool is_main, detached, is_folded;
  Node* origin_base;  // this thread's own node for the region of `origin`
  // The last place of adoption and this thread's own node for it.
  Thread* adopter;
  uint64_t adopter_serial;
  Node* adopter_node;
  Node* adopter_base;
  // Storage.
  Pool pool;
  Pool wiped_pool;  // of slots: empty in a fork child, so that no entry takes the short path
  arena::SegmentHeader* segments[48];
  uint64_t segment_offsets[48];
  unsigned segment_count, segment;
  Node* first_node;
  Node* last_node;
  Thread* next_free;
  Thread* next_all;
  Node root;   // current when nothing is open, in the main thread
  Node gate;   // the same, in other threads: has no children, so that every entry is looked at
  Node other;  // "(other)"
};

extern __thread Thread* this_thread __attribute__((tls_model("initial-exec")));

/// The bucket of a duration, past the end for one that is out of range.
inline uint64_t histogram_index(double duration) {
  constexpr uint64_t least = uint64_t{1023 + arena::histogram_first_octave} << 2;
  uint64_t bits;
  __builtin_memcpy(&bits, &duration, sizeof bits);
  return (bits >> 50) - least;
}
inline unsigned histogram_bucket(uint64_t duration) {
  constexpr uint64_t shortest = uint64_t{1} << arena::histogram_first_octave;
  if (duration < shortest) return 0;
  const uint64_t index = histogram_index(static_cast<double>(static_cast<int64_t>(duration)));
  return static_cast<unsigned>(index < arena::histogram_buckets ? index
                                                                : arena::histogram_buckets - 1);
}

inline bool is_open(const arena::Record* record, uint64_t visit) {
  return load(record->entry) == visit && load(record->last_exit) < visit;
}

// Plain words where only this thread and a reader in another process look; the fences keep the
// compiler from moving them out of the bracket that `closing` and `last_exit` form.
inline void begin_closing(arena::Record* record, uint64_t visit) {
  store(record->closing, visit);
  fence_release();
}
inline void end_closing(arena::Record* record, uint64_t now) {
  fence_release();
  store(record->last_exit, now);
}
inline void add_duration(arena::Record* record, uint64_t duration, double real) {
  record->sum_ticks += duration;
  record->sum_of_squares += real * real;
  if (unlikely(duration < record->min_ticks)) record->min_ticks = duration;
  if (unlikely(duration > record->max_ticks)) record->max_ticks = duration;
}

roofmark_token enter_slow(roofmark_site* site);
void leave_slow(roofmark_token token, uint64_t now);

// The short paths call nothing but their long forms, as the last thing they do: they need no frame.
// What they cost beside the clock is the number of their instructions: keep it. Entering needs no
// look at the deadline: in a fork child the slots are wiped.
template <class Clock>
inline roofmark_token enter_region(roofmark_site* site) {
  Thread* thread = this_thread;
  Node* current = thread->current;
  const uint32_t name = load(site->id);
  const Slot& slot = current->slots[name & current->mask];
  if (unlikely(slot.name != name)) return enter_slow(site);
  Node* node = slot.node;
  // A wiped slot and a new site both have the name 0.
  if (unlikely(node == nullptr)) return enter_slow(site);
  arena::Record* record = node->record;
  node->outer = current;
  store_release(thread->current, node);
  const uint64_t now = Clock::ticks();
  store(record->entry, now);
  return {node, now};
}

template <class Clock>
inline void leave_region(roofmark_token token) {
  const uint64_t now = Clock::ticks();
  Thread* thread = this_thread;
  Node* node = static_cast<Node*>(token.node);
  if (unlikely(node != thread->current)) return leave_slow(token, now);
  arena::Record* record = node->record;
  arena::Histogram* histogram = node->histogram;
  if (unlikely(record->entry != token.visit)) return leave_slow(token, now);
  if (unlikely(histogram == nullptr)) return leave_slow(token, now);
  if (unlikely(now >= *thread->deadline)) return leave_slow(token, now);
  const uint64_t duration = now - token.visit;
  const auto real = static_cast<double>(static_cast<int64_t>(duration));
  const uint64_t bucket = histogram_index(real);
  if (unlikely(bucket >= arena::histogram_buckets)) return leave_slow(token, now);
  begin_closing(record, token.visit);
  add_duration(record, duration, real);
  ++histogram->counts[bucket];
  end_closing(record, now);
  store_release(thread->current, node->outer);
}

}  // namespace roofmark::runtime
