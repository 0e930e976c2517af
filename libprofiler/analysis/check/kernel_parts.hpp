// What the kernels of every architecture are put together from.
#pragma once

#include <string_view>

#include "kernels.hpp"

namespace roofmark::check {

/// Operations of one iteration; the loop itself takes two instructions more.
inline constexpr std::uint64_t in_a_loop = 8;

using Run = void (*)(std::uint64_t iterations, Buffer buffer);

/// "f64_256_fma": precision, width ("scalar" or bits), operation.
inline Kernel flop_kernel(const char* name, Run run) {
  const std::string_view words(name), width = words.substr(4, words.size() - 8);
  Kernel kernel{name, Work::flop, std::string(words.substr(0, 3)), 0, 0, run};
  if (width != "scalar")
    for (const char digit : width)
      kernel.width_bits = 10 * kernel.width_bits + static_cast<unsigned>(digit - '0');
  const unsigned lane_bits = kernel.precision == "f64" ? 64 : 32;
  const unsigned lanes = kernel.width_bits == 0 ? 1 : kernel.width_bits / lane_bits;
  kernel.per_iteration = in_a_loop * lanes * (words.ends_with("fma") ? 2 : 1);
  return kernel;
}
inline Kernel instruction_kernel(Run run) {
  return {"integer", Work::instructions, "", 0, in_a_loop + 2, run};
}
/// Calls `pass(first, lines)` until so many cache lines are done, over the buffer again and again.
template <class Pass>
void over_lines(std::uint64_t lines, Buffer buffer, Pass pass) {
  const std::uint64_t in_buffer = buffer.bytes / 64;
  while (lines > 0) {
    const std::uint64_t now = lines < in_buffer ? lines : in_buffer;
    lines -= now;
    pass(buffer.data, now);
  }
}
inline Kernel memory_kernel(const char* name, Work work, Run run) {
  return {name, work, "", 128, 64, run};
}

/// Those that this processor can run.
std::vector<Kernel> architecture_kernels();

// The loops, in assembly. Each architecture says how one ends (ROOFMARK_NEXT: count %0 down to 0)
// and what is clobbered by all.

/// `one` of eight destinations: each instruction waits for its own last result only.
#define ROOFMARK_EIGHT(one) one("1") one("2") one("3") one("4") one("5") one("6") one("7") one("8")

#define ROOFMARK_FLOP_LOOP(name, before, body, after, ...)                                   \
  void name(std::uint64_t n, Buffer) {                                                       \
    __asm__ volatile(before "1:\n\t" body ROOFMARK_NEXT after : "+r"(n)::__VA_ARGS__, "cc"); \
  }

/// `body` does one line at %1 and goes on to the next.
#define ROOFMARK_MEMORY_LOOP(name, before, body, ...)                     \
  void name(std::uint64_t lines, Buffer buffer) {                         \
    over_lines(lines, buffer, [](char* at, std::uint64_t n) {             \
      __asm__ volatile(before "1:\n\t" body ROOFMARK_NEXT                 \
                       : "+r"(n), "+r"(at)::__VA_ARGS__, "cc", "memory"); \
    });                                                                   \
  }

#define ROOFMARK_KERNEL(name) flop_kernel(#name, name)

/// What every architecture has.
#define ROOFMARK_COMMON_KERNELS                                                                 \
  ROOFMARK_KERNEL(f64_scalar_add), ROOFMARK_KERNEL(f64_scalar_mul),                             \
      ROOFMARK_KERNEL(f32_scalar_add), ROOFMARK_KERNEL(f32_scalar_mul),                         \
      ROOFMARK_KERNEL(f64_128_add), ROOFMARK_KERNEL(f64_128_mul), ROOFMARK_KERNEL(f32_128_add), \
      ROOFMARK_KERNEL(f32_128_mul), instruction_kernel(integer),                                \
      memory_kernel("read", Work::reads, read_all),                                             \
      memory_kernel("write", Work::writes, write_all)
#define ROOFMARK_COMMON_FMA_KERNELS                                                               \
  ROOFMARK_KERNEL(f64_scalar_fma), ROOFMARK_KERNEL(f32_scalar_fma), ROOFMARK_KERNEL(f64_128_fma), \
      ROOFMARK_KERNEL(f32_128_fma)

}  // namespace roofmark::check
