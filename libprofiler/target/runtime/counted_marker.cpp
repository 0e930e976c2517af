// Markers that read counters: the clock is read between the two readings, so that a visit's time
// holds none of them, and its counts what little of them is behind the first and before the second.
#include <string.h>

#include "counting.hpp"
#include "runtime.hpp"
#include "trace.hpp"

namespace roofmark::runtime {

template <class Clock>
roofmark_token after_entry(roofmark_token token) {
  auto* node = static_cast<Node*>(token.node);
  Thread* thread = here.thread;
  // Nothing is recorded, or it is one more level of "(other)".
  if (node == nullptr || token.visit == 0 || !is_real(thread)) return token;
  read_entry(thread, node);
  const uint64_t now = Clock::ticks();
  store(node->record->entry, now);
  return {node, now};
}

template <class Clock>
roofmark_token enter_counted(roofmark_site* site) {
  return after_entry<Clock>(enter_region<Clock>(site));
}

template <class Clock>
void leave_counted(roofmark_token token) {
  const uint64_t now = Clock::ticks();
  Line* line = here.line;
  auto* node = static_cast<Node*>(token.node);
  // A fork child has no current region: its counters are not this process's.
  if (unlikely(node == nullptr || node != load(line->current))) return leave_slow(token, now);
  arena::Record* record = node->record;
  if (unlikely(record->entry != token.visit || node->histogram == nullptr || node->inherited ||
               now >= line->deadline))
    return leave_slow(token, now);
  Thread* thread = here.thread;
  read_exit(thread, node);
  const uint64_t duration = now - token.visit;
  begin_closing(record, token.visit);
  add_duration(record, duration, static_cast<double>(static_cast<int64_t>(duration)));
  count_visit(node->histogram, histogram_bucket(duration));
  add_events(thread, node, true);
  end_closing(record, now);
  set_current(line, node->outer);
  if (unlikely(tracing.on)) keep_visit(thread, record, token.visit, duration);
}

template roofmark_token after_entry<CounterClock>(roofmark_token);
template roofmark_token after_entry<SystemClock>(roofmark_token);
template roofmark_token enter_counted<CounterClock>(roofmark_site*);
template roofmark_token enter_counted<SystemClock>(roofmark_site*);
template void leave_counted<CounterClock>(roofmark_token);
template void leave_counted<SystemClock>(roofmark_token);

namespace {

constexpr int batches = 15, visits_per_batch = 36;
constexpr double root_of_visits_per_batch = 6;

template <class T>
T median(T* values) {
  for (int i = 1; i < batches; ++i)
    for (int j = i; j > 0 && values[j] < values[j - 1]; --j) {
      const T swap = values[j];
      values[j] = values[j - 1];
      values[j - 1] = swap;
    }
  return values[batches / 2];
}

/// A thread with one region below its root, in no recording.
struct Probe {
  Thread thread;
  arena::Record record;
  arena::Histogram histogram;
  arena::Thread item;
};

template <class Clock>
void measure(arena::FileHeader* header) {
  static Probe probe;
  alignas(64) static char room[kept_offset + sizeof(Node*)];
  constexpr uint32_t name = 1;
  static roofmark_site site = {"", 0, name, {nullptr, nullptr}};
  const uint32_t words = counting.shape.words;
  auto* child = static_cast<Node*>(runtime.pool.take(sizeof(Node) + counting.node_bytes));
  auto* events = static_cast<arena::Events*>(runtime.pool.take(counting.event_bytes));
  auto* samples = static_cast<double*>(runtime.pool.take(2 * words * batches * sizeof(double)));
  auto* around = static_cast<uint64_t*>(runtime.pool.take(2 * words * sizeof(uint64_t)));
  if (child == nullptr || events == nullptr || samples == nullptr || around == nullptr) return;
  site.reserved[0] = reinterpret_cast<void*>(recent_index(name));
  site.reserved[1] = reinterpret_cast<void*>(static_cast<uintptr_t>(tag_of(name)));
  Thread& thread = probe.thread;
  thread.item = &probe.item;
  if (tracing.on) {
    // Full, it would be replaced by one of the program's own.
    constexpr uint32_t visits = 2 * (batches + 1) * visits_per_batch;
    thread.trace = scratch_trace_block(visits);
    if (thread.trace == nullptr) return;
  }
  thread.line = reinterpret_cast<Line*>(room);
  thread.root.slots = child->slots = empty_slots;
  thread.root.thread = child->thread = &thread;
  thread.serial = 1;
  child->name = name;
  child->check = check_of(tag_of(name), &thread.root);
  child->outer = child->parent = &thread.root;
  child->record = &probe.record;
  child->histogram = &probe.histogram;
  probe.record.min_ticks = ~uint64_t{0};
  probe.record.first_entry = 1;
  events->groups = counting.shape.groups;
  counts_of(child)->events = events;
  thread.line->deadline = ~uint64_t{0};
  set_current(thread.line, &thread.root);
  open_counters(&thread, runtime.pid);

  roofmark_token (*volatile enter)(roofmark_site*) = enter_counted<Clock>;
  void (*volatile leave)(roofmark_token) = leave_counted<Clock>;
  Thread* const real_thread = here.thread;
  Line* const line = here.line;
  Node* const recent = here.recent[recent_index(name)];
  be_thread(&thread);
  here.recent[recent_index(name)] = child;
  NodeCounts outermost = {};
  uint64_t whole[batches], inner[batches];
  for (int batch = -1; batch < batches; ++batch) {  // the first one warms up
    memset(events + 1, 0, counting.event_bytes - sizeof *events);
    const uint64_t inner_before = probe.record.sum_ticks;
    read_total(&thread, around, &outermost);
    const uint64_t before = ticks();
    for (int visit = 0; visit < visits_per_batch; ++visit) leave(enter(&site));
    const uint64_t after = ticks();
    read_total(&thread, around + words, &outermost);
    if (batch < 0) continue;
    whole[batch] = after - before;
    inner[batch] = probe.record.sum_ticks - inner_before;
    const auto* sum = reinterpret_cast<const arena::EventGroup*>(events + 1);
    for (uint32_t group = 0, word = 0; group < counting.shape.groups; ++group) {
      const uint32_t values = counting.groups[group].values;
      for (uint32_t i = 0; i < 2 + values; ++i, ++word) {
        const uint64_t own = i == 0 ? sum->enabled : i == 1 ? sum->running : sum->values[i - 2];
        samples[word * batches + static_cast<uint32_t>(batch)] =
            static_cast<double>(own) / visits_per_batch;
        samples[(words + word) * batches + static_cast<uint32_t>(batch)] =
            static_cast<double>(static_cast<int64_t>(around[words + word] - around[word])) /
            visits_per_batch;
      }
      sum = reinterpret_cast<const arena::EventGroup*>(sum->values + values);
    }
  }
  here.thread = real_thread;
  here.line = line;
  here.recent[recent_index(name)] = recent;
  close_counters(&thread);
  header->refused_threads = 0;  // this one is none of the program's
  header->first_refusal = {};
  header->marker_ticks = (median(whole) + visits_per_batch / 2) / visits_per_batch;
  header->marker_inner_ticks = (median(inner) + visits_per_batch / 2) / visits_per_batch;
  for (uint32_t word = 0; word < words; ++word) {
    counting.inner[word] = median(samples + word * batches);
    counting.whole[word] = median(samples + (words + word) * batches);
    // They are in order now: two thirds of the batches lie between these. One visit scatters more
    // than the mean of a batch, by the root of its visits.
    const double* sorted = samples + (words + word) * batches;
    constexpr int sixth = batches / 6;
    counting.scatter[word] =
        (sorted[batches - 1 - sixth] - sorted[sixth]) / 2 * root_of_visits_per_batch;
  }
}

}  // namespace

void measure_counted_marker(arena::FileHeader* header) {
  if (counter_is_clock)
    measure<CounterClock>(header);
  else
    measure<SystemClock>(header);
}

}  // namespace roofmark::runtime
