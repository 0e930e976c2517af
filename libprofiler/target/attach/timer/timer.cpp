// Samples the threads of a program by timers of their processor time, where the kernel lets nobody
// use its own clock of that kind (perf). Preloaded; inactive unless the recorder left a control
// file in the recording's directory.
//
// The program comes first:
//   - A timer belongs to one thread and runs while that thread does. A thread that waits is not
//     woken; exec and fork leave no timer behind.
//   - The handler makes no call of the system (a sandbox may forbid any), takes no lock and no
//     memory, and runs on a stack of its own: the program's may be a small one.
//   - SIGPROF is the program's as soon as it wants it: then all timers go first. As long as it does
//     not, it sees the default action, and gets it for signals that are not from these timers.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "libprofiler/arena/timer_layout.h"
#include "sampled_program.hpp"

namespace roofmark::timer {

constinit Sampler sampler;

namespace {

using arena::TimerRing;
using arena::TimerSample;

constexpr uint64_t ring_bytes =
    arena::timer_ring_header_bytes + arena::timer_ring_capacity * sizeof(TimerSample);
constexpr size_t stack_bytes = size_t{64} * 1024;

/// The thread that a timer belongs to.
struct ThreadState {
  int tid = 0;
  unsigned kept_back = 0;  ///< samples since one was kept
  uint32_t periods = 0;    ///< that those stood for
};
__thread ThreadState mine __attribute__((tls_model("initial-exec")));

uint64_t address_in(const void* context) {
  const auto* at = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<uint64_t>(at->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return at->uc_mcontext.pc;
#elif defined(__riscv)
  return at->uc_mcontext.__gregs[REG_PC];
#else
  (void)at;
  return 0;
#endif
}

uint64_t now_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

TimerSample* samples_of(TimerRing* ring) {
  return reinterpret_cast<TimerSample*>(reinterpret_cast<char*>(ring) +
                                        arena::timer_ring_header_bytes);
}

void keep(TimerRing* ring, uint64_t address, uint32_t periods) {
  uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
  do {
    if (head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >= arena::timer_ring_capacity) {
      __atomic_fetch_add(&ring->lost, 1, __ATOMIC_RELAXED);
      return;
    }
  } while (!__atomic_compare_exchange_n(&ring->head, &head, head + 1, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  TimerSample& sample = samples_of(ring)[head % arena::timer_ring_capacity];
  sample.address = address;
  sample.time_ns = now_ns();
  sample.thread = mine.tid;
  sample.periods = periods;
  __atomic_store_n(&sample.number, head + 1, __ATOMIC_RELEASE);
}

/// The program has no handler of its own: it gets what it would have got.
void default_action() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sampler.real_sigaction(SIGPROF, &action, nullptr);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGPROF);  // at the handler's return
}

void on_signal(int, siginfo_t* info, void* context) {
  const int error = errno;
  if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &sampler) {
    default_action();
  } else if (TimerRing* ring = __atomic_load_n(&sampler.ring, __ATOMIC_ACQUIRE);
             ring != nullptr && mine.tid != 0 &&
             __atomic_load_n(&sampler.control->stop, __ATOMIC_RELAXED) == 0) {
    const int overrun = info->si_overrun;
    mine.periods += 1 + static_cast<uint32_t>(overrun > 0 ? overrun : 0);
    const uint32_t thinning = __atomic_load_n(&sampler.control->thinning, __ATOMIC_RELAXED) & 15;
    if (++mine.kept_back >> thinning != 0) {
      keep(ring, address_in(context), mine.periods);
      mine.kept_back = mine.periods = 0;
    }
  }
  errno = error;
}

void refuse(uint32_t why, int error = 0) {
  TimerRing* ring = sampler.ring;
  if (ring == nullptr) return;
  __atomic_fetch_or(&ring->refusals, why, __ATOMIC_RELAXED);
  if (error != 0) __atomic_store_n(&ring->error, error, __ATOMIC_RELAXED);
}

void delete_timer(Slot& slot) {
  const int timer = __atomic_exchange_n(&slot.timer, 0, __ATOMIC_ACQ_REL);
  if (timer != 0) syscall(SYS_timer_delete, timer - 1);
}

/// A stack for the handler where the thread has none; true: there is one.
bool give_stack(Slot& slot) {
  stack_t there = {};
  if (sigaltstack(nullptr, &there) != 0) return false;
  if ((there.ss_flags & SS_DISABLE) == 0) return true;
  void* const pages = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return false;
  stack_t made = {};
  made.ss_sp = pages;
  made.ss_size = stack_bytes;
  if (sigaltstack(&made, nullptr) != 0) {
    munmap(pages, stack_bytes);
    return false;
  }
  slot.stack = pages;
  return true;
}

/// Unless the program has put another one in its place.
void take_stack(Slot& slot) {
  void* const pages = slot.stack;
  slot.stack = nullptr;
  stack_t there = {};
  if (pages == nullptr || sigaltstack(nullptr, &there) != 0) return;
  if (there.ss_sp != pages || (there.ss_flags & (SS_DISABLE | SS_ONSTACK)) != 0) return;
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  if (sigaltstack(&none, nullptr) == 0) munmap(pages, stack_bytes);
}

Slot* take_slot(int tid) {
  for (Slot& slot : sampler.slots) {
    int free = 0;
    if (__atomic_load_n(&slot.tid, __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(&slot.tid, &free, tid, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return &slot;
  }
  return nullptr;
}

bool is_blocked() {
  sigset_t mask;
  return pthread_sigmask(SIG_SETMASK, nullptr, &mask) != 0 || sigismember(&mask, SIGPROF) != 0;
}

int create_timer(int tid) {
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event.sigev_value.sival_ptr = &sampler;
  event._sigev_un._tid = tid;
  int timer = 0;
  if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return 0;
  itimerspec period = {};
  period.it_interval.tv_sec = static_cast<time_t>(sampler.control->period_ns / 1000000000u);
  period.it_interval.tv_nsec = static_cast<long>(sampler.control->period_ns % 1000000000u);
  period.it_value = period.it_interval;
  if (syscall(SYS_timer_settime, timer, 0, &period, nullptr) == 0) return timer + 1;
  const int error = errno;
  syscall(SYS_timer_delete, timer);
  errno = error;
  return 0;
}

/// Which code lies where, for addresses that are told apart when this process is gone.
bool copy_maps() {
  char path[sizeof sampler.path + sizeof arena::timer_maps_suffix];
  snprintf(path, sizeof path, "%.*s%s", static_cast<int>(sampler.stem_length), sampler.path,
           arena::timer_maps_suffix);
  const int from = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  const int to = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  bool whole = from >= 0 && to >= 0;
  char text[4096];
  for (ssize_t got = 0; whole && (got = read(from, text, sizeof text)) > 0;)
    whole = write(to, text, static_cast<size_t>(got)) == got;
  if (from >= 0) close(from);
  if (to >= 0) close(to);
  return whole;
}

void* map_new_ring(const char* directory) {
  int file = -1;
  for (unsigned sequence = 0; sequence < 100000; ++sequence) {
    const int length = snprintf(sampler.path, sizeof sampler.path, "%s/timer-%d-%u", directory,
                                getpid(), sequence);
    if (length < 0 ||
        static_cast<size_t>(length) + sizeof arena::timer_ring_suffix >= sizeof sampler.path)
      return MAP_FAILED;
    sampler.stem_length = static_cast<size_t>(length);
    strcpy(sampler.path + length, arena::timer_ring_suffix);
    file = open(sampler.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0 || errno != EEXIST) break;
  }
  if (file < 0) return MAP_FAILED;
  void* mapped = reserve_mapped(file, ring_bytes);
  close(file);
  if (mapped == MAP_FAILED) unlink(sampler.path);
  return mapped;
}

}  // namespace

void thread_ends(void* at) {
  auto* slot = static_cast<Slot*>(at);
  delete_timer(*slot);
  mine.tid = 0;
  take_stack(*slot);
  __atomic_store_n(&slot->tid, 0, __ATOMIC_RELEASE);
}

void* reserve_mapped(int file, uint64_t bytes) {
  // A sparse file would raise SIGBUS where the disk is full; a limit's excess raises SIGXFSZ.
  if (!fits_file_limit(bytes) || posix_fallocate(file, 0, static_cast<off_t>(bytes)) != 0)
    return MAP_FAILED;
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

bool open_ring(const char* directory) {
  void* const mapped = map_new_ring(directory);
  if (mapped == MAP_FAILED) return false;
  auto* ring = static_cast<TimerRing*>(mapped);
  ring->pid = getpid();
  ring->capacity = arena::timer_ring_capacity;
  ring->created_ns = now_ns();
  copy_maps();
  __atomic_store_n(&ring->magic, arena::timer_ring_magic, __ATOMIC_RELEASE);
  __atomic_store_n(&sampler.ring, ring, __ATOMIC_RELEASE);
  return true;
}

void close_ring() {
  TimerRing* ring = __atomic_exchange_n(&sampler.ring, nullptr, __ATOMIC_ACQ_REL);
  if (ring != nullptr) munmap(ring, ring_bytes);
}

void install_handler() {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);  // no handler of the program's on our stack
  if (sampler.real_sigaction(SIGPROF, &action, nullptr) == 0)
    __atomic_store_n(&sampler.installed, 1, __ATOMIC_RELEASE);
}

void begin_thread() {
  if (__atomic_load_n(&sampler.installed, __ATOMIC_ACQUIRE) == 0 ||
      __atomic_load_n(&sampler.ended, __ATOMIC_ACQUIRE) != 0 ||
      __atomic_load_n(&sampler.control->stop, __ATOMIC_RELAXED) != 0 || mine.tid != 0)
    return;
  if (is_blocked()) return refuse(arena::timer_blocked);
  const int error = errno;
  const int tid = static_cast<int>(syscall(SYS_gettid));
  Slot* const slot = take_slot(tid);
  if (slot == nullptr) return refuse(arena::timer_refused, EAGAIN);
  int timer = 0;
  if (give_stack(*slot)) timer = create_timer(tid);
  if (timer == 0) {
    refuse(arena::timer_refused, errno);
    take_stack(*slot);
    __atomic_store_n(&slot->tid, 0, __ATOMIC_RELEASE);
  } else {
    mine.tid = tid;
    mine.kept_back = mine.periods = 0;
    __atomic_store_n(&slot->timer, timer, __ATOMIC_RELEASE);
    if (tid != getpid()) pthread_setspecific(sampler.key, slot);
    // It may have been ended meanwhile.
    if (__atomic_load_n(&sampler.ended, __ATOMIC_ACQUIRE) != 0) delete_timer(*slot);
  }
  errno = error;
}

void end_here(uint32_t why) {
  if (__atomic_exchange_n(&sampler.ended, 1, __ATOMIC_ACQ_REL) != 0) return;
  refuse(why);
  for (Slot& slot : sampler.slots) delete_timer(slot);
}

void become_child(const char* directory) {
  close_ring();  // the parent's
  mine.tid = 0;
  for (Slot& slot : sampler.slots) slot = {};
  if (__atomic_load_n(&sampler.ended, __ATOMIC_ACQUIRE) == 0 && open_ring(directory))
    begin_thread();
}

void last_maps() {
  if (sampler.ring != nullptr && sampler.ring->pid == getpid()) copy_maps();
}

}  // namespace roofmark::timer
