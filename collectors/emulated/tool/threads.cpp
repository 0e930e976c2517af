#include "threads.hpp"

#include "caches.hpp"
#include "code_rows.hpp"
#include "entries.hpp"
#include "focus.hpp"

namespace roofmark::emulator {
namespace {

constinit Vector<Row*> all_rows;
constinit Vector<Thread*> all_threads;
constinit Vector<Thread*> by_id;
constinit Thread* first_thread = nullptr;
constinit Thread* running = nullptr;
constinit Row* active_row = nullptr;
constinit ULong now = 1;

Origin origin_from(Thread* creator) {
  if (creator == nullptr) return {nullptr, nullptr, 0};
  if (!creator->frames.empty())
    return {creator, creator->frames.back().node, creator->frames.back().opened};
  return creator->origin.node != nullptr ? creator->origin : Origin{creator, nullptr, 0};
}

Thread* make_thread(ThreadId id, Thread* creator) {
  auto* t = static_cast<Thread*>(allocate_zeroed(sizeof(Thread)));
  t->id = id;
  t->serial = static_cast<UInt>(all_threads.size());
  t->has_creator = creator != nullptr;
  t->creator_serial = creator == nullptr ? 0 : creator->serial;
  t->origin = origin_from(creator);
  t->made = ++now;
  all_threads.push(t);
  if (by_id.size() <= id) by_id.resize(id + 1UL);
  by_id[id] = t;
  if (first_thread == nullptr) first_thread = t;
  return t;
}

Thread* thread_of(ThreadId id) {
  Thread* t = id < by_id.size() ? by_id[id] : nullptr;
  return t != nullptr ? t : make_thread(id, nullptr);
}

UInt first_flags(const Node* node) {
  return node->other ? truncated : 0U;
}

Row* row_of(Node* node, UInt serial) {
  for (Row** link = &node->rows; *link != nullptr; link = &(*link)->next) {
    Row* row = *link;
    if (row->thread != serial) continue;
    // To the front: the next question is for the same row.
    *link = row->next;
    row->next = node->rows;
    node->rows = row;
    return row;
  }
  auto* row = static_cast<Row*>(allocate_zeroed(sizeof(Row)));
  row->node = node;
  row->thread = serial;
  row->id = static_cast<UInt>(all_rows.size());
  row->flags = first_flags(node);
  row->next = node->rows;
  node->rows = row;
  all_rows.push(row);
  return row;
}

Row* row_of(Node* node, const Thread& t) {
  return row_of(node, t.serial < most_thread_rows ? t.serial : most_thread_rows);
}

struct Host {
  Node* node;
  bool adopted;
};

constexpr UWord no_frame = ~0UL;

UWord frame_of(const Thread& t, ULong visit) {
  for (UWord i = t.frames.size(); i > 0; --i)
    if (t.frames[i - 1].opened == visit) return i - 1;
  return no_frame;
}

/// Is the visit that was open when the thread was created still open?
bool origin_lasts(const Thread& t) {
  const Origin& o = t.origin;
  return o.node != nullptr && !o.creator->ended && frame_of(*o.creator, o.visit) != no_frame;
}

/// Whose region a thread works in when it can't be derived from its creation: its creator's, or
/// else the first thread's. Null: neither has one.
const Frame* adopter_frame(const Thread& t) {
  const Thread* creator = t.origin.creator;
  if (creator != nullptr && !creator->ended && !creator->frames.empty())
    return &creator->frames[creator->frames.size() - 1];
  if (&t == first_thread || first_thread->frames.empty()) return nullptr;
  return &first_thread->frames[first_thread->frames.size() - 1];
}

/// Where a thread's outermost region opens. The recording runtime has the same rule, or the two
/// runs' paths would not meet: below the region that was open at its creation as long as that visit
/// lasts, else below the one that is open now; a region of the same name there is the same work
/// being done by a team, and its place is shared.
Host place_for(const Thread& t, const UChar* name, UInt length) {
  if (t.detached) return {root(), false};
  if (origin_lasts(t)) return {t.origin.node, false};
  const Frame* frame = adopter_frame(t);
  if (frame == nullptr) return {root(), false};
  for (Node* n = frame->node; n->parent != nullptr; n = n->parent)
    if (n->length == length && VG_(memcmp)(n->name, name, length) == 0) return {n->parent, true};
  return {frame->node, true};
}

/// The region that a thread without one of its own works for: the innermost of its creator, as a
/// team's threads do whenever it was made. Where that has none, it is a guess.
Host host_of(const Thread& t) {
  if (t.detached || &t == first_thread) return {root(), false};
  const Frame* frame = adopter_frame(t);
  if (frame == nullptr) return {root(), false};
  const Thread* creator = t.origin.creator;
  const bool of_creator = creator != nullptr && !creator->ended && !creator->frames.empty();
  return {frame->node, !of_creator};
}

void work_for(Node* node, bool is_adopted) {
  Row* row = row_of(node, *running);
  if (is_adopted) row->flags |= adopted;
  active_row = row;
  activate(&row->counters);
  caches::charge(row->id, focus::simulated(node));
  code_rows::forget_place();
}

/// Counting begins: what is open has done a part of its work already.
void flag_partial() {
  for (Thread* t : all_threads) {
    row_of(root(), *t)->flags |= partial;
    for (const Frame& f : t->frames) row_of(f.node, *t)->flags |= partial;
  }
}

void choose_row() {
  if (!running->frames.empty()) {
    work_for(running->frames.back().node, false);
    return;
  }
  const Host host = host_of(*running);
  work_for(host.node, host.adopted);
}

/// Closes a frame. What was opened inside it and not left ends with it, flagged.
bool close(Thread& t, UWord frame) {
  if (frame == no_frame) return false;
  for (UWord i = frame + 1; i < t.frames.size(); ++i)
    row_of(t.frames[i].node, t)->flags |= mismatched;
  while (t.frames.size() > frame) t.frames.pop();
  return true;
}

}  // namespace

const Vector<Row*>& rows() {
  return all_rows;
}
const Vector<Thread*>& threads() {
  return all_threads;
}
Thread* current_thread() {
  return running;
}
Row* current_row() {
  return active_row;
}
bool inside_region() {
  return active_row != nullptr && active_row->node != root();
}

Row* row_of_code(Node* node, const Row& row) {
  return row_of(node, row.thread);
}

void charge_code(Node* node) {
  if (active_row == nullptr || active_row->node != root()) return;
  const Row* row = node == nullptr ? active_row : row_of_code(node, *active_row);
  caches::charge(row->id, focus::simulated(root()));
}

void thread_created(ThreadId creator, ThreadId created) {
  // The first thread is announced with VG_INVALID_THREADID as its creator.
  Thread* parent = creator == 0 ? nullptr : thread_of(creator);
  make_thread(created, parent);
}

void thread_ended(ThreadId id) {
  if (id >= by_id.size() || by_id[id] == nullptr) return;
  Thread* t = by_id[id];
  for (const Frame& f : t->frames) row_of(f.node, *t)->flags |= unclosed;
  t->frames.free();
  t->calls.free();
  t->ended = true;
  by_id[id] = nullptr;
  caches::thread_ended(t->serial);
}

void thread_runs(ThreadId id) {
  Thread* t = thread_of(id);
  // Also without a change of thread: the creator may have opened or left a region meanwhile.
  if (t == running && !t->frames.empty()) return;
  if (t != running) {
    if (t->kernel_id == 0) t->kernel_id = static_cast<UInt>(VG_(gettid)());
    caches::thread_runs(t->serial);
  }
  running = t;
  entries::thread_runs(*t);
  choose_row();
}

void forget_counts(ThreadId id) {
  Thread* survivor = thread_of(id);
  for (Thread* t : all_threads)
    if (t != survivor) {
      t->ended = true;
      t->frames.free();
    }
  for (Thread*& t : by_id)
    if (t != survivor) t = nullptr;
  first_thread = survivor;
  survivor->kernel_id = static_cast<UInt>(VG_(gettid)());
  for (Row* row : all_rows) {
    row->visits = row->declared_flop = row->declared_bytes = 0;
    row->declared = false;
    row->flags = first_flags(row->node);
    row->counters.zero();
  }
  running = survivor;
  entries::thread_runs(*survivor);
  choose_row();
}

ULong enter(const UChar* name, UInt length) {
  Thread& t = *running;
  const Host host =
      t.frames.empty() ? place_for(t, name, length) : Host{t.frames.back().node, false};
  Node* node = child(host.node, name, length);
  // Regions inside "(other)" are parts of its visit.
  const bool goes_on = node->other && host.node == node;
  if (focus::begins_with(node)) flag_partial();
  t.frames.push({node, ++now});
  work_for(node, host.adopted);
  if (focus::counting())
    active_row->visits += goes_on ? 0 : 1;
  else
    active_row->flags |= passed_over;
  return now;
}

void leave(ULong visit) {
  if (close(*running, frame_of(*running, visit))) {
    choose_row();
    return;
  }
  active_row->flags |= mismatched;
  for (Thread* other : all_threads) {
    const UWord frame = frame_of(*other, visit);
    if (frame == no_frame) continue;
    row_of(other->frames[frame].node, *other)->flags |= mismatched;
    close(*other, frame);
    choose_row();
    return;
  }
}

void abandon(ULong visit) {
  const UWord frame = frame_of(*running, visit);
  if (frame != no_frame) row_of(running->frames[frame].node, *running)->flags |= mismatched;
  leave(visit);
}

void leave_name(const UChar* name, UInt length) {
  Thread& t = *running;
  UWord frame = t.frames.size();
  while (frame > 0) {
    const Node* node = t.frames[frame - 1].node;
    if (node->length == length && VG_(memcmp)(node->name, name, length) == 0) break;
    --frame;
  }
  if (frame == 0)
    active_row->flags |= mismatched;
  else
    close(t, frame - 1);
  choose_row();
}

void declare(ULong visit, ULong flop, ULong bytes) {
  Thread& t = *running;
  Row* row = active_row;
  const UWord frame = visit == 0 ? no_frame : frame_of(t, visit);
  if (frame != no_frame) row = row_of(t.frames[frame].node, t);
  row->declared = true;
  row->declared_flop += flop;
  row->declared_bytes += bytes;
}

void detach() {
  running->detached = true;
  choose_row();
}

Node* open_node() {
  return active_row == nullptr ? root() : active_row->node;
}

void flag_open_regions() {
  for (Thread* t : all_threads)
    for (const Frame& f : t->frames) row_of(f.node, *t)->flags |= unclosed;
}

}  // namespace roofmark::emulator
