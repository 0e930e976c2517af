#include "stack.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace roofmark::functions {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

Stack stack_around(uintptr_t place) {
  // No function of the C library: they are places at which threads are cancelled.
  const long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {0, 0};
  Stack found = {0, 0};
  uintptr_t bounds[2] = {0, 0};
  int part = 0;  // which of the two numbers at the line's beginning; 2: what is behind them
  char text[2048];
  for (long got; found.end == 0 && (got = syscall(SYS_read, file, text, sizeof text)) > 0;)
    for (long i = 0; i < got && found.end == 0; ++i) {
      const char c = text[i];
      if (c == '\n') {
        part = 0;
        bounds[0] = bounds[1] = 0;
      } else if (part < 2) {
        if (const int digit = digit_of(c); digit >= 0)
          bounds[part] = bounds[part] * 16 + static_cast<uintptr_t>(digit);
        else
          ++part;
        if (part == 2 && place >= bounds[0] && place < bounds[1]) found = {bounds[0], bounds[1]};
      }
    }
  syscall(SYS_close, file);
  return found;
}

}  // namespace roofmark::functions
