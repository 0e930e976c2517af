// Threads, the regions they have open, and whose counters are active. Valgrind runs one thread at a
// time, so none of this needs a lock.
#pragma once

#include "counters.hpp"
#include "paths.hpp"

namespace roofmark::emulator {

enum RowFlag : UInt {
  adopted = 1,
  mismatched = 2,
  unclosed = 4,
  truncated = 8,
  isa_differs = 16,
  passed_over = 32,  ///< entered before counting began
  partial = 64,      ///< open when counting began
};

/// What one thread did in one region.
struct Row {
  Node* node;
  Row* next;    ///< of the same node
  UInt thread;  ///< serial; the last one stands for all threads beyond the cap
  UInt id;      ///< index among all rows: the owner of cache lines
  UInt flags;
  ULong visits;
  ULong declared_flop;
  ULong declared_bytes;
  bool declared;
  Counters counters;
};

/// An open region.
struct Frame {
  Node* node;
  ULong opened;  ///< on the clock of openings and thread starts: the number of the visit
};

struct Thread;

/// What was open in the creator when a thread was created. A creator without a region stands for
/// its own creator.
struct Origin {
  Thread* creator;  ///< null: not known
  Node* node;       ///< null: nothing was open
  ULong visit;
};

/// A call of a function that is a region by its entry.
struct Call {
  ULong visit;
  UWord stack_pointer;  ///< at its entry
  UWord function;
};

struct Thread {
  ThreadId id;  ///< Valgrind's
  UInt serial;  ///< 0: the first thread
  UInt kernel_id;
  bool has_creator;
  UInt creator_serial;
  Origin origin;
  ULong made;     ///< on the clock of openings and thread starts
  bool detached;  ///< opted out of its creator's region
  bool ended;
  Vector<Frame> frames;
  Vector<Call> calls;
};

/// Threads beyond so many share one row per region: memory stays bounded.
inline constexpr UInt most_thread_rows = 256;

const Vector<Row*>& rows();
const Vector<Thread*>& threads();
/// The thread whose code runs, and the row that its work goes to. Null before any code ran.
Thread* current_thread();
Row* current_row();
bool inside_region();
/// The row of the same thread for code that has one of its own.
Row* row_of_code(Node* node, const Row& row);
/// From now on the caches charge the code of `node`, unless a region is open; null: the region.
void charge_code(Node* node);

void thread_created(ThreadId creator, ThreadId created);
void thread_ended(ThreadId id);
/// Called whenever a thread is about to run.
void thread_runs(ThreadId id);
/// In a forked child: only the thread `id` is left, nothing has been counted yet.
void forget_counts(ThreadId id);

/// All of these concern the current thread. A visit is left by the number that `enter` returned.
ULong enter(const UChar* name, UInt length);
/// A visit of another thread is closed there, and flagged.
void leave(ULong visit);
/// The same, of a visit of this thread whose end nobody saw: flagged.
void abandon(ULong visit);
/// Closes the innermost open region of that name.
void leave_name(const UChar* name, UInt length);
/// `visit` 0: the innermost open region.
void declare(ULong visit, ULong flop, ULong bytes);
void detach();
/// Region path that the current thread works for.
Node* open_node();
/// Flags the rows of regions that are still open.
void flag_open_regions();

}  // namespace roofmark::emulator
