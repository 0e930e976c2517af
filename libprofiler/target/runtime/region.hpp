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
  uint64_t start;               // of the visit that is or was open
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

inline unsigned histogram_bucket(uint64_t duration) {
  constexpr uint64_t least = uint64_t{1} << arena::histogram_first_octave;
  constexpr unsigned last = arena::histogram_buckets - 1;
  if (duration < least) return 0;
  const unsigned octave = 63u - static_cast<unsigned>(__builtin_clzll(duration));
  const unsigned quarter = static_cast<unsigned>(duration >> (octave - 2)) & 3u;
  const unsigned bucket = (octave - arena::histogram_first_octave) * 4 + quarter;
  return bucket < last ? bucket : last;
}

/// Adds a finished visit to its record.
inline void add_visit(arena::Record* record, arena::Histogram* histogram, uint64_t duration,
                      uint64_t now) {
  const uint32_t sequence = record->sequence;
  store(record->sequence, sequence + 1);
  fence_release();
  store(record->open, uint64_t{0});
  store(record->visits, record->visits + 1);
  store(record->sum_ticks, record->sum_ticks + duration);
  const auto real = static_cast<double>(static_cast<int64_t>(duration));
  store(record->sum_of_squares, record->sum_of_squares + real * real);
  if (duration < record->min_ticks) store(record->min_ticks, duration);
  if (duration > record->max_ticks) store(record->max_ticks, duration);
  store(record->last_exit, now);
  if (histogram != nullptr) {
    uint32_t& count = histogram->counts[histogram_bucket(duration)];
    if (likely(count != 0xffffffffu)) store(count, count + 1);
  }
  store_release(record->sequence, sequence + 2);
}

roofmark_token enter_slow(roofmark_site* site);
roofmark_token enter_late(Thread* thread, Node* node, uint64_t now);
void leave_slow(roofmark_token token, uint64_t now);

inline roofmark_token enter_region(roofmark_site* site) {
  Thread* thread = this_thread;
  Node* current = thread->current;
  const uint32_t name = load(site->id);
  const Slot& slot = current->slots[name & current->mask];
  if (unlikely(slot.name != name)) return enter_slow(site);
  Node* node = slot.node;
  node->outer = current;
  store_release(thread->current, node);
  const uint64_t now = ticks();
  if (unlikely(now >= load(*thread->deadline))) return enter_late(thread, node, now);
  store(node->start, now);
  store(node->record->open, now);
  return {node, now};
}

inline void leave_region(roofmark_token token) {
  const uint64_t now = ticks();
  Thread* thread = this_thread;
  Node* node = static_cast<Node*>(token.node);
  if (unlikely(node != thread->current || token.visit != node->start ||
               node->histogram == nullptr || now >= load(*thread->deadline) || now < token.visit))
    return leave_slow(token, now);
  add_visit(node->record, node->histogram, now - token.visit, now);
  store_release(thread->current, node->outer);
}

}  // namespace roofmark::runtime
