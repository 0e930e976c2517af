// From the first marker of the process to its end.
#include <stdlib.h>
#include <unistd.h>

#include "counting.hpp"
#include "runtime.hpp"
#include "trace.hpp"

// Of libroofmark-timer.so, where that is preloaded too.
extern "C" void roofmark_sampling_end() __attribute__((weak));

namespace roofmark::runtime {

Slot empty_slots[1] = {{no_name, nullptr}};

namespace {

constexpr Node childless() {
  Node node = {};
  node.slots = empty_slots;
  node.name = no_name;
  return node;
}

// Its check is that of no name below no node: not even of none below none, in a child process.
constexpr Node never_entered() {
  Node node = childless();
  node.check = 64;
  return node;
}

constexpr Thread stand_in(Line* line) {
  Thread thread = {};
  thread.line = line;
  return thread;
}

}  // namespace

constinit Runtime runtime;
constinit Node vfork_gate = childless();
constinit Node idle_node = never_entered();
static constinit Line idle_line = {~uint64_t{0}, &idle_node};
constinit Thread no_thread = stand_in(&idle_line);
constinit Thread lost_thread = stand_in(&idle_line);

#define IDLE_4 &idle_node, &idle_node, &idle_node, &idle_node
#define IDLE_16 IDLE_4, IDLE_4, IDLE_4, IDLE_4
__thread Here here __attribute__((tls_model("initial-exec"))) = {
    &no_thread, &idle_line, {&idle_node, IDLE_16, IDLE_16, IDLE_16, IDLE_16}};
__thread bool inside_runtime __attribute__((tls_model("initial-exec"))) = false;

SignalsBlocked::SignalsBlocked() {
  sigset_t all;
  sigfillset(&all);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation_);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}
SignalsBlocked::~SignalsBlocked() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  int disabled;
  pthread_setcancelstate(cancellation_, &disabled);
}
Locked::Locked() : outermost_(!inside_runtime) {
  if (!outermost_) return;
  inside_runtime = true;
  pthread_mutex_lock(&runtime.lock);
}
Locked::~Locked() {
  if (!outermost_) return;
  pthread_mutex_unlock(&runtime.lock);
  inside_runtime = false;
}

void calibrate_again() {
  arena::FileHeader* header = runtime.file.header();
  if (header == nullptr) return;
  arena::Calibration& calibration = header->calibration;
  const ClockPair now = read_both_clocks();
  store(calibration.last_sequence, calibration.last_sequence + 1);
  fence_release();
  store(calibration.last_ticks, now.ticks);
  store(calibration.last_raw_ns, now.raw_ns);
  store_release(calibration.last_sequence, calibration.last_sequence + 1);
  store(runtime.next_calibration, now.ticks + 10 * runtime.interval);
}

namespace {

constexpr int batches = 25, visits_per_batch = 64;

uint64_t median(uint64_t (&values)[batches]) {
  for (int i = 1; i < batches; ++i)
    for (int j = i; j > 0 && values[j] < values[j - 1]; --j) {
      const uint64_t swap = values[j];
      values[j] = values[j - 1];
      values[j - 1] = swap;
    }
  return values[batches / 2];
}

// What a marker costs here and now: the real short path on a tree that is in no recording.
template <class Clock, bool traced>
void measure_marker(arena::FileHeader* header) {
  static Node outer, child;
  alignas(64) static char room[kept_offset + sizeof(Node*)];
  static arena::Record record;
  static arena::Histogram histogram;
  constexpr uint32_t name = 1;
  static roofmark_site site = {"", 0, name, {nullptr, nullptr}};
  site.reserved[0] = reinterpret_cast<void*>(recent_index(name));
  site.reserved[1] = reinterpret_cast<void*>(static_cast<uintptr_t>(tag_of(name)));
  roofmark_token (*volatile enter)(roofmark_site*) = [](roofmark_site* at) {
    return enter_region<Clock>(at);
  };
  void (*volatile leave)(roofmark_token) = [](roofmark_token token) {
    leave_region<Clock, traced>(token);
  };

  outer.slots = child.slots = empty_slots;
  child.name = name;
  child.check = check_of(tag_of(name), &outer);
  child.outer = &outer;
  child.record = &record;
  child.histogram = &histogram;
  static Thread thread;
  static arena::Thread item;
  if constexpr (traced) {
    thread.item = &item;
    thread.trace = scratch_trace_block(batches * visits_per_batch);
    if (thread.trace == nullptr) return;
    child.thread = &thread;
  }
  record.min_ticks = ~uint64_t{0};
  auto* line = reinterpret_cast<Line*>(room);
  line->deadline = ~uint64_t{0};
  set_current(line, &outer);
  Line* const mine = here.line;
  Node* const recent = here.recent[recent_index(name)];
  here.line = line;
  here.recent[recent_index(name)] = &child;
  uint64_t whole[batches], inner[batches];
  for (int batch = 0; batch < batches; ++batch) {
    const uint64_t inner_before = record.sum_ticks;
    const uint64_t before = ticks();
    for (int visit = 0; visit < visits_per_batch; ++visit) leave(enter(&site));
    whole[batch] = ticks() - before;
    inner[batch] = record.sum_ticks - inner_before;
  }
  here.line = mine;
  here.recent[recent_index(name)] = recent;
  // Rounded to the nearest tick; the clock's own resolution is no better.
  header->marker_ticks = (median(whole) + visits_per_batch / 2) / visits_per_batch;
  header->marker_inner_ticks = (median(inner) + visits_per_batch / 2) / visits_per_batch;
}

void set_interval(const arena::Calibration& calibration) {
  constexpr uint64_t interval_ns = 10000000;
  const uint64_t ns = calibration.last_raw_ns - calibration.first_raw_ns;
  const uint64_t ticks = calibration.last_ticks - calibration.first_ticks;
  runtime.interval =
      ns == 0 ? interval_ns
              : static_cast<uint64_t>(static_cast<double>(interval_ns) *
                                      static_cast<double>(ticks) / static_cast<double>(ns));
  if (runtime.interval == 0) runtime.interval = interval_ns;
}

const char* recording_directory() {
  const char* directory = secure_getenv("ROOFMARK_RECORDING");
  return directory != nullptr && directory[0] == '/' ? directory : nullptr;
}

// As early as can be: a fork() that begins before its handlers are known copies a lock that another
// thread holds while it makes the recording.
__attribute__((constructor)) void begin() {
  if (recording_directory() == nullptr) return;
  Locked lock;
  watch_forks();
}

bool records() {
  return load_acquire(runtime.active) != 0 && !forked() && getpid() == runtime.pid;
}

void note_end() {
  calibrate_again();
  if (arena::FileHeader* header = runtime.file.header(); header != nullptr)
    __atomic_fetch_or(&header->flags, arena::file_ended, __ATOMIC_RELAXED);
}

// Nothing depends on it: it only makes the recording of a program that ends well a little better.
__attribute__((destructor)) void end() {
  if (!records()) return;
  Locked lock;
  note_end();
}

}  // namespace

void ends_now() {
  if (inside_runtime || !records()) return;
  SignalsBlocked blocked;
  inside_runtime = true;
  if (pthread_mutex_trylock(&runtime.lock) == 0) {
    note_end();
    pthread_mutex_unlock(&runtime.lock);
  }
  inside_runtime = false;
}

int connect() {
  if (load_acquire(runtime.active) != 0) return 1;
  const char* directory = recording_directory();
  if (directory == nullptr) return 0;
  forget_fork_before_connecting();
  Locked lock;
  if (runtime.active != 0) return 1;
  const arena::Clock clock = choose_clock();
  watch_forks();
  if (runtime.fork_word == nullptr || !runtime.file.create(directory)) return 0;
  if (roofmark_sampling_end != nullptr) roofmark_sampling_end();  // regions are what is wanted
  runtime.pid = getpid();
  arena::FileHeader* header = runtime.file.header();
  header->calibration.clock = clock;
  const ClockPair first = read_both_clocks();
  header->calibration.first_ticks = first.ticks;
  header->calibration.first_raw_ns = first.raw_ns;
  begin_trace();
  begin_counting();
  if (counting.half != nullptr)
    measure_counted_marker(header);
  else if (counter_is_clock)
    tracing.on ? measure_marker<CounterClock, true>(header)
               : measure_marker<CounterClock, false>(header);
  else
    tracing.on ? measure_marker<SystemClock, true>(header)
               : measure_marker<SystemClock, false>(header);
  tell_counting();
  calibrate_again();
  set_interval(header->calibration);
  calibrate_again();
  if (!runtime.has_key) runtime.has_key = pthread_key_create(&runtime.key, thread_ends) == 0;
  open_counters_of_others(thread_id());
  use_paths(clock, counting.half != nullptr);
  store_release(runtime.active, 1);
  return 1;
}

}  // namespace roofmark::runtime
