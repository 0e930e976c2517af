// The call-path tree of a thread, and the two steps of a visit that every marker takes.
//
// A Node is private memory that only its thread changes; its Record is the part in the recording.
// Line::current is the innermost open region. A step that finds anything unusual - a first visit,
// an unknown child, a child process, an exit that doesn't fit - leaves the short path by one of few
// compares; all that is rare is behind them (visits.cpp).
//
// Reading the clock waits for all that was begun before it: what a step costs is, beside its
// instructions, its longest chain of loads that wait for each other. Hence `Here`: what a step
// needs first is found from thread-local storage itself, by a number that the site knows.
#pragma once

#define ROOFMARK_DISABLE  // the types only: the runtime does not annotate itself
#include <roofmark/roofmark.h>

#include "clock.hpp"
#include "libprofiler/arena/layout.h"
#include "libprofiler/arena/trace_layout.h"
#include "memory.hpp"

namespace roofmark::runtime {

struct Node;
struct Thread;
struct Counters;
struct NodeCounts;

/// Where a child is found by the number of its name: slots[name & mask], then the next ones.
struct Slot {
  uint32_t name;
  Node* node;
};
inline constexpr uint32_t no_name = 0xffffffff;

struct alignas(64) Node {
  uint64_t check;  // `outer` and the name in one word, see check_of(); 0: look closer
  arena::Record* record;
  arena::Histogram* histogram;  // null: the second visit is still to come
  Node* outer;                  // what was current before that visit
  uint64_t gated;               // outermost: the placement that put it here and the name
  Slot* slots;
  uint32_t mask;
  uint32_t name;
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

/// A thread's line of a page that the kernel wipes in fork children: their first step, whatever it
/// is, finds neither the current region nor a deadline.
struct alignas(64) Line {
  uint64_t deadline;  // when to look at the clock, the CPU and the rest; 0: now
  Node* current;      // atomic: read by threads that this one created
};
/// Of any kernel that we run on (Arm, POWER): what is to be wiped without what lies behind it needs
/// a page of its own.
inline constexpr size_t largest_page = 65536;
/// A copy of `current` that is not wiped: a page behind, where no load of the line mistakes it for
/// one of its own fields.
inline constexpr size_t kept_offset = largest_page + 32;
inline Node*& kept_current(Line* line) {
  return *reinterpret_cast<Node**>(reinterpret_cast<char*>(line) + kept_offset);
}

/// A word of another thread that a placement hangs on, and what it held.
struct Witness {
  typedef uint64_t __attribute__((may_alias)) Word;
  const Word* word;
  uint64_t value;
};

/// Below which node a thread's outermost regions open, as long as the witnesses hold.
struct Placement {
  uint64_t key;  // of this placement; a multiple of 64 below 2^48
  bool valid;
  bool adopted;
  unsigned witnesses;
  Witness witness[3];
  Node* base;

  bool holds() const {
    for (unsigned i = 0; i < witnesses; ++i)
      if (load_acquire(*witness[i].word) != witness[i].value) return false;
    return valid;
  }
};

struct alignas(64) Thread {
  Line* line;
  Placement placement;
  // Rarely used from here.
  int depth_in_other;
  uint64_t serial;  // 0: free; atomic
  arena::Thread* item;
  uint64_t item_offset;
  Origin origin;
  bool is_main, detached, is_folded;
  // Storage.
  Pool pool;  // of nodes alone: a stale token points to one
  Pool slot_pool;
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
  Counters* counters;        // null: nothing is counted
  NodeCounts* other_counts;  // of `other`
  arena::TraceBlock* trace;  // null: visits are not kept, or none was yet
};

inline constexpr unsigned recent_nodes = 64;

/// This thread. `recent` holds the node that each site entered last, by a number that names share;
/// the first, for sites that have no number yet, never fits.
struct Here {
  Thread* thread;
  Line* line;
  Node* recent[1 + recent_nodes];
};
extern __thread Here here __attribute__((tls_model("initial-exec")));

/// What a site knows of its name: where in `recent` to look, and the name as bits that no address
/// of a node has. Names beyond 2^22 and 32-bit addresses: none, so that check_of() never fits.
inline uint64_t tag_of(uint32_t name) {
  if (sizeof(void*) < 8 || name >= 1u << 22) return 0;
  return (name & 63) | uint64_t{name >> 6} << 48;
}
inline uintptr_t recent_index(uint32_t name) {
  return tag_of(name) == 0 ? 0 : 1 + name % recent_nodes;
}
inline uint64_t check_of(uint64_t tag, const Node* outer) {
  return tag ^ reinterpret_cast<uintptr_t>(outer);
}

inline Node* current_of(const Thread* thread) {
  return load_acquire(thread->line->current);
}
inline void set_current(Line* line, Node* node) {
  store_release(line->current, node);
  store(kept_current(line), node);
}

/// Shorter ones are in the first bucket too.
inline constexpr uint64_t histogram_shortest = uint64_t{1} << arena::histogram_first_octave;

/// The bucket of a duration, past the end for one that is out of range.
inline uint64_t histogram_index(double duration) {
  constexpr uint64_t least = uint64_t{1023 + arena::histogram_first_octave} << 2;
  uint64_t bits;
  __builtin_memcpy(&bits, &duration, sizeof bits);
  return (bits >> 50) - least;
}
inline unsigned histogram_bucket(uint64_t duration) {
  if (duration < histogram_shortest) return 0;
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

roofmark_token enter_elsewhere(roofmark_site* site);
void leave_slow(roofmark_token token, uint64_t now);

// The short paths call nothing but their long forms, as the last thing they do: they need no frame.
// What they cost beside the clock is the number of their instructions: keep it. Entering needs no
// look at the deadline: in a fork child the current region is wiped.
// `long_form` is what does it where the short path can't.
template <class Clock, class Long>
__attribute__((always_inline)) inline roofmark_token enter_region_or(roofmark_site* site,
                                                                     Long long_form) {
  const auto index = reinterpret_cast<uintptr_t>(load(site->reserved[0]));
  const auto tag = reinterpret_cast<uintptr_t>(load(site->reserved[1]));
  Node* node = here.recent[index];
  Line* line = here.line;
  if (unlikely(node->check != check_of(tag, line->current))) return long_form(site);
  arena::Record* record = node->record;
  set_current(line, node);
  const uint64_t now = Clock::ticks();
  store(record->entry, now);
  return {node, now};
}
template <class Clock>
inline roofmark_token enter_region(roofmark_site* site) {
  return enter_region_or<Clock>(site, enter_elsewhere);
}

/// In trace.hpp.
inline void keep_visit(Thread* thread, const arena::Record* record, uint64_t entry,
                       uint64_t duration, uint32_t flags = 0);

/// Counts the visit before, and keeps this one's bucket for the next exit. A store whose address
/// hangs on the clock that was just read would hold up every load behind it until then.
inline void count_visit(arena::Histogram* histogram, uint64_t bucket) {
  // The recording is memory that a program may overwrite by mistake.
  const uint64_t before = histogram->latest;
  if (likely(before <= arena::no_bucket)) ++histogram->counts[before];
  histogram->latest = bucket;
}

/// What `long_form` returns is false or nothing where it is not needed. `also` changes the record
/// within the bracket of the visit's end.
template <class Clock, bool traced, class Long, class Also>
__attribute__((always_inline)) inline auto leave_region_or(roofmark_token token, Long long_form,
                                                           Also also)
    -> decltype(long_form(token, uint64_t{0})) {
  using Result = decltype(long_form(token, uint64_t{0}));
  const uint64_t now = Clock::ticks();
  Line* line = here.line;
  Node* node = static_cast<Node*>(token.node);
  if (unlikely(node != line->current)) return long_form(token, now);
  arena::Record* record = node->record;
  arena::Histogram* histogram = node->histogram;
  if (unlikely(record->entry != token.visit)) return long_form(token, now);
  if (unlikely(histogram == nullptr)) return long_form(token, now);
  if (unlikely(now >= line->deadline)) return long_form(token, now);
  const uint64_t duration = now - token.visit;
  const auto real = static_cast<double>(static_cast<int64_t>(duration));
  uint64_t bucket = histogram_index(real);
  if (unlikely(bucket >= arena::histogram_buckets)) {
    // A clock of coarse steps gives empty visits of no or one tick: they are as common as others.
    if (duration >= histogram_shortest) return long_form(token, now);
    bucket = 0;
  }
  begin_closing(record, token.visit);
  add_duration(record, duration, real);
  count_visit(histogram, bucket);
  also(record);
  end_closing(record, now);
  set_current(line, node->outer);
  if constexpr (traced) keep_visit(node->thread, record, token.visit, duration);
  return Result();
}
template <class Clock, bool traced, class Long>
__attribute__((always_inline)) inline auto leave_region_or(roofmark_token token, Long long_form) {
  return leave_region_or<Clock, traced>(token, long_form, [](arena::Record*) {});
}
template <class Clock, bool traced = false>
__attribute__((always_inline)) inline void leave_region(roofmark_token token) {
  leave_region_or<Clock, traced>(token, leave_slow);
}

void declare_slow(roofmark_token token, double flop, double bytes);
void leave_declared_slow(roofmark_token token, uint64_t now, double flop, double bytes);

inline void add_declared(arena::Record* record, double flop, double bytes) {
  const uint32_t sequence = record->sequence;
  store(record->sequence, sequence + 1);
  fence_release();
  store(record->declared_flop, record->declared_flop + flop);
  store(record->declared_bytes, record->declared_bytes + bytes);
  store(record->declarations, record->declarations + 1);
  store_release(record->sequence, sequence + 2);
}

// Wrappers of libraries declare in every visit.
__attribute__((always_inline)) inline void declare_work(roofmark_token token, double flop,
                                                        double bytes) {
  Node* node = static_cast<Node*>(token.node);
  if (unlikely(node == nullptr || node != here.line->current))
    return declare_slow(token, flop, bytes);
  arena::Record* record = node->record;
  if (unlikely(record->entry != token.visit)) return declare_slow(token, flop, bytes);
  add_declared(record, flop, bytes);
}

/// Both in one, as wrappers of libraries do in every visit: the clock is read before anything else,
/// so that it waits for nothing of this, and the sums are in the bracket of the visit's end.
template <class Clock, bool traced>
inline void leave_region_declared(roofmark_token token, double flop, double bytes) {
  leave_region_or<Clock, traced>(
      token,
      [=](roofmark_token open, uint64_t now) { leave_declared_slow(open, now, flop, bytes); },
      [=](arena::Record* record) {
        record->declared_flop += flop;
        record->declared_bytes += bytes;
        record->declarations += 1;
      });
}

}  // namespace roofmark::runtime
