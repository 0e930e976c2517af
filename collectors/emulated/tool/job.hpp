// Whether this process is a rank of a parallel job.
#pragma once

#include "valgrind.hpp"

namespace roofmark::emulator {

/// Called at the start, before the program can change its environment.
void find_rank();
/// As its launcher numbers it; below 0: it is none.
Long rank_in_job();

}  // namespace roofmark::emulator
