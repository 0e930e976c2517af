// A program without regions whose functions do a known amount of the same work.
//   target two REPEATS        `heavy` three times as much as `light`
//   target threads REPEATS    two threads in `heavy`
//   target library REPEATS    all in a function of a shared library
//   target inlined REPEATS    all in a function that is inlined into `outer`
//   target child REPEATS      `two` in a child process, which it waits for
//   target marked REPEATS     `two` inside of a region
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <roofmark/roofmark.hpp>
#include <thread>

extern "C" double work_in_library(double x, long steps);

namespace {

constexpr long steps = 20000;

/// Two FLOPs a step, each waiting for the one before: no compiler shortens it.
inline __attribute__((always_inline)) double chain(double x, long count) {
  for (long i = 0; i < count; ++i) {
    x = x * 0.999;
    x = x + 0.001;
  }
  return x;
}

inline __attribute__((always_inline)) double inner(double x, long count) {
  for (long i = 0; i < count; ++i) {
    x = x * 0.999;
    x = x + 0.001;
  }
  return x;
}

volatile double sink = 0;

}  // namespace

namespace work {

__attribute__((noinline)) void heavy() {
  sink = chain(sink, 3 * steps);
}

__attribute__((noinline)) void light() {
  sink = chain(sink, steps);
}

__attribute__((noinline)) void outer() {
  sink = inner(sink, 4 * steps);
}

__attribute__((noinline)) double own(double x) {
  return chain(x, 3 * steps);
}

}  // namespace work

namespace {

void two(long repeats) {
  for (long i = 0; i < repeats; ++i) {
    work::heavy();
    work::light();
  }
}

int child(const char* self, const char* repeats) {
  const pid_t pid = fork();
  if (pid == 0) {
    execl(self, self, "two", repeats, static_cast<char*>(nullptr));
    _exit(1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* const mode = argv[1];
  const long repeats = std::atol(argv[2]);
  if (std::strcmp(mode, "two") == 0) {
    two(repeats);
  } else if (std::strcmp(mode, "threads") == 0) {
    const auto run = [repeats] {
      double x = 0;
      for (long i = 0; i < repeats; ++i) x = work::own(x);
      sink = x;
    };
    std::thread other(run);
    run();
    other.join();
  } else if (std::strcmp(mode, "library") == 0) {
    for (long i = 0; i < repeats; ++i) sink = work_in_library(sink, 4 * steps);
  } else if (std::strcmp(mode, "inlined") == 0) {
    for (long i = 0; i < repeats; ++i) work::outer();
  } else if (std::strcmp(mode, "child") == 0) {
    return child(argv[0], argv[2]);
  } else if (std::strcmp(mode, "marked") == 0) {
    ROOFMARK_SCOPE("marked");
    two(repeats);
  }
  return sink > 2 ? 1 : 0;
}
