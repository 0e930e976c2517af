// Functions of the C library that the preloaded runtime stands in front of: who created a thread,
// that a vfork child is about to borrow this process, and that it ends here.
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "runtime.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace roofmark::runtime {
namespace {

template <class Function>
Function* next(Function*& found, const char* name) {
  Function* function = load_acquire(found);
  if (function != nullptr) return function;
  function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  store_release(found, function);
  return function;
}

template <class Start>
struct Beginning {
  Start* start;
  void* argument;
  Origin origin;
};

template <class Start>
Start* begin(void* argument, void*& inner) {
  auto* beginning = static_cast<Beginning<Start>*>(argument);
  const Beginning<Start> copy = *beginning;
  free(beginning);
  thread_begins(copy.origin);
  inner = copy.argument;
  return copy.start;
}

void* begin_pthread(void* argument) {
  void* inner = nullptr;
  auto* start = begin<void*(void*)>(argument, inner);
  return start(inner);
}

int begin_thrd(void* argument) {
  void* inner = nullptr;
  auto* start = begin<int(void*)>(argument, inner);
  return start(inner);
}

template <class Start>
Beginning<Start>* prepare(Start* start, void* argument) {
  // Not asked for: stay out of the program's way.
  if (load_acquire(runtime.active) == 0 && secure_getenv("ROOFMARK_RECORDING") == nullptr)
    return nullptr;
  auto* beginning = static_cast<Beginning<Start>*>(malloc(sizeof(Beginning<Start>)));
  if (beginning != nullptr) *beginning = {start, argument, origin_for_new_thread()};
  return beginning;
}

}  // namespace
}  // namespace roofmark::runtime

using namespace roofmark::runtime;

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

namespace {

using Exit = void(int);
Exit *real_exit, *real_quick_exit;

// Before there are other threads and children: looking a symbol up takes the loader's lock.
__attribute__((constructor)) void find_exits() {
  if (secure_getenv("ROOFMARK_RECORDING") == nullptr) return;
  next(real_exit, "_exit");
  next(real_quick_exit, "quick_exit");
}

[[noreturn]] void leave_by(Exit*& found, const char* name, int status) {
  ends_now();
  if (Exit* const leave = next(found, name); leave != nullptr) leave(status);
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace

EXPORTED __attribute__((noreturn)) void _exit(int status) {
  leave_by(real_exit, "_exit", status);
}
EXPORTED __attribute__((noreturn)) void _Exit(int status) noexcept {
  leave_by(real_exit, "_exit", status);
}
EXPORTED __attribute__((noreturn)) void quick_exit(int status) noexcept {
  leave_by(real_quick_exit, "quick_exit", status);
}

// vfork returns twice from the same frame, so it can't be wrapped in a function: the stub runs
// before_vfork() and jumps to the real one.
extern "C" __attribute__((visibility("hidden"), used)) void* roofmark_before_vfork() {
  static int (*found)();
  before_vfork();
  return reinterpret_cast<void*>(next(found, "vfork"));
}

#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".globl vfork\n"
    ".type vfork, @function\n"
    "vfork:\n"
    "  .cfi_startproc\n"
    "  endbr64\n"
    "  subq $8, %rsp\n"
    "  .cfi_adjust_cfa_offset 8\n"
    "  call roofmark_before_vfork\n"
    "  addq $8, %rsp\n"
    "  .cfi_adjust_cfa_offset -8\n"
    "  jmp *%rax\n"
    "  .cfi_endproc\n"
    ".size vfork, . - vfork\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".globl vfork\n"
    ".type vfork, %function\n"
    "vfork:\n"
    "  .cfi_startproc\n"
    "  hint #34\n"
    "  stp x29, x30, [sp, #-16]!\n"
    "  bl roofmark_before_vfork\n"
    "  mov x16, x0\n"
    "  ldp x29, x30, [sp], #16\n"
    "  br x16\n"
    "  .cfi_endproc\n"
    ".size vfork, . - vfork\n");
#endif
