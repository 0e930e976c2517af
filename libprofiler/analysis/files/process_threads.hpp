// The threads of a process, as /proc lists them.
#pragma once

#include <sys/types.h>

#include <vector>

namespace roofmark {

/// In ascending order; none where the process has ended.
std::vector<pid_t> threads_of(pid_t process);

}  // namespace roofmark
