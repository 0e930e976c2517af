// Child processes. A fork child is noticed at its first marker, by a page that the kernel wipes for
// it; it starts a file of its own with the open path as context. A vfork child borrows the parent's
// memory and must not write.
#include <sched.h>
#include <unistd.h>

#include "counting.hpp"
#include "runtime.hpp"
#include "trace.hpp"

namespace roofmark::runtime {
namespace {

char* wiped_page = nullptr;
size_t wiped_lines = 0;
sigset_t mask_before_fork;
uint32_t generation_before_fork;

// fork() copies the runtime in a consistent state.
void before_fork() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_mutex_lock(&runtime.lock);
  inside_runtime = true;
  mask_before_fork = before;
  generation_before_fork = runtime.generation;
}

void after_fork_in_parent() {
  const sigset_t before = mask_before_fork;
  inside_runtime = false;
  pthread_mutex_unlock(&runtime.lock);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Makes every marker of this thread take its long path.
void divert(Thread* thread) {
  if (!is_real(thread) || current_of(thread) == &vfork_gate) return;
  store_release(thread->line->current, &vfork_gate);  // and not the copy: that is the way back
}

void after_fork_in_child() {
  const sigset_t before = mask_before_fork;
  // Counted from here on: what it inherited counts its parent.
  renew_counters_in_child(is_real(here.thread) ? here.thread : nullptr);
  inside_runtime = false;
  pthread_mutex_unlock(&runtime.lock);
  // Else a marker in a handler that ran before this one has made it a child already.
  if (runtime.generation == generation_before_fork) {
    runtime.fork_ticks = ticks();
    if (runtime.fork_word != nullptr && !forked()) {
      store(*runtime.fork_word, uint64_t{0});  // the kernel does not wipe pages
      divert(here.thread);
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Marks what was open at the fork as open from then on, in the new tree.
void inherit_open_regions(Thread* thread, Node* deepest, uint64_t when) {
  Node* mine = own_path(thread, deepest);
  if (mine == nullptr) return;
  Node* const innermost = mine;
  for (Node* old = deepest; old->parent != nullptr; old = old->parent, mine = mine->parent)
    old->successor = mine;
  for (Node* old = deepest; !is_idle(thread, old) && old->successor != nullptr; old = old->outer) {
    Node* node = old->successor;
    node->inherited = true;
    node->outer = is_idle(thread, old->outer) || old->outer->successor == nullptr
                      ? &thread->root
                      : old->outer->successor;
    store(node->record->entry, when);
    inherit_entry(thread, node);
    store(node->record->flags, uint32_t{arena::record_inherited});
  }
  set_current(thread->line, innermost);
}

}  // namespace

Line* take_line() {
  if (wiped_page == nullptr || wiped_lines == largest_page / sizeof(Line)) {
    // The page behind it is for the copies, which a child needs.
    wiped_page = static_cast<char*>(map_pages(2 * largest_page));
    if (wiped_page == nullptr) return nullptr;
    wipe_in_fork_children(wiped_page, largest_page);
    wiped_lines = 0;
  }
  return reinterpret_cast<Line*>(wiped_page) + wiped_lines++;
}

void watch_forks() {
  if (runtime.fork_word != nullptr) return;
  Line* line = take_line();
  if (line == nullptr) return;
  line->deadline = 1;
  runtime.fork_word = &line->deadline;
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void forget_fork_before_connecting() {
  if (runtime.fork_word == nullptr || load(*runtime.fork_word) == 1) return;
  SignalsBlocked blocked;
  uint64_t expected = 0;
  constexpr uint64_t in_work = 2;
  if (__atomic_compare_exchange_n(runtime.fork_word, &expected, in_work, false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_ACQUIRE)) {
    // A raw clone may have copied the lock while another thread held it.
    if (!inside_runtime) runtime.lock = PTHREAD_MUTEX_INITIALIZER;
    runtime.fork_ticks = 0;
    __atomic_store_n(runtime.fork_word, uint64_t{1}, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n(runtime.fork_word, __ATOMIC_ACQUIRE) == in_work) sched_yield();
}

void before_vfork() {
  divert(here.thread);
}

bool in_vfork_child(Thread* thread) {
  if (!forked() && getpid() != runtime.pid) return true;
  set_current(thread->line, kept_current(thread->line));
  return false;
}

void become_child(Thread* thread) {
  SignalsBlocked blocked;
  // Whatever we call from here and is itself annotated must not come back here. True already where
  // a handler of fork() runs: the lock is then this thread's, and after_fork_in_child() opens it.
  const bool outermost = !inside_runtime;
  inside_runtime = true;
  if (outermost) {
    // A raw clone may have copied the lock while another thread held it.
    runtime.lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&runtime.lock);
  }
  const uint64_t when = runtime.fork_ticks != 0 ? runtime.fork_ticks : ticks();
  runtime.fork_ticks = 0;

  Node* deepest = nullptr;
  if (thread != nullptr) {
    forget_recent_nodes();
    deepest = kept_current(thread->line);
    if (deepest == &thread->other) deepest = deepest->outer;
    if (is_idle(thread, deepest)) deepest = nullptr;
  }
  // The parent's segments stay mapped, as tokens and origins may point into them, but nobody here
  // writes them any more.
  runtime.free = nullptr;
  for (Thread* each = runtime.all; each != nullptr; each = each->next_all) {
    each->serial = 0;
    each->segment_count = each->segment = 0;
    each->pool.abandon();
    each->slot_pool.abandon();
    if (each == thread) continue;
    each->next_free = runtime.free;
    runtime.free = each;
  }
  runtime.folded = nullptr;
  runtime.shared = nullptr;
  runtime.main = nullptr;
  ++runtime.generation;

  forget_parents_trace();
  const arena::FileHeader* parent = runtime.file.header();
  const bool created = runtime.file.create(runtime.file.directory());
  arena::FileHeader* header = runtime.file.header();
  runtime.pid = getpid();
  if (created && parent != nullptr) {
    header->flags = arena::file_forked;
    header->parent_pid = parent->pid;
    header->parent_sequence = parent->file_sequence;
    header->fork_ticks = when;
    header->marker_ticks = parent->marker_ticks;
    header->marker_inner_ticks = parent->marker_inner_ticks;
    header->calibration.clock = parent->calibration.clock;
    header->calibration.first_ticks = parent->calibration.first_ticks;
    header->calibration.first_raw_ns = parent->calibration.first_raw_ns;
    calibrate_again();
    tell_counting();
  }
  renew_counters_in_child(thread);
  bool ready = false;
  if (created && thread != nullptr) {
    thread->is_main = true;
    thread->origin = {};
    // The old nodes' ends are still needed: `root` and `gate` are the same addresses.
    ready = prepare_thread(thread);
    if (ready) open_counters(thread, runtime.pid);
    if (ready && deepest != nullptr) inherit_open_regions(thread, deepest, when);
    if (ready) runtime.main = thread;
  }
  if (thread != nullptr && !ready) {
    thread->next_free = runtime.free;
    runtime.free = thread;
  }
  be_thread(ready ? thread : created && thread == nullptr ? &no_thread : &lost_thread);
  if (runtime.fork_word != nullptr) store(*runtime.fork_word, uint64_t{1});
  if (!outermost) return;
  pthread_mutex_unlock(&runtime.lock);
  inside_runtime = false;
}

}  // namespace roofmark::runtime
