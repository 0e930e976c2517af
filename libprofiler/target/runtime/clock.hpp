// The clock of the markers: the processor's own counter where it is invariant, else
// CLOCK_MONOTONIC_RAW in nanoseconds.
#pragma once

#include <stdint.h>

#include "libprofiler/arena/layout.h"
#include "memory.hpp"

namespace roofmark::runtime {

extern bool counter_is_clock;  // set once, before the first reading

uint64_t raw_nanoseconds();

/// The processor's counter.
struct CounterClock {
  static uint64_t ticks() {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();  // its header brings in vectors, which quick.cpp must not see
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return raw_nanoseconds();
#endif
  }
};
struct SystemClock {
  static uint64_t ticks() { return raw_nanoseconds(); }
};

inline uint64_t ticks() {
  return likely(counter_is_clock) ? CounterClock::ticks() : SystemClock::ticks();
}

/// Chooses the clock. ROOFMARK_CLOCK=monotonic_raw in the environment forbids the counter.
arena::Clock choose_clock();

struct ClockPair {
  uint64_t ticks, raw_ns;
};

/// Both clocks as close together as a few tries get them.
ClockPair read_both_clocks();

}  // namespace roofmark::runtime
