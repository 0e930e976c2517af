// Where the calling thread's stack lies.
#pragma once

#include <stdint.h>

namespace roofmark::functions {

struct Stack {
  uintptr_t first, end;  ///< both 0: not known
};

/// What is mapped around `place`, an address in it. Asks the kernel alone: it may be needed in a
/// handler of a signal that came in the middle of malloc().
Stack stack_around(uintptr_t place);

}  // namespace roofmark::functions
