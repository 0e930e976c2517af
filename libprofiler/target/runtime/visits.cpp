// The long paths of entering and leaving: first visits, new children, exits that don't fit.
#include <sched.h>
#include <string.h>

#include "counting.hpp"
#include "middle.hpp"
#include "runtime.hpp"
#include "trace.hpp"

namespace roofmark::runtime {
namespace {

constexpr roofmark_token nothing = {nullptr, 0};

uint32_t number_of(const char* bytes, size_t length) {
  if (length > arena::name_bytes_cap) return no_name;
  uint32_t name = runtime.names.find(bytes, length);
  if (name != Names::none) return name;
  Locked lock;
  name = runtime.names.add(bytes, length);
  return name == Names::none ? no_name : name;
}

// And what the site has to know of it for the short path.
uint32_t number_of(roofmark_site* site) {
  const uint32_t name = number_of(load_acquire(site->name), load(site->length));
  if (name == no_name) return name;
  // The tag first: an index without it, in a child that was forked just then, would fit nodes that
  // have no check.
  store(site->reserved[1], reinterpret_cast<void*>(static_cast<uintptr_t>(tag_of(name))));
  store_release(site->reserved[0], reinterpret_cast<void*>(recent_index(name)));
  store(site->id, name);
  return name;
}

roofmark_token enter_other(Thread* thread) {
  if (current_of(thread) == &thread->other) {
    ++thread->depth_in_other;
    return {&thread->other, 0};
  }
  __atomic_fetch_or(&thread->item->flags, arena::thread_other_full, __ATOMIC_RELAXED);
  if (const Node* around = current_of(thread); around->record != nullptr)
    __atomic_fetch_or(&around->record->flags, arena::record_other_inside, __ATOMIC_RELAXED);
  note_truncation();
  came_from(&thread->other, current_of(thread));
  return begin_visit(thread->line, &thread->other);
}

roofmark_token enter_number(uint32_t name) {
  Thread* thread = ready_thread();
  if (thread == nullptr) return nothing;
  if (const uint64_t now = ticks(); now >= load(thread->line->deadline)) housekeeping(thread, now);
  Node* current = current_of(thread);
  if (name == no_name || current == &thread->other) return enter_other(thread);
  const bool outermost = current == &thread->gate;
  Node* base = outermost ? place(thread, name) : current;
  Node* node = child_of(base, name);
  if (node == nullptr) {
    Locked lock;
    node = make_node(thread, base, name);
  }
  if (node == nullptr) return enter_other(thread);
  if (outermost) count_adoption(thread, node);
  came_from(node, current);
  here.recent[recent_index(name)] = recent_index(name) == 0 ? &idle_node : node;
  return begin_visit(thread->line, node);
}

void count_stale_exit(Thread* thread) {
  __atomic_fetch_or(&thread->item->flags, arena::thread_mismatched, __ATOMIC_RELAXED);
  __atomic_fetch_add(&runtime.file.header()->stale_exits, 1, __ATOMIC_RELAXED);
}

bool is_on_stack(const Thread* thread, const Node* node) {
  for (const Node* open = current_of(thread); !is_idle(thread, open); open = open->outer)
    if (open == node) return true;
  return false;
}

// Ends every visit from the innermost up to the node's own.
void leave_until(Thread* thread, Node* node, uint64_t now) {
  while (current_of(thread) != node)
    close_visit(thread, current_of(thread), now, arena::record_mismatched);
  close_visit(thread, node, now, 0);
}

// The owner ends the visit itself, at its next marker: nobody else writes its records.
void close_elsewhere(Node* node, uint64_t visit, uint64_t now) {
  Locked lock;
  for (Thread* owner = runtime.all; owner != nullptr; owner = owner->next_all) {
    if (node->thread != owner || owner->serial == 0 || !is_open(node->record, visit)) continue;
    read_elsewhere(node);
    store(node->closed_visit, visit);
    store_release(node->closed_elsewhere, now);
    store_release(owner->line->deadline, uint64_t{0});
    return;
  }
  if (arena::FileHeader* header = runtime.file.header(); header != nullptr)
    __atomic_fetch_add(&header->stale_exits, 1, __ATOMIC_RELAXED);
}

// Visits of this thread that another thread closed.
void settle_foreign_exits(Thread* thread) {
  Node* inside = nullptr;  // what is open inside the node
  for (Node* node = current_of(thread); !is_idle(thread, node);) {
    const uint64_t when = load_acquire(node->closed_elsewhere);
    Node* outer = node->outer;
    if (when != 0) store(node->closed_elsewhere, uint64_t{0});
    if (when == 0 || load(node->closed_visit) != node->record->entry) {
      inside = node;
    } else {
      Node* const inner = current_of(thread);
      close_visit(thread, node, when, arena::record_wrong_thread);
      set_current(thread->line, inside != nullptr ? inner : outer);
      if (inside != nullptr) {
        // Not came_from(): its place is still below the node that is gone.
        inside->check = inside->gated = 0;
        inside->outer = outer;
      }
    }
    node = outer;
  }
}

}  // namespace

Thread* ready_thread() {
  Thread* thread = here.thread;
  if (is_real(thread) && current_of(thread) == &vfork_gate && in_vfork_child(thread))
    return nullptr;
  if (forked()) {
    become_child(is_real(thread) ? thread : nullptr);
    thread = here.thread;
  }
  if (thread == &no_thread) thread = make_thread();
  if (thread != &lost_thread) return thread;
  arena::FileHeader* header = runtime.file.header();
  if (header != nullptr) {
    __atomic_fetch_add(&header->lost_visits, 1, __ATOMIC_RELAXED);
    note_truncation();
  }
  return nullptr;
}

void close_visit(Thread* thread, Node* node, uint64_t now, uint32_t flags) {
  arena::Record* record = node->record;
  // Where another thread has closed the visit it has read the counters then.
  const bool counted = counting.half != nullptr;
  const bool inherited = node->inherited;
  if (counted && (flags & arena::record_wrong_thread) == 0) read_exit(thread, node);
  if (node->inherited) {
    // Its entry was the parent process's: only the time since the fork is ours.
    node->inherited = false;
    const uint64_t since = record->entry;
    begin_closing(record, since);
    record->sum_ticks += now > since ? now - since : 0;
    if (counted) add_events(thread, node, false);
    end_closing(record, now > since ? now : since);
  } else {
    const uint64_t entry = record->entry;
    const uint64_t duration = now > entry ? now - entry : 0;
    if (record->first_entry == 0) {
      store(record->first_entry, entry);
      store(record->first_ticks, duration);
    } else if (node->histogram == nullptr && node != &thread->other) {
      Locked lock;
      give_histogram(node);
    }
    begin_closing(record, entry);
    add_duration(record, duration, static_cast<double>(static_cast<int64_t>(duration)));
    if (node->histogram != nullptr)
      count_visit(node->histogram, histogram_bucket(duration));
    else
      ++record->early_visits;
    if (counted) add_events(thread, node, true);
    end_closing(record, entry + duration);
  }
  if (flags != 0) __atomic_fetch_or(&record->flags, flags, __ATOMIC_RELAXED);
  if (tracing.on)
    keep_visit(thread, record, record->entry, record->last_exit - record->entry,
               inherited ? arena::trace_inherited : 0);
  if (node == &thread->other) thread->depth_in_other = 0;
  set_current(thread->line, node->outer);
}

void housekeeping(Thread* thread, uint64_t now) {
  store(thread->line->deadline, now + runtime.interval);
  settle_foreign_exits(thread);
  const int cpu = sched_getcpu();
  if (cpu >= 0 && static_cast<unsigned>(cpu) < arena::cpu_words * 64) {
    uint64_t& word = thread->item->cpus[cpu / 64];
    store(word, word | uint64_t{1} << (cpu % 64));
    store(thread->item->cpu_samples, thread->item->cpu_samples + 1);
  }
  if (now < load(runtime.next_calibration)) return;
  Locked lock;
  calibrate_again();
}

namespace {

roofmark_token enter_slow(roofmark_site* site) {
  if (inside_runtime) return nothing;
  const uint32_t name = load(site->id);
  return enter_number(name != Names::none ? name : number_of(site));
}

}  // namespace

roofmark_token enter_elsewhere(roofmark_site* site) {
  return enter_known_or(site, enter_slow);
}

roofmark_token enter_named(const char* name, size_t length) {
  if (inside_runtime) return nothing;
  return enter_number(number_of(name, length));
}

void leave_slow(roofmark_token token, uint64_t now) {
  auto* node = static_cast<Node*>(token.node);
  if (node == nullptr) return;
  Thread* thread = here.thread;
  if (!is_real(thread)) {
    if (runtime.active != 0 && !forked()) close_elsewhere(node, token.visit, now);
    return;
  }
  if (current_of(thread) == &vfork_gate && in_vfork_child(thread)) return;
  if (forked()) {
    become_child(thread);
    if (!is_real(here.thread)) return;
  }
  if (now >= load(thread->line->deadline)) housekeeping(thread, now);
  // A token may be older than its thread: the node then serves another, or has no record (yet).
  const arena::Record* known = load(node->record);
  bool same_visit = known != nullptr && token.visit == load(known->entry);
  while (node->successor != nullptr) node = node->successor;
  if (node != token.node) same_visit = node->inherited;
  if (node == &thread->other && thread->depth_in_other > 0) {
    --thread->depth_in_other;
  } else if (node == current_of(thread) && same_visit) {
    close_visit(thread, node, now, 0);
  } else if (node->thread != thread) {
    close_elsewhere(node, token.visit, now);
  } else if (same_visit && is_on_stack(thread, node)) {
    leave_until(thread, node, now);
  } else {
    count_stale_exit(thread);
  }
}

// Flagged before it is closed: nobody saw when it ended.
void abandon_visit(roofmark_token token, uint64_t now) {
  auto* node = static_cast<Node*>(token.node);
  if (node == nullptr) return;
  const Thread* thread = here.thread;
  if (is_real(thread) && !forked() && node->thread == thread && is_on_stack(thread, node) &&
      token.visit == load(node->record->entry))
    __atomic_fetch_or(&node->record->flags, arena::record_mismatched, __ATOMIC_RELAXED);
  leave_slow(token, now);
}

void leave_at_site_slow(roofmark_site* site, uint64_t now) {
  Thread* thread = ready_thread();
  if (thread == nullptr) return;
  if (now >= load(thread->line->deadline)) housekeeping(thread, now);
  if (current_of(thread) == &thread->other) {
    if (thread->depth_in_other > 0)
      --thread->depth_in_other;
    else
      close_visit(thread, &thread->other, now, 0);
    return;
  }
  const uint32_t name = number_of(site);
  for (Node* node = current_of(thread); !is_idle(thread, node); node = node->outer)
    if (node->name == name) {
      leave_until(thread, node, now);
      return;
    }
  count_stale_exit(thread);
}

void declare_slow(roofmark_token token, double flop, double bytes) {
  Thread* thread = ready_thread();
  if (thread == nullptr) return;
  Node* node = token.node == nullptr ? current_of(thread) : static_cast<Node*>(token.node);
  while (node->successor != nullptr) node = node->successor;
  if (is_idle(thread, node) || node->thread != thread) {
    count_stale_exit(thread);
    return;
  }
  add_declared(node->record, flop, bytes);
}

void leave_declared_slow(roofmark_token token, uint64_t now, double flop, double bytes) {
  declare_work(token, flop, bytes);
  leave_slow(token, now);
}

}  // namespace roofmark::runtime
