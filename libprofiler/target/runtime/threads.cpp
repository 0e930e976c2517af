// Threads: their state, the region of another thread that theirs hang below, and their end.
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counting.hpp"
#include "runtime.hpp"
#include "trace.hpp"

namespace roofmark::runtime {
namespace {

__thread Origin this_origin __attribute__((tls_model("initial-exec")));
__thread unsigned exit_rounds __attribute__((tls_model("initial-exec")));

bool is_alive(const Thread* thread, uint64_t serial) {
  return thread != nullptr && load_acquire(thread->serial) == serial;
}

// The innermost open region of another thread that is at this node, or null.
Node* open_region(const Thread* thread, Node* node) {
  return node == nullptr || is_idle(thread, node) || node == &thread->other || node == &vfork_gate
             ? nullptr
             : node;
}

void clear_nodes(Thread* thread) {
  Node* const fixed[] = {&thread->root, &thread->gate, &thread->other};
  for (Node* node : fixed) {
    *node = {};
    node->slots = empty_slots;
    node->name = no_name;
    node->thread = thread;
  }
  thread->first_node = thread->last_node = nullptr;
  thread->placement.valid = false;
  thread->depth_in_other = 0;
}

// Makes the thread's storage empty for its next owner.
void empty_storage(Thread* thread) {
  uint64_t records = 0;
  for (const Node* node = thread->first_node; node != nullptr; node = node->next) ++records;
  arena::FileHeader* header = runtime.file.header();
  store(header->records, header->records - records);
  for (unsigned i = 0; i < thread->segment_count; ++i) {
    arena::SegmentHeader* segment = thread->segments[i];
    store(segment->owner_sequence, segment->owner_sequence + 1);
    fence_release();
    const uint64_t used = segment->used;
    store(segment->used, uint64_t{sizeof *segment});
    memset(segment + 1, 0, used - sizeof *segment);
    store_release(segment->owner_sequence, segment->owner_sequence + 1);
  }
  thread->segment = 0;
  thread->pool.reset();
  thread->slot_pool.reset();
  clear_nodes(thread);
}

void add_visits(Node* to, const Node* from) {
  arena::Record& sum = *to->record;
  const arena::Record& one = *from->record;
  if (to->histogram == nullptr && (sum.first_entry != 0 || from->histogram != nullptr))
    give_histogram(to);
  const auto add = [&](uint64_t bucket, uint64_t visits) {
    if (to->histogram != nullptr)
      to->histogram->counts[bucket] += visits;
    else
      sum.early_visits += visits;
  };
  if (const arena::Histogram* times = from->histogram; times != nullptr) {
    for (unsigned i = 0; i < arena::histogram_buckets; ++i) add(i, times->counts[i]);
    if (times->latest != arena::no_bucket) add(times->latest, 1);
  }
  if (one.early_visits == 1)
    add(histogram_bucket(one.first_ticks), 1);
  else
    sum.early_visits += one.early_visits;
}

// Adds the record of a thread that ended. A reader that comes between sees the sum as torn.
void fold_node(Node* to, Node* from) {
  arena::Record& sum = *to->record;
  arena::Record& one = *from->record;
  const uint32_t sequence = sum.sequence;
  store(sum.sequence, sequence + 1);
  fence_release();
  if (one.first_entry != 0) {
    add_visits(to, from);
    if (sum.first_entry == 0 || one.first_entry < sum.first_entry) {
      store(sum.first_entry, one.first_entry);
      store(sum.first_ticks, one.first_ticks);
    }
    if (one.last_exit > sum.last_exit) store(sum.last_exit, one.last_exit);
    if (one.min_ticks < sum.min_ticks) store(sum.min_ticks, one.min_ticks);
    if (one.max_ticks > sum.max_ticks) store(sum.max_ticks, one.max_ticks);
    if (one.sum_ticks > sum.max_thread_ticks) store(sum.max_thread_ticks, one.sum_ticks);
    store(sum.sum_ticks, sum.sum_ticks + one.sum_ticks);
    store(sum.sum_of_squares, sum.sum_of_squares + one.sum_of_squares);
    store(sum.threads, sum.threads + 1);
  }
  if (counting.half != nullptr) add_folded_events(to, from);
  store(sum.adopted_visits, sum.adopted_visits + one.adopted_visits);
  store(sum.declared_flop, sum.declared_flop + one.declared_flop);
  store(sum.declared_bytes, sum.declared_bytes + one.declared_bytes);
  store(sum.declarations, sum.declarations + one.declarations);
  constexpr uint32_t kept = arena::record_mismatched | arena::record_wrong_thread |
                            arena::record_inherited | arena::record_unclosed |
                            arena::record_other_inside;
  store(sum.flags, sum.flags | (one.flags & kept));
  __atomic_fetch_or(&one.flags, arena::record_folded, __ATOMIC_RELAXED);
  store_release(sum.sequence, sequence + 2);
}

}  // namespace

int thread_id() {
  return static_cast<int>(syscall(SYS_gettid));
}

Thread* new_thread_struct() {
  if (Thread* thread = runtime.free; thread != nullptr) {
    runtime.free = thread->next_free;
    return thread;
  }
  auto* thread = runtime.pool.take_array<Thread>(1);
  if (thread == nullptr) return nullptr;
  thread->line = take_line();
  if (thread->line == nullptr) return nullptr;
  thread->next_all = runtime.all;
  runtime.all = thread;
  return thread;
}

void give_back(Thread* thread) {
  store_release(thread->serial, uint64_t{0});
  thread->next_free = runtime.free;
  runtime.free = thread;
}

namespace {

// The tree of the threads that ended; null: there is no room for it.
Thread* folded_tree() {
  if (runtime.folded != nullptr) return runtime.folded;
  Thread* thread = new_thread_struct();
  if (thread == nullptr) return nullptr;
  clear_nodes(thread);
  thread->is_folded = true;
  if (!prepare_thread(thread)) {
    thread->is_folded = false;
    give_back(thread);
    return nullptr;
  }
  runtime.folded = thread;
  return thread;
}

}  // namespace

// The same path in this thread's own tree.
Node* own_path(Thread* thread, const Node* theirs) {
  unsigned depth = 0;
  for (const Node* node = theirs; node->parent != nullptr; node = node->parent) ++depth;
  Node* base = &thread->root;
  constexpr unsigned batch = 256;
  uint32_t names[batch];
  for (unsigned done = 0; done < depth;) {
    const unsigned count = depth - done < batch ? depth - done : batch;
    const Node* node = theirs;
    for (unsigned skip = depth - done - count; skip != 0; --skip) node = node->parent;
    for (unsigned i = count; i-- != 0; node = node->parent) names[i] = node->name;
    for (unsigned i = 0; i < count; ++i) {
      base = find_or_make(thread, base, names[i]);
      if (base == nullptr) return nullptr;
    }
    done += count;
  }
  return base;
}

bool prepare_thread(Thread* thread) {
  clear_nodes(thread);
  uint64_t offset = 0;
  auto* item = static_cast<arena::Thread*>(
      take_item(thread, arena::ItemKind::thread, sizeof(arena::Thread), offset));
  if (item == nullptr) return false;
  thread->item = item;
  thread->item_offset = offset;
  item->tid = thread->is_folded ? 0 : thread_id();
  item->creator_tid = thread->origin.creator_tid;
  item->serial = runtime.serials + 1;
  item->created_ticks = thread->origin.created_ticks != 0 ? thread->origin.created_ticks : ticks();
  item->flags = (thread->is_main ? arena::thread_main : 0u) |
                (thread->is_folded ? arena::thread_folded : 0u) |
                (thread->origin.known || thread->is_main ? 0u : arena::thread_unknown_parent);
  publish_item(thread);
  if (!make_other(thread)) {
    if (runtime.file.header() != nullptr) empty_storage(thread);
    return false;
  }
  set_current(thread->line, thread->is_main ? &thread->root : &thread->gate);
  store(thread->line->deadline, uint64_t{0});  // look at the CPU at once
  store_release(thread->serial, ++runtime.serials);
  return true;
}

Thread* make_thread() {
  Thread* thread = nullptr;
  {
    Locked lock;
    // Nobody has opened counters for a thread that was created since recording began.
    if (this_origin.created_ticks == 0) thread = thread_opened_for(thread_id());
    if (thread == nullptr) thread = new_thread_struct();
    if (thread != nullptr) {
      thread->origin = this_origin;
      thread->detached = false;
      thread->is_folded = false;
      thread->is_main = thread_id() == runtime.pid;
      if (prepare_thread(thread)) {
        if (thread->is_main) store_release(runtime.main, thread);
        open_counters(thread, thread_id());
      } else {
        close_counters(thread);
        give_back(thread);
        thread = nullptr;
      }
    }
    forget_recent_nodes();
    be_thread(thread != nullptr ? thread : &lost_thread);
  }
  if (thread != nullptr && runtime.has_key) pthread_setspecific(runtime.key, thread);
  return here.thread;
}

namespace {

Witness witness_of(const uint64_t& word, uint64_t value) {
  return {reinterpret_cast<const Witness::Word*>(&word), value};
}
Witness witness_of(Node* const& word, const Node* value) {
  return {reinterpret_cast<const Witness::Word*>(&word), reinterpret_cast<uintptr_t>(value)};
}
Witness witness_of(Thread* const& word, const Thread* value) {
  return {reinterpret_cast<const Witness::Word*>(&word), reinterpret_cast<uintptr_t>(value)};
}

// Decides by what it has read into the witnesses, so that they hold as long as it would decide the
// same.
void place_again(Thread* thread) {
  Placement& placement = thread->placement;
  placement.key += 64;
  placement.valid = false;
  placement.adopted = false;
  placement.witnesses = 0;
  placement.base = &thread->root;
  const auto trust = [&](Witness witness) { placement.witness[placement.witnesses++] = witness; };
  const auto base_at = [&](const Thread* owner, uint64_t serial, const Node* theirs) {
    Locked lock;
    Node* base = is_alive(owner, serial) ? own_path(thread, theirs) : nullptr;
    placement.valid = base != nullptr;
    if (base != nullptr) placement.base = base;
    return placement.valid;
  };
  if (thread->detached) {
    placement.valid = true;
    return;
  }
  const Origin& origin = thread->origin;
  const bool creator_lives = is_alive(origin.creator, origin.creator_serial);
  if (origin.record != nullptr && creator_lives) {
    const uint64_t entry = load(origin.record->entry), exit = load(origin.record->last_exit);
    if (entry == origin.visit && exit < origin.visit) {
      trust(witness_of(origin.record->entry, entry));
      trust(witness_of(origin.record->last_exit, exit));
      base_at(origin.creator, origin.creator_serial, origin.node);
      return;
    }
  }

  if (creator_lives) {
    Node* current = current_of(origin.creator);
    trust(witness_of(origin.creator->serial, origin.creator_serial));
    trust(witness_of(origin.creator->line->current, current));
    if (const Node* theirs = open_region(origin.creator, current); theirs != nullptr) {
      placement.adopted = base_at(origin.creator, origin.creator_serial, theirs);
      return;
    }
  }
  Thread* main = load_acquire(runtime.main);
  if (main == nullptr || main == thread) {
    trust(witness_of(runtime.main, main));
  } else if (main != origin.creator || !creator_lives) {
    Node* current = current_of(main);
    trust(witness_of(main->line->current, current));
    if (const Node* theirs = open_region(main, current); theirs != nullptr) {
      placement.adopted = base_at(main, load_acquire(main->serial), theirs);
      return;
    }
  }
  placement.valid = true;
}

}  // namespace

// An outermost region opens below the region that was open in the creator when the thread was
// created, as long as that visit lasts. Else (`adopted`) below the region that is open now in the
// creator, or in the main thread; a region of the same name there is the same work being done by a
// team, and its place is shared.
Node* place(Thread* thread, uint32_t name) {
  Placement& placement = thread->placement;
  if (!placement.holds()) place_again(thread);
  if (placement.adopted)
    for (Node* node = placement.base; node->parent != nullptr; node = node->parent)
      if (node->name == name) return node->parent;
  return placement.base;
}

void forget_recent_nodes() {
  for (Node*& node : here.recent) node = &idle_node;
}

void be_thread(Thread* thread) {
  here.thread = thread;
  here.line = thread->line;
}

Origin origin_for_new_thread() {
  Origin origin;
  if (load_acquire(runtime.active) == 0) {
    origin.known = true;  // no region can be open
    origin.creator_tid = thread_id();
    return origin;
  }
  if (forked()) become_child(is_real(here.thread) ? here.thread : nullptr);
  Thread* thread = here.thread;
  if (!is_real(thread)) {
    origin = this_origin;  // a creator without regions stands for its own creator
  } else {
    Node* node = current_of(thread);
    if (node == &thread->other) node = node->outer;
    if (node == &vfork_gate || is_idle(thread, node)) {
      origin = thread->origin;
      if (origin.record == nullptr) {
        origin.creator = thread;
        origin.creator_serial = thread->serial;
      }
    } else {
      origin.creator = thread;
      origin.creator_serial = thread->serial;
      origin.node = node;
      origin.record = node->record;
      origin.visit = load(node->record->entry);
    }
  }
  origin.known = true;
  origin.creator_tid = thread_id();
  origin.created_ticks = ticks();
  return origin;
}

void thread_begins(const Origin& origin) {
  this_origin = origin;
  // Its work counts from its first instruction, for the region that it was created in.
  if (counting.half != nullptr && load_acquire(runtime.active) != 0 && here.thread == &no_thread)
    make_thread();
}

void detach_this_thread() {
  Thread* thread = here.thread;
  if (forked()) become_child(is_real(thread) ? thread : nullptr);
  if (here.thread == &no_thread) make_thread();
  if (!is_real(here.thread)) return;
  here.thread->detached = true;
  here.thread->placement.valid = false;
  if (counting.half != nullptr) {
    Locked lock;
    detach_counters(here.thread);
  }
  __atomic_fetch_or(&here.thread->item->flags, arena::thread_detached, __ATOMIC_RELAXED);
}

// Destructors of other keys and of thread_local objects may still open regions: fold in the last
// round that the system promises.
void thread_ends(void* value) {
  auto* thread = static_cast<Thread*>(value);
  if (++exit_rounds < 3) {
    pthread_setspecific(runtime.key, thread);
    return;
  }
  if (thread != here.thread || thread->is_main || forked() || current_of(thread) == &vfork_gate)
    return;
  Locked lock;
  const uint64_t now = ticks();
  while (!is_idle(thread, current_of(thread)))
    close_visit(thread, current_of(thread), now, arena::record_unclosed);
  if (counting.half != nullptr) close_counters(thread);
  if (tracing.on) give_back_trace(thread);
  Thread* folded = folded_tree();
  if (folded == nullptr) return;  // its own records stay
  for (Node* node = thread->first_node; node != nullptr; node = node->next) {
    Node* parent = node->parent->parent == nullptr ? &folded->root : node->parent->folded;
    node->folded = parent == &folded->other ? parent : find_or_make(folded, parent, node->name);
    if (node->folded == nullptr) {
      node->folded = &folded->other;
      if (parent->record != nullptr)
        store(parent->record->flags, parent->record->flags | arena::record_other_inside);
      note_truncation();
    }
    fold_node(node->folded, node);
  }
  if (thread->other.record->first_entry != 0) fold_node(&folded->other, &thread->other);
  for (unsigned i = 0; i < arena::cpu_words; ++i)
    store(folded->item->cpus[i], folded->item->cpus[i] | thread->item->cpus[i]);
  store(folded->item->cpu_samples, folded->item->cpu_samples + thread->item->cpu_samples);
  store(folded->item->ended_threads, folded->item->ended_threads + 1);
  store(folded->item->flags,
        folded->item->flags | (thread->item->flags & arena::thread_mismatched));
  forget_recent_nodes();
  be_thread(&no_thread);
  store_release(thread->serial, uint64_t{0});
  empty_storage(thread);
  give_back(thread);
}

}  // namespace roofmark::runtime
