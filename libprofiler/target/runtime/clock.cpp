#include "clock.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace roofmark::runtime {

bool counter_is_clock = false;

uint64_t raw_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

namespace {

#if defined(__x86_64__) || defined(__i386__)

// What the kernel keeps its own time by: the best witness of whether it trusts the TSC. Many
// virtual machines hide the invariant bit and use the TSC all the same.
bool kernel_clock_is(const char* name) {
  char text[32] = {};
  const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                        O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  const size_t length = strlen(name);
  return got > 0 && strncmp(text, name, length) == 0 && (text[length] == '\n' || !text[length]);
}

bool counter_is_invariant() {
  int allowed = PR_TSC_ENABLE;
  if (prctl(PR_GET_TSC, &allowed) == 0 && allowed != PR_TSC_ENABLE) return false;
  if (kernel_clock_is("tsc")) return true;
  // The kernel fell back from the TSC to a slow clock: it found it unstable.
  if (kernel_clock_is("hpet") || kernel_clock_is("acpi_pm") || kernel_clock_is("jiffies"))
    return false;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}

#elif defined(__aarch64__)
bool counter_is_invariant() {
  return true;  // the generic timer, by the architecture
}
#else
bool counter_is_invariant() {
  return false;
}
#endif

}  // namespace

arena::Clock choose_clock() {
  const char* wish = getenv("ROOFMARK_CLOCK");
  counter_is_clock =
      !(wish != nullptr && strcmp(wish, "monotonic_raw") == 0) && counter_is_invariant();
  if (!counter_is_clock) return arena::Clock::monotonic_raw;
#if defined(__x86_64__) || defined(__i386__)
  return arena::Clock::tsc;
#else
  return arena::Clock::counter;
#endif
}

ClockPair read_both_clocks() {
  ClockPair best = {0, 0};
  uint64_t narrowest = ~uint64_t{0};
  for (int i = 0; i < 5; ++i) {
    const uint64_t before = ticks();
    const uint64_t raw = raw_nanoseconds();
    const uint64_t after = ticks();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best = {before + narrowest / 2, raw};
  }
  return best;
}

}  // namespace roofmark::runtime
