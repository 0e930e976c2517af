// What the kernels of every architecture are put together from.
#pragma once

#include "kernels.hpp"

namespace roofmark::check {

/// Operations of one iteration; the loop itself takes two instructions more.
inline constexpr std::uint64_t in_a_loop = 8;

using Run = void (*)(std::uint64_t iterations, Buffer buffer);

inline Kernel flop_kernel(const char* name, const char* precision, unsigned width_bits,
                          unsigned per_lane, Run run) {
  const unsigned lane_bits = precision[1] == '6' ? 64 : 32;
  const unsigned lanes = width_bits == 0 ? 1 : width_bits / lane_bits;
  return {name, Work::flop, precision, width_bits, in_a_loop * lanes * per_lane, run};
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

}  // namespace roofmark::check
