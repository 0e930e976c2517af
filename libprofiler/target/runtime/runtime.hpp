// The state of the runtime in this process, and its lock.
#pragma once

#include <pthread.h>
#include <signal.h>

#include "file.hpp"
#include "names.hpp"
#include "region.hpp"

namespace roofmark::runtime {

/// Whoever holds the lock has signals blocked: a handler may enter regions and need it itself. Nor
/// can the thread be cancelled in it: it opens files there.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
  int cancellation_ = 0;
};

/// May be nested: a thread that ends closes its visits under the lock, and closing one may need it.
class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  SignalsBlocked blocked_;
  bool outermost_;
};

struct Runtime {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int active = 0;  // atomic
  File file;
  Names names;
  Pool pool;                      // Thread structs
  uint32_t generation = 1;        // of the file: + 1 in each fork child
  int pid = 0;                    // that writes the file
  uint64_t* fork_word = nullptr;  // 0 in a fork child: a page that is wiped by fork
  uint64_t fork_ticks = 0;        // in a fork child: when it was forked, 0: not known
  uint64_t interval = 0;          // ticks between two looks at CPU and clocks
  uint64_t next_calibration = 0;
  uint64_t serials = 0;
  pthread_key_t key = 0;  // its destructor folds a thread that ends
  bool has_key = false;
  Thread* main = nullptr;  // atomic
  Thread* all = nullptr;
  Thread* free = nullptr;
  Thread* folded = nullptr;                // the sum of the threads that ended
  arena::SegmentHeader* shared = nullptr;  // where names are
  uint64_t shared_offset = 0;
};

extern Runtime runtime;
/// This thread holds the lock: a function of the C library that we called is itself annotated, or a
/// handler that fork() runs is.
extern __thread bool inside_runtime __attribute__((tls_model("initial-exec")));

/// Stand-ins for the thread's own state: before its first region, and where it can't have one.
extern Thread no_thread, lost_thread;
/// Line::current between vfork and the parent's return from it.
extern Node vfork_gate, idle_node;
extern Slot empty_slots[1];

inline bool is_real(const Thread* thread) {
  return thread != &no_thread && thread != &lost_thread;
}
/// Nothing is open.
inline bool is_idle(const Thread* thread, const Node* node) {
  return node == &thread->root || node == &thread->gate;
}
inline bool forked() {
  return runtime.fork_word != nullptr && load(*runtime.fork_word) == 0;
}

// api.cpp
/// Points the table's short paths to the clock that was chosen, and to those that read counters
/// where that is asked for; before connect() answers.
void use_paths(arena::Clock clock, bool counted);

// lifecycle.cpp
int connect();
void calibrate_again();  // needs the lock
/// Where the process is about to end without exit(): from a signal's handler too, so it waits for
/// no lock; the end is then not known.
void ends_now();

// fork.cpp
Line* take_line();   // null: no memory; needs the lock
void watch_forks();  // needs the lock
/// In a child that was forked when there was no recording yet: what it inherited is as new.
void forget_fork_before_connecting();
void become_child(Thread* thread);  // in a fork child: its own file, the open path as context
void before_vfork();
/// True in a vfork child, which must not write; otherwise undoes what vfork did to the thread.
bool in_vfork_child(Thread* thread);

// tree.cpp; all need the lock
/// Room for an item that belongs to no thread, published by publish_shared_item().
arena::ItemHeader* take_shared_item(uint32_t bytes, uint64_t& offset);
void publish_shared_item();
/// Room for an item in the thread's segments; it is seen by readers after publish(). Null: no room.
void* take_item(Thread* thread, arena::ItemKind kind, uint32_t bytes, uint64_t& offset);
void publish_item(Thread* thread);
Node* make_node(Thread* thread, Node* parent, uint32_t name);
inline Node* child_of(const Node* parent, uint32_t name) {  // no lock needed
  for (uint32_t at = name & parent->mask;; at = (at + 1) & parent->mask) {
    const Slot& slot = parent->slots[at];
    if (slot.name == name) return slot.node;
    if (slot.name == no_name) return nullptr;
  }
}
Node* find_or_make(Thread* thread, Node* parent, uint32_t name);
void give_histogram(Node* node);
bool make_other(Thread* thread);
void note_truncation();

// threads.cpp
Thread* new_thread_struct();          // null: no memory; needs the lock
void give_back(Thread* thread);       // needs the lock
Thread* make_thread();                // this thread's state, or &lost_thread
bool prepare_thread(Thread* thread);  // item, "(other)"; needs the lock
int thread_id();
/// Makes the calling thread go by that state.
void be_thread(Thread* thread);
/// For a thread whose nodes are no longer what they were: itself, at its end and as a fork child.
void forget_recent_nodes();
/// Below which node an outermost region opens.
Node* place(Thread* thread, uint32_t name);
Node* own_path(Thread* thread, const Node* theirs);  // needs the lock
Origin origin_for_new_thread();
void thread_begins(const Origin& origin);  // in the new thread
void thread_ends(void* thread);
void detach_this_thread();

// visits.cpp
/// This thread's state, ready to be written; null: nothing is to be recorded.
Thread* ready_thread();
roofmark_token enter_named(const char* name, size_t length);
void leave_at_site_slow(roofmark_site* site, uint64_t now);
void abandon_visit(roofmark_token token, uint64_t now);
void housekeeping(Thread* thread, uint64_t now);
/// Ends the visit of the innermost region; extra flags for its record.
void close_visit(Thread* thread, Node* node, uint64_t now, uint32_t flags);

// open_path.cpp
size_t open_path(const void** identity, char* to, size_t room);  // see runtime_table.h

}  // namespace roofmark::runtime
