// The long forms: a thread's first call, calls that were left in other ways than by returning, and
// what the runtime does in many steps. The trampolines have saved what they may change.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "calls.hpp"
#include "stack.hpp"

#if defined(__GLIBC__)
extern "C" void* __libc_stack_end;  // of the main thread
#endif

namespace roofmark::functions {

extern "C" {
Table roofmark_function_table;
extern __attribute__((visibility("default"), alias("roofmark_function_table")))
Table roofmark_redirection_table;
}

namespace {

/// Calls nested deeper are part of those around them: each level of a recursion is a path.
constexpr size_t most_nested = 512;
constexpr size_t bytes_of_calls = sizeof(Calls) + (most_nested + 1) * sizeof(Frame);

const roofmark_runtime_table* api;
pthread_key_t at_thread_end;
bool has_key = false;

/// Of threads that ended.
Calls* spare;
int spare_lock;

/// A thread that was forked while another held it must not wait for it.
bool lock_spare() {
  for (int tries = 0; tries < 1000; ++tries)
    if (__atomic_exchange_n(&spare_lock, 1, __ATOMIC_ACQUIRE) == 0) return true;
  return false;
}
void unlock_spare() {
  __atomic_store_n(&spare_lock, 0, __ATOMIC_RELEASE);
}

/// This thread asks the C library for something, which may call functions that are redirected.
__thread bool is_busy __attribute__((tls_model("initial-exec")));

/// No handler's calls in between: they are recorded.
class Busy {
 public:
  Busy() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    is_busy = true;
  }
  ~Busy() {
    is_busy = false;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  sigset_t before_;
};

class ErrnoKept {
 public:
  ErrnoKept() : before_(errno) {}
  ~ErrnoKept() { errno = before_; }
  ErrnoKept(const ErrnoKept&) = delete;
  ErrnoKept& operator=(const ErrnoKept&) = delete;

 private:
  int before_;
};

Calls* take_spare() {
  if (!lock_spare()) return nullptr;
  Calls* const taken = spare;
  if (taken != nullptr) spare = taken->next;
  unlock_spare();
  return taken;
}

Calls* map_calls() {
  void* const mapped = mmap(nullptr, bytes_of_calls, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const made = static_cast<Calls*>(mapped);
  made->first = reinterpret_cast<Frame*>(made + 1) + 1;
  made->first[-1].slot = unused;
  made->end = made->first + most_nested;
  return made;
}

void find_stack(Calls& here) {
  const Stack stack = stack_around(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  here.stack_first = stack.first;
  here.stack_end = stack.end;
#if defined(__GLIBC__)
  // The main thread's grows: what is mapped is not all that it may become.
  const uintptr_t highest = reinterpret_cast<uintptr_t>(__libc_stack_end);
  constexpr uintptr_t most_growth = uintptr_t{1} << 30;
  if (highest >= stack.first && highest < stack.end && stack.end > most_growth)
    here.stack_first = stack.end - most_growth;
#endif
}

Calls* make_calls() {
  const Busy busy;
  if (calls != nullptr) return calls;
  Calls* made = take_spare();
  if (made == nullptr) made = map_calls();
  if (made == nullptr) return nullptr;
  made->top = made->first;
  made->entering = 0;
  find_stack(*made);
  if (has_key) pthread_setspecific(at_thread_end, made);
  calls = made;
  return made;
}

bool in_stack(const Calls& here, uintptr_t slot) {
  return slot >= here.stack_first && slot < here.stack_end;
}

void thread_ends(void* ended) {
  auto* const here = static_cast<Calls*>(ended);
  calls = nullptr;
  // What lies on the thread's own stack is over. Another stack may go on in another thread.
  for (const Frame* frame = here->first; frame < here->top; ++frame)
    if (frame->slot != unused && !in_stack(*here, frame->slot)) return;
  const Busy busy;
  if (!lock_spare()) return;
  here->next = spare;
  spare = here;
  unlock_spare();
}

bool is_of(const Calls& here, const Frame* frame) {
  return frame >= here.first && frame < here.top;
}

/// The call that the one that comes now is the last act of, or null. Its frame is what the register
/// holds; but that also is in the register after a jump out of it which restored none, and then the
/// call does not return to the trampoline.
const Frame* ended_by(const void* kept, const void* return_address) {
  return return_address == roofmark_function_returned ? static_cast<const Frame*>(kept) : nullptr;
}

/// Left by longjmp or an exception: the call that comes now lies above it on the same stack. At the
/// very same place lies a call that this one is the last act of.
bool is_gone(const Calls& here, const Frame* frame, uintptr_t slot, const Frame* ended) {
  if (frame->slot == unused || !in_stack(here, frame->slot) || !in_stack(here, slot)) return false;
  return frame->slot < slot || (frame->slot == slot && ended != frame);
}

/// `seen`: they end now. Otherwise nobody saw when they did, and the runtime says so.
void forget_gone(Calls& here, uintptr_t slot, const Frame* ended, bool seen) {
  Frame* outermost = here.top;
  while (outermost > here.first && is_gone(here, outermost - 1, slot, ended)) --outermost;
  for (Frame* frame = here.top; seen && frame > outermost; --frame)
    api->markers.leave(frame[-1].token);
  if (!seen && outermost < here.top) api->abandon(outermost->token);  // and what is open inside it
  for (Frame* frame = outermost; frame < here.top; ++frame) frame->slot = unused;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  here.top = outermost;
}

/// The stack pointer that a longjmp() goes to; 0: not known. As the C library hides it.
uintptr_t landing_place(const void* const* buffer) {
#if defined(__x86_64__) && defined(__GLIBC__)
  constexpr int stack_pointer = 6, turned = 17;
  auto place = reinterpret_cast<uintptr_t>(buffer[stack_pointer]);
  uintptr_t guard;
  __asm__("movq %%fs:0x30, %0" : "=r"(guard));
  place = place >> turned | place << (64 - turned);
  return place ^ guard;
#else
  (void)buffer;
  return 0;
#endif
}

/// The first argument of the function whose call the trampoline holds up.
const void* const* first_argument(uintptr_t slot) {
#if defined(__x86_64__)
  return reinterpret_cast<const void* const* const*>(slot)[-2];
#else
  (void)slot;
  return nullptr;
#endif
}

/// No region: a function at which calls that are open end.
void end_calls(const Hook& hook, uintptr_t slot, const Frame* ended) {
  Calls* const here = calls;
  if (here == nullptr) return;
  if (hook.kind == Kind::lands) return forget_gone(*here, slot, ended, true);
  const void* const* const buffer = first_argument(slot);
  const uintptr_t place = buffer != nullptr ? landing_place(buffer) : 0;
  // A place that is none on this stack, above this call, was hidden in another way.
  if (in_stack(*here, place) && place > slot) forget_gone(*here, place, nullptr, true);
}

void drop_unused(Calls& here) {
  if (here.entering != 0) return;  // a handler: what it interrupted is about to use one
  while (here.top > here.first && here.top[-1].slot == unused) --here.top;
}

#if defined(__x86_64__)
/// What the processor and the system allow programs to use.
void find_vectors() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0 || (c & bit_AVX) == 0) return;
  uint32_t enabled, above;
  __asm__ volatile("xgetbv" : "=a"(enabled), "=d"(above) : "c"(0));
  if ((enabled & 6) != 6) return;
  widest_vectors = 1;
  unsigned extended_b = 0;
  if (__get_cpuid_count(7, 0, &a, &extended_b, &c, &d) != 0 && (extended_b & bit_AVX512F) != 0 &&
      (enabled & 0xe0) == 0xe0)
    widest_vectors = 2;
  // The emulator has no such question. Its runtime has no short paths either.
  if (api->try_enter != nullptr && __get_cpuid_count(0xd, 1, &a, &b, &c, &d) != 0)
    can_ask_for_vectors = (a >> 2) & 1;
}
#else
void find_vectors() {}
#endif

using Empty = void();
__attribute__((noinline)) void empty() {
  __asm__ volatile("");
}

double now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double batch_ns(Empty* function) {
  constexpr int calls_of_batch = 256;
  const double before = now_ns();
  for (int i = 0; i < calls_of_batch; ++i) function();
  return (now_ns() - before) / calls_of_batch;
}

/// What redirecting a call costs beside its marker: a call of the stub whose marker does nothing,
/// less a call of its function. The least of several batches: whatever else runs only adds.
double measure_cost() {
  Table& table = roofmark_function_table;
  table.hooks[0].target = reinterpret_cast<void*>(empty);
  if (make_calls() == nullptr) return 0;
  try_enter = [](roofmark_site* site) { return roofmark_token{site, 1}; };
  try_leave = [](roofmark_token) { return 1; };
  Empty* volatile stub = roofmark_function_stubs;
  Empty* volatile direct = empty;
  double redirected = 1e9, bare = 1e9;
  for (int batch = 0; batch < 15; ++batch) {
    const double one = batch_ns(stub), other = batch_ns(direct);
    if (one < redirected) redirected = one;
    if (other < bare) bare = other;
  }
  return redirected > bare ? redirected - bare : 0;
}

roofmark_token never_entered(roofmark_site*) {
  return {nullptr, 0};
}
int never_left(roofmark_token) {
  return 0;
}

extern "C" const roofmark_runtime_table roofmark_api_v1 __attribute__((weak));

enum State { not_begun, waiting, recording, off };
State state = not_begun;  // atomic
double cost_ns;

// Before the program's own code and in one thread, or as good as: what runs earlier is called as if
// nobody stood in between.
__attribute__((constructor)) void begin() {
  if (roofmark_function_table.is_asked == 0 || &roofmark_api_v1 == nullptr ||
      roofmark_api_v1.markers.abi != 1 ||
      roofmark_api_v1.markers.size < sizeof(roofmark_runtime_table))
    return;
  const ErrnoKept errno_kept;
  api = &roofmark_api_v1;
  has_key = pthread_key_create(&at_thread_end, thread_ends) == 0;
  cost_ns = measure_cost();
  try_enter = never_entered;
  try_leave = never_left;
  find_vectors();
  __atomic_store_n(&state, waiting, __ATOMIC_RELEASE);
}

void tell_of_limit() {
  static uint32_t told;
  if (__atomic_load_n(&roofmark_function_table.used, __ATOMIC_RELAXED) <= most_hooks) return;
  const Busy busy;
  tell_once("limit functions", told);
}

// Calls that came later may have met it without anybody here.
__attribute__((destructor)) void end() {
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == recording) tell_of_limit();
}

/// Whether the call is to be recorded; recording begins with the first one.
bool is_recording() {
  const State now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  if (now != waiting) return now == recording;
  const bool connected = api->markers.connect() != 0;
  if (connected && api->try_enter != nullptr) {
    __atomic_store_n(&try_enter, api->try_enter, __ATOMIC_RELEASE);
    if (api->try_leave != nullptr) __atomic_store_n(&try_leave, api->try_leave, __ATOMIC_RELEASE);
  }
  if (__atomic_exchange_n(&state, connected ? recording : off, __ATOMIC_ACQ_REL) == waiting &&
      connected) {
    const Busy busy;
    tell_cost(cost_ns);
  }
  return connected;
}

}  // namespace

extern "C" {

__attribute__((visibility("hidden"))) Frame* roofmark_function_enter_slow(Hook* hook,
                                                                          uintptr_t slot,
                                                                          void* kept,
                                                                          void* return_address) {
  if (is_busy) return nullptr;
  const ErrnoKept errno_kept;
  const Frame* const ended = ended_by(kept, return_address);
  if (hook->kind != Kind::region) return end_calls(*hook, slot, ended), nullptr;
  if (!is_recording()) return nullptr;
  Calls* const here = calls != nullptr ? calls : make_calls();
  if (here == nullptr) return nullptr;
  forget_gone(*here, slot, ended, false);
  if (__atomic_exchange_n(&hook->is_told, 1, __ATOMIC_RELAXED) == 0) {
    const Busy busy;
    tell(*hook);
  }
  tell_of_limit();
  static uint32_t told_deep;
  if (here->top == here->end) {
    const Busy busy;
    tell_once("limit deep", told_deep);
    return nullptr;
  }
  const roofmark_token token = api->markers.enter(&hook->site);
  if (token.node == nullptr) return nullptr;
  here->entering += 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  Frame* const frame = here->top;
  frame->slot = unused;
  here->top = frame + 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  fill(frame, hook, token, slot, kept, return_address);
  if (ended == frame - 1 && ended->slot == slot) {
    frame->outer_return = ended->outer_return;
    frame->outer_kept = ended->outer_kept;
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  here->entering -= 1;
  return frame;
}

__attribute__((visibility("hidden"))) void roofmark_function_leave_slow(Frame* frame) {
  const ErrnoKept errno_kept;
  Calls* const here = calls;
  api->markers.leave(frame->token);
  const uintptr_t slot = frame->slot;
  frame->slot = unused;
  // Otherwise it is another thread's: a call that began there and was carried here.
  if (here == nullptr || !is_of(*here, frame)) return;
  for (Frame* inner = frame + 1; inner < here->top; ++inner)
    if (is_gone(*here, inner, slot, nullptr)) inner->slot = unused;
  drop_unused(*here);
}

}  // extern "C"

}  // namespace roofmark::functions
