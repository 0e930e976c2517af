// Hardware counts of visits. A half (roofmark/collector.h) reads the counters; here a reading at
// the entry is kept beside the node and the difference at the exit is added to the record.
//
// A thread's total is its own counters and those of the threads below it, as far as these work
// outside of regions of their own: what they do inside is in their own records. So a region's sums
// over all threads hold every piece of work once.
#pragma once

#include <roofmark/collector.h>

#include "region.hpp"

namespace roofmark::runtime {

/// What a process counts by; constant once `active` is set.
struct Counting {
  const roofmark_counting_half* half = nullptr;  // null: nothing is counted
  roofmark_counting_shape shape = {};
  uint32_t node_bytes = 0;   // kept behind each node
  uint32_t event_bytes = 0;  // of arena::Events
  void* packages = nullptr;  // state of the groups of packages; null: there are none
  uint64_t package_groups = 0, open_packages = 0;
  char* plan = nullptr;
  uint32_t plan_bytes = 0;
  arena::CountingGroup groups[roofmark_most_counting_groups] = {};
  double inner[roofmark_most_counting_words] = {}, whole[roofmark_most_counting_words] = {};
  double scatter[roofmark_most_counting_words] = {};
};
extern Counting counting;
/// Found beside the runtime where it may load libraries (plugin.cpp); null in a static program.
using FindHalf = const roofmark_counting_half*(const char* name, size_t length);
extern FindHalf* find_counting_half;
extern "C" const roofmark_counting_half roofmark_perf_counting_half;

/// Counters of one thread, and what others need to know of its work. All but what is `atomic`
/// changes under the lock.
struct Counters {
  void* state;
  uint64_t open_groups;
  arena::Refusal refusal;
  int tid;                // 0: closed
  bool own;               // opened by the thread itself, or taken over by it
  bool had_below;         // `ended` is not empty
  uint32_t below;         // how many threads have this one as parent; atomic
  Thread* parent;         // whose regions its work outside of regions belongs to; null: none
  uint64_t* ended;        // work, outside of their regions, of those below it that ended
  uint64_t ended_groups;  // that every one of them had
  // What it did in regions of its own (buffer 0, valid while none is open: `published` is even), or
  // all that it had done outside of them (buffer 1: one is open). Read by others.
  uint64_t published;  // atomic
  uint64_t* told[2];
  uint64_t told_groups[2];
  uint64_t* in_regions;  // the thread's own
  uint64_t in_regions_groups;
  uint64_t* scratch;
};

/// Behind a node while counters are read.
struct NodeCounts {
  arena::Events* events;  // null: no room for it
  uint64_t entry_groups;  // that were read at the entry
  uint64_t exit_groups;   // at the exit, or by another thread that closed the visit
  uint64_t shared_ticks;
  uint32_t shared, blind;
  uint64_t words[1];  // of the entry, then of the exit
};
NodeCounts* counts_of(Node* node);

// counting.cpp; all but reading at the edges needs the lock
/// Reads the plan that ROOFMARK_COUNTERS names and starts its half.
void begin_counting();
/// Into the recording: what is counted and what an empty visit counts.
void tell_counting();
void note_refusal(const roofmark_counting_refusal& refusal);
/// Room for the sums of a node's record.
bool give_events(Node* node);
void read_entry(Thread* thread, Node* node);
void read_exit(Thread* thread, Node* node);
/// What was read at the two edges, into the record.
void add_events(Thread* thread, Node* node, bool is_visit);
void add_folded_events(Node* to, Node* from);
/// What another thread has counted when this one closes its visit.
void read_elsewhere(Node* node);
/// A visit that is open since the fork counts from there on.
void inherit_entry(Thread* thread, Node* node);

// thread_counters.cpp; all but read_total() and publish_*() need the lock
void open_counters(Thread* thread, int tid);  // of the calling thread
void open_counters_of_others(int own_tid);    // of all that there are
Thread* thread_opened_for(int tid);           // by another thread; null: none
void detach_counters(Thread* thread);
void close_counters(Thread* thread);           // at its end
void renew_counters_in_child(Thread* thread);  // the calling one, or null
/// All work that counts for the regions of a thread, the calling one or another; the groups that
/// were read.
uint64_t read_total(Thread* thread, uint64_t* words, NodeCounts* node);
uint64_t read_total_of(Thread* thread, uint64_t* words, NodeCounts* node);
void publish_entry(Thread* thread, const NodeCounts* node);
void publish_exit(Thread* thread, const NodeCounts* node);

// counted_marker.cpp
/// The short paths, with a reading at each edge.
template <class Clock>
roofmark_token enter_counted(roofmark_site* site);
template <class Clock>
roofmark_token after_entry(roofmark_token token);
template <class Clock>
void leave_counted(roofmark_token token);
/// What such a marker costs, in ticks and in events.
void measure_counted_marker(arena::FileHeader* header);

}  // namespace roofmark::runtime
