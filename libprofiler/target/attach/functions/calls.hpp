// What is kept of a call while its function runs.
#pragma once

#include "hooks.hpp"
#include "libprofiler/target/runtime/runtime_table.h"

namespace roofmark::functions {

/// An open call. While its function runs a register that every function restores holds the frame's
/// address: the way back, and what unwinding needs, are found from it and from nothing else.
struct Frame {
  void* return_address;
  void* kept;  ///< what the register held
  void* target;
  /// What unwinding goes on with: the caller's, also where another redirected function stands in
  /// between, which did this call as its last act and has no place on the stack any more.
  void* outer_return;
  void* outer_kept;
  uintptr_t slot;  ///< where on the stack the return address lay; `unused`: it is no call's
  roofmark_token token;
};
static_assert(offsetof(Frame, return_address) == ROOFMARK_FRAME_RETURN &&
              offsetof(Frame, kept) == ROOFMARK_FRAME_KEPT &&
              offsetof(Frame, target) == ROOFMARK_FRAME_TARGET &&
              offsetof(Frame, outer_return) == ROOFMARK_FRAME_OUTER_RETURN &&
              offsetof(Frame, outer_kept) == ROOFMARK_FRAME_OUTER_KEPT);

inline constexpr uintptr_t unused = ~uintptr_t{0};

/// Of one thread. Signal handlers push and pop as well: what they find is whole, and what they
/// leave is as it was.
struct Calls {
  Frame* top;  ///< the next one
  Frame* end;
  Frame* first;  ///< the one before it is never used
  uintptr_t entering;
  uintptr_t stack_first, stack_end;
  Calls* next;
};

inline void fill(Frame* frame, const Hook* hook, roofmark_token token, uintptr_t slot, void* kept,
                 void* return_address) {
  frame->return_address = frame->outer_return = return_address;
  frame->kept = frame->outer_kept = kept;
  frame->target = hook->target;
  frame->token = token;
  frame->slot = slot;
}

extern __thread Calls* calls __attribute__((tls_model("initial-exec")));

/// The runtime's short paths, or functions that do nothing.
extern roofmark_token (*try_enter)(roofmark_site* site);
extern int (*try_leave)(roofmark_token token);

extern "C" {
/// Where a function returns to while the trampoline waits for it.
extern __attribute__((visibility("hidden"))) const char roofmark_function_returned[];
/// Null: the long form is needed.
Frame* roofmark_function_enter(Hook* hook, uintptr_t slot, void* kept, void* return_address);
/// 0: the long form is needed.
int roofmark_function_leave(Frame* frame);
/// Which registers hold vectors that the long form may change: 0 of 128 bits, 1 of 256, 2 of 512.
int roofmark_function_vectors();
/// Null: the call is not recorded.
Frame* roofmark_function_enter_slow(Hook* hook, uintptr_t slot, void* kept, void* return_address);
void roofmark_function_leave_slow(Frame* frame);
}

/// As calls.cpp needs it to answer roofmark_function_vectors().
extern int widest_vectors;
extern int can_ask_for_vectors;

// told.cpp
/// Adds the function to the list beside the recording, at its first call.
void tell(Hook& hook);
void tell_cost(double nanoseconds);
/// That a limit was met: "functions" that no stub was left for, or calls that were too "deep".
void tell_once(const char* word, uint32_t& told);

}  // namespace roofmark::functions
