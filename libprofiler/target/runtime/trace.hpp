// Where every visit is kept by itself: asked for by ROOFMARK_TRACE, the number of visits that a
// process may keep.
#pragma once

#include "libprofiler/arena/trace_layout.h"
#include "runtime.hpp"

namespace roofmark::runtime {

struct Tracing {
  uint64_t limit = 0;        // of a process
  uint64_t visits_left = 0;  // atomic
  bool on = false;           // fixed before the first marker answers
};
extern Tracing tracing;

// All but keep_visit() need the lock.
void begin_trace();
/// In a fork child: a file of its own.
void forget_parents_trace();
/// At a thread's end: what room is left serves another one.
void give_back_trace(Thread* thread);

/// Room for visits that nobody reads: what keeping one costs. Null: no memory.
arena::TraceBlock* scratch_trace_block(uint32_t room);

/// Another block, or an account of the visit that finds none.
void keep_visit_slow(Thread* thread, const arena::Record* record, uint64_t entry, uint64_t duration,
                     uint32_t flags);

// A handler may come in between and keep a visit of its own: places are claimed.
inline bool keep_visit_in(arena::TraceBlock* block, const Thread* thread,
                          const arena::Record* record, uint64_t entry, uint64_t duration,
                          uint32_t flags) {
  const uint64_t at = __atomic_fetch_add(&block->claimed, uint64_t{1}, __ATOMIC_RELAXED);
  if (unlikely(at >= block->room)) return false;
  arena::TraceVisit& visit = block->visits[at];
  visit.duration = duration;
  visit.name = static_cast<uint32_t>(record->name / arena::item_alignment) | flags;
  visit.tid = thread->item->tid;
  store_release(visit.entry, entry);
  return true;
}

inline void keep_visit(Thread* thread, const arena::Record* record, uint64_t entry,
                       uint64_t duration, uint32_t flags) {
  arena::TraceBlock* block = thread->trace;
  if (unlikely(block == nullptr || !keep_visit_in(block, thread, record, entry, duration, flags)))
    keep_visit_slow(thread, record, entry, duration, flags);
}

}  // namespace roofmark::runtime
