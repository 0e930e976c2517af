// Where the timer sampler meets the program: its start, its forks and threads, and what it does
// with SIGPROF.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <threads.h>
#include <unistd.h>

#include "sampled_program.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace roofmark::timer {

bool fits_file_limit(uint64_t bytes) {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= limit.rlim_cur;
}

namespace {

char directory[4000];
struct sigaction seen_by_program;  // of SIGPROF, as long as our handler is installed

template <class Function>
Function* next(Function*& found, const char* name) {
  Function* function = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
  if (function != nullptr) return function;
  function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  __atomic_store_n(&found, function, __ATOMIC_RELEASE);
  return function;
}

const arena::TimerControl* map_control() {
  char path[sizeof directory + sizeof arena::timer_control_name + 1];
  snprintf(path, sizeof path, "%s/%s", directory, arena::timer_control_name);
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return nullptr;
  struct stat status;
  void* mapped = MAP_FAILED;
  if (fstat(file, &status) == 0 &&
      status.st_size >= static_cast<off_t>(sizeof(arena::TimerControl)))
    mapped = mmap(nullptr, sizeof(arena::TimerControl), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return nullptr;
  const auto* control = static_cast<const arena::TimerControl*>(mapped);
  return control->magic == arena::timer_control_magic && control->period_ns >= 100000 ? control
                                                                                      : nullptr;
}

void in_child() {
  if (sampler.control != nullptr) become_child(directory);
}

__attribute__((constructor)) void begin() {
  const char* const given = secure_getenv("ROOFMARK_RECORDING");
  if (given == nullptr || given[0] != '/' || strlen(given) >= sizeof directory) return;
  strcpy(directory, given);
  const arena::TimerControl* const control = map_control();
  if (control == nullptr || control->stop != 0) return;
  next(sampler.real_sigaction, "sigaction");
  struct sigaction action;
  if (sampler.real_sigaction == nullptr || sampler.real_sigaction(SIGPROF, nullptr, &action) != 0 ||
      pthread_key_create(&sampler.key, thread_ends) != 0)
    return;
  sampler.control = control;
  if (!open_ring(directory)) {
    sampler.control = nullptr;
    return;
  }
  pthread_atfork(nullptr, nullptr, in_child);
  // Ignored or handled: it was meant so by whoever started it, or by a library before this one.
  if (action.sa_handler != SIG_DFL) return end_here(arena::timer_in_use);
  seen_by_program = action;
  install_handler();
  begin_thread();
}

__attribute__((destructor)) void end() {
  if (sampler.control == nullptr) return;
  end_here(0);
  last_maps();
}

/// The program takes SIGPROF: our timers are gone before it has it.
void hand_over() {
  end_here(arena::timer_in_use);
  __atomic_store_n(&sampler.installed, 0, __ATOMIC_RELEASE);
}

bool is_ours(int signal) {
  if (signal != SIGPROF || __atomic_load_n(&sampler.installed, __ATOMIC_ACQUIRE) == 0) return false;
  // Of its parent are the variables that a vfork child sees.
  const arena::TimerRing* const ring = __atomic_load_n(&sampler.ring, __ATOMIC_ACQUIRE);
  return ring == nullptr || ring->pid == getpid();
}

template <class Start>
struct Beginning {
  Start* start;
  void* argument;
};

template <class Start>
Start* begin_at(void* argument, void*& inner) {
  auto* beginning = static_cast<Beginning<Start>*>(argument);
  const Beginning<Start> copy = *beginning;
  free(beginning);
  begin_thread();
  inner = copy.argument;
  return copy.start;
}
void* begin_pthread(void* argument) {
  void* inner = nullptr;
  auto* start = begin_at<void*(void*)>(argument, inner);
  return start(inner);
}
int begin_thrd(void* argument) {
  void* inner = nullptr;
  auto* start = begin_at<int(void*)>(argument, inner);
  return start(inner);
}

template <class Start>
Beginning<Start>* prepare(Start* start, void* argument) {
  if (__atomic_load_n(&sampler.installed, __ATOMIC_ACQUIRE) == 0) return nullptr;
  auto* beginning = static_cast<Beginning<Start>*>(malloc(sizeof(Beginning<Start>)));
  if (beginning != nullptr) *beginning = {start, argument};
  return beginning;
}

using Handler = void (*)(int);

/// `signal` and its elder relatives.
template <class Function>
Handler set_handler(Function*& found, const char* name, int signal, Handler handler) {
  Function* const real = next(found, name);
  if (!is_ours(signal)) return real(signal, handler);
  const Handler before = seen_by_program.sa_handler;
  if (handler == SIG_DFL) return before;
  hand_over();
  return real(signal, handler) == SIG_ERR ? SIG_ERR : before;
}

}  // namespace
}  // namespace roofmark::timer

using namespace roofmark::timer;

EXPORTED int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                            void* (*start)(void*), void* argument) {
  static int (*found)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  auto* const real = next(found, "pthread_create");
  auto* beginning = prepare(start, argument);
  if (beginning == nullptr) return real(thread, attributes, start, argument);
  const int result = real(thread, attributes, begin_pthread, beginning);
  if (result != 0) free(beginning);
  return result;
}

EXPORTED int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  static int (*found)(thrd_t*, thrd_start_t, void*);
  auto* const real = next(found, "thrd_create");
  auto* beginning = prepare(start, argument);
  if (beginning == nullptr) return real(thread, start, argument);
  const int result = real(thread, begin_thrd, beginning);
  if (result != thrd_success) free(beginning);
  return result;
}

EXPORTED int sigaction(int signal, const struct sigaction* action,
                       struct sigaction* before) noexcept {
  static int (*found)(int, const struct sigaction*, struct sigaction*);
  auto* const real = next(found, "sigaction");
  if (!is_ours(signal)) return real(signal, action, before);
  const struct sigaction seen = seen_by_program;
  if (action == nullptr || action->sa_handler == SIG_DFL) {
    if (action != nullptr) seen_by_program = *action;
  } else {
    hand_over();
    if (const int result = real(signal, action, nullptr); result != 0) return result;
  }
  if (before != nullptr) *before = seen;
  return 0;
}

EXPORTED Handler signal(int number, Handler handler) noexcept {
  static Handler (*found)(int, Handler);
  return set_handler(found, "signal", number, handler);
}
EXPORTED Handler __sysv_signal(int number, Handler handler) noexcept {
  static Handler (*found)(int, Handler);
  return set_handler(found, "__sysv_signal", number, handler);
}

EXPORTED Handler bsd_signal(int number, Handler handler) noexcept {
  static Handler (*found)(int, Handler);
  return set_handler(found, "bsd_signal", number, handler);
}
EXPORTED Handler ssignal(int number, Handler handler) noexcept {
  static Handler (*found)(int, Handler);
  return set_handler(found, "ssignal", number, handler);
}
EXPORTED Handler sigset(int number, Handler handler) noexcept {
  static Handler (*found)(int, Handler);
  return set_handler(found, "sigset", number, handler);
}
EXPORTED int sigignore(int number) noexcept {
  static int (*found)(int);
  if (is_ours(number)) hand_over();
  return next(found, "sigignore")(number);
}

// gprof's beginning: the C library takes SIGPROF for it without asking sigaction by its name.
EXPORTED void __monstartup(unsigned long low, unsigned long high) {
  static void (*found)(unsigned long, unsigned long);
  if (is_ours(SIGPROF)) hand_over();
  if (auto* const real = next(found, "__monstartup")) real(low, high);
}
EXPORTED int profil(unsigned short* buffer, size_t size, size_t offset, unsigned scale) noexcept {
  static int (*found)(unsigned short*, size_t, size_t, unsigned);
  if (is_ours(SIGPROF)) hand_over();
  return next(found, "profil")(buffer, size, offset, scale);
}

EXPORTED void roofmark_sampling_end() {
  if (sampler.control != nullptr) end_here(0);
}
