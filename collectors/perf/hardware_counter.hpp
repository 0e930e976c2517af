// The processor's own instructions that read a counter and the clock, where user space may.
#pragma once

#include <cstdint>

namespace roofmark::perf {

#if defined(__x86_64__)
inline std::uint64_t hardware_counter(std::uint32_t index) {
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
  return (std::uint64_t{high} << 32) | low;
}
inline std::uint64_t hardware_clock() {
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (std::uint64_t{high} << 32) | low;
}
#elif defined(__aarch64__)
inline std::uint64_t hardware_counter(std::uint32_t index) {
  std::uint64_t value = 0;
  if (index == 31) {  // the cycle counter has a register of its own
    __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
    return value;
  }
  switch (index) {
#define ROOFMARK_COUNTER(n)                                       \
  case n:                                                         \
    __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); \
    break;
    ROOFMARK_COUNTER(0)
    ROOFMARK_COUNTER(1)
    ROOFMARK_COUNTER(2)
    ROOFMARK_COUNTER(3)
    ROOFMARK_COUNTER(4)
    ROOFMARK_COUNTER(5)
    ROOFMARK_COUNTER(6)
    ROOFMARK_COUNTER(7)
    ROOFMARK_COUNTER(8)
    ROOFMARK_COUNTER(9)
    ROOFMARK_COUNTER(10)
    ROOFMARK_COUNTER(11)
    ROOFMARK_COUNTER(12)
    ROOFMARK_COUNTER(13)
    ROOFMARK_COUNTER(14)
    ROOFMARK_COUNTER(15)
    ROOFMARK_COUNTER(16)
    ROOFMARK_COUNTER(17)
    ROOFMARK_COUNTER(18)
    ROOFMARK_COUNTER(19)
    ROOFMARK_COUNTER(20)
    ROOFMARK_COUNTER(21)
    ROOFMARK_COUNTER(22)
    ROOFMARK_COUNTER(23)
    ROOFMARK_COUNTER(24)
    ROOFMARK_COUNTER(25)
    ROOFMARK_COUNTER(26)
    ROOFMARK_COUNTER(27)
    ROOFMARK_COUNTER(28)
    ROOFMARK_COUNTER(29)
    ROOFMARK_COUNTER(30)
#undef ROOFMARK_COUNTER
    default:
      break;
  }
  return value;
}
inline std::uint64_t hardware_clock() {
  std::uint64_t value = 0;
  __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value));
  return value;
}
#endif

}  // namespace roofmark::perf
