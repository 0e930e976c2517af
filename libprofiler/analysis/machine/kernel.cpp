#include "kernel.hpp"

#include "cpu_features.hpp"

#if defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)
extern "C" std::uint64_t roofmark_vector_bytes();
#endif

namespace roofmark {

unsigned machine_vector_bits() {
#if defined(__aarch64__)
  if (cpu_features().contains("sve")) return static_cast<unsigned>(roofmark_vector_bytes() * 8);
#elif defined(__riscv) && __riscv_xlen == 64
  if (cpu_features().contains("rvv")) return static_cast<unsigned>(roofmark_vector_bytes() * 8);
#endif
  return 0;
}

unsigned width_bits(const Kernel& kernel) {
  return kernel.width_bits == vector_length ? machine_vector_bits() : kernel.width_bits;
}

double flop_per_iteration(const Kernel& kernel) {
  const unsigned element_bits = kernel.precision == Precision::f64 ? 64 : 32;
  const unsigned bits = width_bits(kernel);
  const unsigned lanes = bits == 0 ? 1 : bits / element_bits;
  return static_cast<double>(kernel.instructions) * kernel.flop_per_lane * lanes;
}

std::string isa_name(const Kernel& kernel) {
  const std::string name = kernel.isa;
  return name == "avx" && cpu_features().contains("avx2") ? "avx2" : name;
}

void run_iterations(const Kernel& kernel, std::uint64_t iterations) {
  static const KernelConstants constants;
  using Entry = void (*)(std::uint64_t, const KernelConstants*);
  reinterpret_cast<Entry>(kernel.entry)(iterations, &constants);
}

void run_passes(const Kernel& kernel, const KernelArrays& arrays, std::size_t bytes_per_array,
                std::uint64_t passes) {
  using Entry = void (*)(void*, const void*, const void*, std::uint64_t, std::uint64_t);
  reinterpret_cast<Entry>(kernel.entry)(arrays.a, arrays.b, arrays.c, bytes_per_array, passes);
}

}  // namespace roofmark
