#include "microkernels.hpp"

#include <array>

namespace roofmark::cupti {
namespace {

/// 8 of m16n8kK for each warp of 32: 8 * 2 * 16 * 8 * K / 32.
constexpr double mma(double k) {
  return 8 * 2 * 16 * 8 * k / 32;
}
/// 8 of m64n256kK for each block of 128.
constexpr double wgmma(double k) {
  return 8.0 * 2 * 64 * 256 * k / 128;
}
/// 8 of m128n256kK for each block of 128.
constexpr double tcgen05(double k) {
  return 8.0 * 2 * 128 * 256 * k / 128;
}
/// 16 chains of 8.
constexpr double fma(double lanes) {
  return 16 * 8 * 2 * lanes;
}
constexpr unsigned wgmma_operands = 32768;
/// Far more than they need, so that a multiprocessor has two of these blocks: both halves of its
/// tensor memory are then taken.
constexpr unsigned tcgen05_operands = 100 * 1024;
/// 8 loads of 16 bytes.
constexpr double loads = 128;

using enum Bound;
constexpr Microkernel of_tcgen05(const char* name, const char* quantity, double k,
                                 const char* pattern = "tcgen05") {
  return {name, quantity, pattern, arithmetic, tcgen05(k), 128, 2, tcgen05_operands};
}
constexpr Microkernel of_wgmma(const char* name, const char* quantity, double k,
                               const char* pattern = "wgmma") {
  return {name, quantity, pattern, arithmetic, wgmma(k), 128, 3, wgmma_operands};
}

constexpr std::array kernels = {
    Microkernel{"fma_f64", "flop.f64", "fma", arithmetic, fma(1), 256, 8},
    Microkernel{"fma_f32", "flop.f32", "fma", arithmetic, fma(1), 256, 8},
    Microkernel{"fma_f32x2", "flop.f32", "fma packed", arithmetic, fma(2), 256, 4},
    Microkernel{"fma_f16", "flop.f16", "fma", arithmetic, fma(2), 256, 8},
    Microkernel{"fma_bf16", "flop.bf16", "fma", arithmetic, fma(2), 256, 8},
    Microkernel{"mma_f16", "tensor.f16", "mma.sync", arithmetic, mma(16), 256, 4},
    Microkernel{"mma_bf16", "tensor.bf16", "mma.sync", arithmetic, mma(16), 256, 4},
    Microkernel{"mma_tf32", "tensor.tf32", "mma.sync", arithmetic, mma(8), 256, 4},
    Microkernel{"mma_fp8", "tensor.fp8", "mma.sync", arithmetic, mma(32), 256, 4},
    Microkernel{"mma_fp8_e5m2", "tensor.fp8", "mma.sync e5m2", arithmetic, mma(32), 256, 4},
    Microkernel{"mma_i8", "tensor.i8", "mma.sync", arithmetic, mma(32), 256, 4},
    // 8 of m8n8k4; 4 of m16n8k16.
    Microkernel{"mma_f64", "tensor.f64", "mma.sync", arithmetic, 8.0 * 2 * 8 * 8 * 4 / 32, 256, 4},
    Microkernel{"mma_f64_k16", "tensor.f64", "mma.sync", arithmetic, 4.0 * 2 * 16 * 8 * 16 / 32,
                256, 4},
    of_wgmma("wgmma_f16", "tensor.f16", 16),
    of_wgmma("wgmma_bf16", "tensor.bf16", 16),
    of_wgmma("wgmma_tf32", "tensor.tf32", 8),
    of_wgmma("wgmma_fp8", "tensor.fp8", 32),
    of_wgmma("wgmma_fp8_e5m2", "tensor.fp8", 32, "wgmma e5m2"),
    of_wgmma("wgmma_i8", "tensor.i8", 32),
    Microkernel{"read_hbm", "bytes.HBM", "read", memory, 16, 512, 4, 0, 16, 0},
    Microkernel{"copy", "bytes.HBM", "copy", memory, 32, 512, 4, 0, 16, 16},
    Microkernel{"triad", "bytes.HBM", "triad", memory, 48, 512, 4, 0, 32, 16},
    Microkernel{"read_l2", "bytes.L2", "read", l2, 16, 512, 4, 0, 16, 0},
    Microkernel{"read_l1", "bytes.L1", "read", sm, loads, 1024, 1},
    Microkernel{"read_shared", "bytes.shared", "read", sm, loads, 1024, 1},
    // The last, since no card has run them: an instruction that it refuses ends the context.
    of_tcgen05("tcgen05_f16", "tensor.f16", 16),
    of_tcgen05("tcgen05_bf16", "tensor.bf16", 16),
    of_tcgen05("tcgen05_tf32", "tensor.tf32", 8),
    of_tcgen05("tcgen05_fp8", "tensor.fp8", 32),
    of_tcgen05("tcgen05_fp8_e5m2", "tensor.fp8", 32, "tcgen05 e5m2"),
    of_tcgen05("tcgen05_i8", "tensor.i8", 32),
};

}  // namespace

std::span<const Microkernel> microkernels() {
  return kernels;
}

double work_of(const Microkernel& kernel, std::uint64_t threads, std::uint64_t elements,
               std::uint64_t iterations) {
  const bool streams = kernel.bound == memory || kernel.bound == l2;
  return kernel.work * static_cast<double>(streams ? elements : threads) *
         static_cast<double>(iterations);
}

}  // namespace roofmark::cupti
