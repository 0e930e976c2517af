// For what a test may do to a process of its own only: give up rights, die, change its directory.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace roofmark::test {

/// The exit status of a child process that does `work`; 128 + the signal that ended it.
template <class Work>
int in_child(Work work) {
  std::fflush(nullptr);  // what is buffered would be written by both
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace roofmark::test
