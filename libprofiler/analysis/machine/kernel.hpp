// The measuring kernels of this architecture (generated assembly) and what one iteration of each
// does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <roofmark/words.hpp>
#include <set>
#include <span>
#include <string>

namespace roofmark {

inline constexpr unsigned vector_length = ~0U;  ///< width_bits of SVE and RVV kernels

struct Kernel {
  enum class Kind { compute, bandwidth, clock };
  const char* name;
  Kind kind;
  Precision precision;
  const char* isa;        ///< ComputeCeiling::isa
  const char* feature;    ///< of cpu_features(), without which it must not run
  const char* operation;  ///< spelling of the Operation, or the pattern of a bandwidth kernel
  unsigned width_bits;    ///< 0: scalar
  unsigned accumulators;
  unsigned instructions;           ///< arithmetic instructions in one iteration
  unsigned flop_per_lane;          ///< of one instruction
  unsigned vectors_per_iteration;  ///< bandwidth: vectors of one array
  void (*entry)();
};

/// Operands of the compute kernels: normal numbers that stay normal over any window, so that no
/// assist for denormals or infinities is timed. The layout is known to the generator.
struct KernelConstants {
  double shrink_f64 = 0.99998765432101234;
  double small_f64 = 1.0123456789e-3;
  float shrink_f32 = 0.9999876F;
  float small_f32 = 1.0123457e-3F;
};

/// Array lengths are multiples of this: no kernel covers more in one iteration.
inline constexpr std::size_t kernel_chunk_bytes = 4096;

/// All kernels of the architecture that this library was built for; empty where there are none.
std::span<const Kernel> all_kernels();

/// Instruction sets that CPU and operating system both support: "sse2", "avx", "avx2", "fma",
/// "avx512f", "neon", "sve", "rv64d", "rvv".
const std::set<std::string>& cpu_features();

/// Length of the machine's vectors, for kernels that adapt to it; 0 without such vectors.
unsigned machine_vector_bits();

unsigned width_bits(const Kernel& kernel);
double flop_per_iteration(const Kernel& kernel);
/// "avx" kernels are named "avx2" on processors that have it, as people call them.
std::string isa_name(const Kernel& kernel);

void run_iterations(const Kernel& kernel, std::uint64_t iterations);

struct KernelArrays {
  std::byte *a, *b, *c;  ///< a is written; b and c are read
};
void run_passes(const Kernel& kernel, const KernelArrays& arrays, std::size_t bytes_per_array,
                std::uint64_t passes);

}  // namespace roofmark
