// Processes other than the one that was started, found in /proc.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace roofmark {

/// Whether it runs, or could: it is there and has not ended.
bool is_alive(pid_t pid);

/// The file that it executes; empty where that can't be known.
std::string executable_of(pid_t pid);

/// Live processes that have `argument` on their command lines, as forked ones have their parent's.
std::vector<pid_t> processes_with(const std::string& argument);

/// Waits until there is none of them, but after `linger_s` asks them to end and after `grace_s`
/// more kills them. How many there were.
std::size_t end_processes_with(const std::string& argument, double linger_s, double grace_s);

}  // namespace roofmark
