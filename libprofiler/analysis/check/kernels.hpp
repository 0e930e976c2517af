// Kernels whose work is known to the instruction: written in assembly, so that no compiler can
// change it. Counters are held to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace roofmark::check {

/// Memory that a kernel works on, a multiple of 64 bytes.
struct Buffer {
  char* data = nullptr;
  std::size_t bytes = 0;
};

enum class Work : std::uint8_t { flop, instructions, reads, writes };

struct Kernel {
  std::string name;  ///< "f64_256_fma", "read"
  Work work = Work::flop;
  std::string precision;  ///< "f64", "f32"; empty: no FLOPs
  unsigned width_bits = 0;
  /// FLOPs or instructions of one iteration; bytes of one iteration.
  std::uint64_t per_iteration = 0;
  void (*run)(std::uint64_t iterations, Buffer buffer) = nullptr;
};

/// Those that this processor can run; empty on an architecture without kernels. An iteration of
/// `reads` and `writes` is 64 bytes of the buffer, from its start, so many as it has.
std::vector<Kernel> kernels_here();

/// FLOPs, instructions or bytes of so many iterations.
std::uint64_t expected_work(const Kernel& kernel, std::uint64_t iterations);

}  // namespace roofmark::check
