// Which file this process executes.
#pragma once

#include "valgrind.hpp"

namespace roofmark::emulator {

/// Called at the start, before the program can change its stack.
void find_executable();
/// As /proc/self/exe names it in a native run: links are resolved, and of a script it is the
/// interpreter. The recording runtime writes that name, and the two runs are joined by it.
const HChar* executable();

}  // namespace roofmark::emulator
