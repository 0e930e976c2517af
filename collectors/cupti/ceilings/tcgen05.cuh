// tcgen05.mma of sm_100a: m128n256, operands in shared memory, accumulators of 256 columns in tensor
// memory, one block of a warp group, two of them on a multiprocessor. One thread issues 8 of them in
// each iteration, commits and awaits them; the other block works on.
//
// Before it is timed, each block multiplies ones: whatever the layout of the operands, each element
// of the product is their depth. Where it is not, or where it does not end, the launch says so and
// no ceiling comes of it.
#pragma once

#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
/// Without swizzling: start address, leading and stride byte offsets in units of 16 bytes, and the
/// constant that tcgen05 asks for.
__device__ static inline std::uint64_t tensor_descriptor(std::uint32_t address) {
  return (static_cast<std::uint64_t>(address & 0x3ffffu) >> 4) | (std::uint64_t{8} << 16) |
         (std::uint64_t{16} << 32) | (std::uint64_t{1} << 46);
}

/// Formats of result and operands, n / 8 and m / 16; both operands along k.
__device__ constexpr std::uint32_t instruction_descriptor(std::uint32_t result, std::uint32_t operands) {
  return result << 4 | operands << 7 | operands << 10 | (256u >> 3) << 17 | (128u >> 4) << 24;
}

/// Bounded: a barrier that never comes must not hold the device.
__device__ static inline bool arrived(std::uint32_t barrier, std::uint32_t parity) {
  for (unsigned tries = 0; tries < 65536; ++tries) {
    std::uint32_t done;
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
    if (done != 0) return true;
  }
  return false;
}

__device__ static inline void commit(std::uint32_t barrier) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                   barrier)
               : "memory");
}

/// What was written to shared memory is seen by the tensor units behind it.
__device__ static inline void publish() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/// This thread's lane of one column.
__device__ static inline std::uint32_t accumulator(std::uint32_t columns) {
  std::uint32_t value;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];"
               : "=r"(value)
               : "r"(columns + ((threadIdx.x / 32) << 21)));
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  return value;
}

#define MULTIPLY(kind, accumulate)                                                     \
  asm volatile(                                                                        \
      "{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"                                      \
      "tcgen05.mma.cta_group::1.kind::" kind " [%0], %1, %2, %3, p;\n}" ::"r"(columns), \
      "l"(a), "l"(b), "r"(instruction), "r"(accumulate)                                \
      : "memory")

/// 4 KiB and 8 KiB of operands; `depth_bits`: the depth as the type of the result has it.
#define TCGEN05_KERNEL(name, kind, formats, ones, make_operand, depth_bits)                      \
  extern "C" __global__ __launch_bounds__(128) void name(Work work) {                            \
    extern __shared__ __align__(1024) std::uint32_t operands[];                                  \
    __shared__ std::uint64_t barrier_word;                                                       \
    __shared__ std::uint32_t columns_word, late;                                                 \
    const std::uint32_t barrier =                                                                \
        static_cast<std::uint32_t>(__cvta_generic_to_shared(&barrier_word));                     \
    if (threadIdx.x < 32) {                                                                      \
      asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 256;" ::"r"(   \
                       static_cast<std::uint32_t>(__cvta_generic_to_shared(&columns_word)))      \
                   : "memory");                                                                  \
      asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");   \
    }                                                                                            \
    if (threadIdx.x == 0) {                                                                      \
      late = 0;                                                                                  \
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");          \
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");                         \
    }                                                                                            \
    for (unsigned i = threadIdx.x; i < 3072; i += 128) operands[i] = ones;                       \
    publish();                                                                                   \
    const std::uint32_t columns = columns_word, instruction = instruction_descriptor formats;    \
    const std::uint32_t base = static_cast<std::uint32_t>(__cvta_generic_to_shared(operands));   \
    const std::uint64_t a = tensor_descriptor(base), b = tensor_descriptor(base + 4096);         \
    if (threadIdx.x == 0) {                                                                      \
      MULTIPLY(kind, 0u);                                                                        \
      commit(barrier);                                                                           \
    }                                                                                            \
    const bool ended = arrived(barrier, 0);                                                      \
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");                              \
    __syncwarp();                                                                                \
    /* By all threads of a warp at once. The last column is there only where the shape is the right one. */ \
    const std::uint32_t first = accumulator(columns), last = accumulator(columns + 255);         \
    const bool right = first == (depth_bits) && last == (depth_bits);                            \
    const bool works = __syncthreads_and(ended && right) != 0;                                   \
    if (works) {                                                                                 \
      for (unsigned i = threadIdx.x; i < 3072; i += 128) operands[i] = make_operand(work, i);    \
      publish();                                                                                 \
      BEGIN_CLOCK                                                                                \
      if (threadIdx.x == 0) {                                                                    \
        std::uint32_t parity = 1;                                                                \
        _Pragma("unroll 1") for (std::uint64_t k = 0; k < work.iterations; ++k) {                \
          _Pragma("unroll") for (int u = 0; u < 8; ++u) MULTIPLY(kind, 1u);                      \
          commit(barrier);                                                                       \
          if (!arrived(barrier, parity)) {                                                       \
            late = 1;                                                                            \
            break;                                                                               \
          }                                                                                      \
          parity ^= 1u;                                                                          \
        }                                                                                        \
      }                                                                                          \
      __syncthreads();                                                                           \
      END_CLOCK                                                                                  \
      asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");                            \
      reinterpret_cast<std::uint32_t*>(work.out)[thread_number()] = accumulator(columns);        \
    }                                                                                            \
    if (threadIdx.x == 0 && (!works || late != 0)) work.clocks[2] = 1;                           \
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");                             \
    __syncthreads();                                                                             \
    if (threadIdx.x < 32)                                                                        \
      asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 256;" ::"r"(columns)       \
                   : "memory");                                                                  \
  }
// Formats: the result in f32 is 1, in s32 2; of the operands f16 0, bf16 1, tf32 2, e4m3 0, e5m2 1,
// s8 1.
TCGEN05_KERNEL(tcgen05_f16, "f16", (1, 0), 0x3c003c00u, HALF_OPERAND, __float_as_uint(16.0f))
TCGEN05_KERNEL(tcgen05_bf16, "f16", (1, 1), 0x3f803f80u, BF16_OPERAND, __float_as_uint(16.0f))
TCGEN05_KERNEL(tcgen05_tf32, "tf32", (1, 2), 0x3f800000u, TF32_OPERAND, __float_as_uint(8.0f))
TCGEN05_KERNEL(tcgen05_fp8, "f8f6f4", (1, 0), 0x38383838u, E4M3_OPERAND, __float_as_uint(32.0f))
TCGEN05_KERNEL(tcgen05_fp8_e5m2, "f8f6f4", (1, 1), 0x3c3c3c3cu, E5M2_OPERAND,
               __float_as_uint(32.0f))
TCGEN05_KERNEL(tcgen05_i8, "i8", (2, 1), 0x01010101u, INT8_OPERAND, 32u)
#endif
