// The short paths of a redirected call. Its arguments or results are in registers: this file is
// compiled without those that hold vectors.
#include "calls.hpp"

namespace roofmark::functions {

__thread Calls* calls __attribute__((tls_model("initial-exec")));

static roofmark_token not_entered(roofmark_site*) {
  return {nullptr, 0};
}
static int not_left(roofmark_token) {
  return 0;
}
roofmark_token (*try_enter)(roofmark_site*) = not_entered;
int (*try_leave)(roofmark_token) = not_left;

int widest_vectors = 0;
int can_ask_for_vectors = 0;

extern "C" {

__attribute__((visibility("hidden"))) Frame* roofmark_function_enter(Hook* hook, uintptr_t slot,
                                                                     void* kept,
                                                                     void* return_address) {
  Calls* const here = calls;
  if (__builtin_expect(here == nullptr, 0)) return nullptr;
  Frame* const frame = here->top;
  // Below the caller of this call no other call can be open on the same stack.
  if (__builtin_expect(frame[-1].slot <= slot || frame == here->end, 0)) return nullptr;
  const roofmark_token token = try_enter(&hook->site);
  if (__builtin_expect(token.node == nullptr, 0)) return nullptr;
  here->entering += 1;
  frame->slot = unused;  // until it is filled
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  here->top = frame + 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  fill(frame, hook, token, slot, kept, return_address);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  here->entering -= 1;
  return frame;
}

__attribute__((visibility("hidden"))) int roofmark_function_leave(Frame* frame) {
  Calls* const here = calls;
  if (__builtin_expect(here == nullptr || frame + 1 != here->top, 0)) return 0;
  if (__builtin_expect(try_leave(frame->token) == 0, 0)) return 0;
  frame->slot = unused;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  here->top = frame;
  return 1;
}

__attribute__((visibility("hidden"))) int roofmark_function_vectors() {
#if defined(__x86_64__)
  if (can_ask_for_vectors == 0 || widest_vectors == 0) return widest_vectors;
  // Registers whose upper halves are in use; to write others would make them so, which slows down
  // code that uses the lower halves alone.
  uint32_t in_use, above;
  __asm__ volatile("xgetbv" : "=a"(in_use), "=d"(above) : "c"(1));
  constexpr uint32_t upper_256 = 1u << 2, upper_512 = 1u << 6;
  if ((in_use & upper_512) != 0 && widest_vectors == 2) return 2;
  return (in_use & upper_256) != 0;
#else
  return widest_vectors;
#endif
}

}  // extern "C"

}  // namespace roofmark::functions
