// Kernels of known work that measure a GPU's ceilings. All have one signature, so that one launcher
// serves them; microkernels.cpp says what each does in one iteration.
//
// Arithmetic is inline PTX, volatile, in independent chains: the compiler can neither drop nor fuse
// it. Which kernels exist hangs on the architecture: a type that it only emulates has none.
#include <cstddef>
#include <cstdint>

#define ROOFMARK_ARCH __CUDA_ARCH__

struct Work {
  uint4* out;           // written by copies and triads; else one element a thread
  const uint4* in;      // operands and what is read
  const uint4* in2;     // the second stream of a triad
  std::size_t elements; // of 16 bytes
  std::uint64_t iterations;
  std::uint64_t* clocks;  // cycles and nanoseconds that block 0 took; not 0: a block did no work
};

// ---- the clock that really ran ---------------------------------------------------------------
__device__ static inline std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
__device__ static inline std::uint64_t cycles() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now));
  return now;
}
#define BEGIN_CLOCK const std::uint64_t cycle0 = cycles(), time0 = nanoseconds();
#define END_CLOCK                                \
  if (blockIdx.x == 0 && threadIdx.x == 0) {     \
    work.clocks[0] = cycles() - cycle0;          \
    work.clocks[1] = nanoseconds() - time0;      \
  }
__device__ static inline std::size_t thread_number() {
  return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}
__device__ static inline std::uint32_t word_of(const Work& work, unsigned at) {
  const std::uint32_t* words = reinterpret_cast<const std::uint32_t*>(work.in);
  return words[(thread_number() * 16 + at) % 65536];
}

// ---- fused multiply-add: 16 chains of 8 in each iteration -------------------------------------
// a = a * b + c with |b| < 1 stays finite, and b and c are not known to the compiler.
#define FMA_KERNEL(name, type, letter, instruction, start, factor, addend)             \
  extern "C" __global__ __launch_bounds__(256) void name(Work work) {                  \
    type a[16];                                                                        \
    const type b = factor, c = addend;                                                 \
    for (int i = 0; i < 16; ++i) a[i] = start;                                         \
    BEGIN_CLOCK                                                                        \
    _Pragma("unroll 1") for (std::uint64_t k = 0; k < work.iterations; ++k) {          \
      _Pragma("unroll") for (int u = 0; u < 8; ++u)                                    \
        _Pragma("unroll") for (int i = 0; i < 16; ++i)                                 \
          asm volatile(instruction " %0, %0, %1, %2;" : "+" letter(a[i]) : letter(b), letter(c)); \
    }                                                                                  \
    END_CLOCK                                                                          \
    type sum = a[0];                                                                   \
    for (int i = 1; i < 16; ++i) sum = sum ADDED a[i];                                 \
    reinterpret_cast<type*>(work.out)[thread_number()] = sum;                          \
  }
#define ADDED +
FMA_KERNEL(fma_f64, double, "d", "fma.rn.f64", c, 0.5 + 1e-9 * word_of(work, 1) / 8, 0.25)
FMA_KERNEL(fma_f32, float, "f", "fma.rn.f32", c, 0.5f + 1e-10f * word_of(work, 1), 0.25f)
#undef ADDED
#define ADDED ^
// Two halves of 0.5 and 0.25; the low bits of b from memory.
FMA_KERNEL(fma_f16, std::uint32_t, "r", "fma.rn.f16x2", c,
           0x38003800u | (word_of(work, 1) & 0x00ff00ffu), 0x34003400u)
#if ROOFMARK_ARCH >= 800
FMA_KERNEL(fma_bf16, std::uint32_t, "r", "fma.rn.bf16x2", c,
           0x3f003f00u | (word_of(work, 1) & 0x001f001fu), 0x3e803e80u)
#endif
#if ROOFMARK_ARCH >= 1000 && ROOFMARK_ARCH < 1100
FMA_KERNEL(fma_f32x2, std::uint64_t, "l", "fma.rn.f32x2", c,
           0x3f0000003f000000ull | (word_of(work, 1) & 0xffffu), 0x3e8000003e800000ull)
#endif

// ---- mma.sync: 8 independent accumulators in each iteration -----------------------------------

/// Operands of values between 1/2 and 1 in magnitude, signs mixed: sums stay small.
template <unsigned exponent, unsigned mantissa, unsigned sign>
__device__ static inline std::uint32_t operand(const Work& work, unsigned at) {
  return exponent | (word_of(work, at) & (mantissa | sign));
}
#define HALF_OPERAND operand<0x38003800u, 0x03ff03ffu, 0x80008000u>
#define BF16_OPERAND operand<0x3f003f00u, 0x007f007fu, 0x80008000u>
#define TF32_OPERAND operand<0x3f000000u, 0x007fe000u, 0x80000000u>
#define E4M3_OPERAND operand<0x30303030u, 0x07070707u, 0x80808080u>
#define E5M2_OPERAND operand<0x38383838u, 0x03030303u, 0x80808080u>
#define INT8_OPERAND operand<0u, 0x7f7f7f7fu, 0x80808080u>

#define MMA_KERNEL(name, result, letter, make_operand, shape)                              \
  extern "C" __global__ __launch_bounds__(256) void name(Work work) {                      \
    result c[8][4] = {};                                                                   \
    std::uint32_t a[4], b[2];                                                              \
    for (unsigned i = 0; i < 4; ++i) a[i] = make_operand(work, i);                         \
    for (unsigned i = 0; i < 2; ++i) b[i] = make_operand(work, 4 + i);                     \
    BEGIN_CLOCK                                                                            \
    _Pragma("unroll 1") for (std::uint64_t k = 0; k < work.iterations; ++k) {              \
      _Pragma("unroll") for (int j = 0; j < 8; ++j)                                        \
        asm volatile("mma.sync.aligned." shape                                             \
                     " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"              \
                     : "+" letter(c[j][0]), "+" letter(c[j][1]), "+" letter(c[j][2]),      \
                       "+" letter(c[j][3])                                                 \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));  \
    }                                                                                      \
    END_CLOCK                                                                              \
    result sum = 0;                                                                        \
    for (int j = 0; j < 8; ++j)                                                            \
      for (int i = 0; i < 4; ++i) sum += c[j][i];                                          \
    reinterpret_cast<result*>(work.out)[thread_number()] = sum;                            \
  }

#if ROOFMARK_ARCH >= 800
MMA_KERNEL(mma_f16, float, "f", HALF_OPERAND, "m16n8k16.row.col.f32.f16.f16.f32")
MMA_KERNEL(mma_bf16, float, "f", BF16_OPERAND, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_KERNEL(mma_tf32, float, "f", TF32_OPERAND, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA_KERNEL(mma_i8, int, "r", INT8_OPERAND, "m16n8k32.row.col.s32.s8.s8.s32")
#endif
// On 10.x it is emulated by far slower instructions.
#if ROOFMARK_ARCH == 890 || ROOFMARK_ARCH == 900 || ROOFMARK_ARCH >= 1200
MMA_KERNEL(mma_fp8, float, "f", E4M3_OPERAND, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
MMA_KERNEL(mma_fp8_e5m2, float, "f", E5M2_OPERAND, "m16n8k32.row.col.f32.e5m2.e5m2.f32")
#endif

// Tensor units for f64 are in 8.0 and 9.0; other architectures emulate it.
#if ROOFMARK_ARCH == 800
extern "C" __global__ __launch_bounds__(256) void mma_f64(Work work) {
  double c[8][2] = {};
  const double a = 0.5 + 1e-10 * word_of(work, 0), b = 0.5 - 1e-10 * word_of(work, 1);
  BEGIN_CLOCK
#pragma unroll 1
  for (std::uint64_t k = 0; k < work.iterations; ++k) {
#pragma unroll
    for (int j = 0; j < 8; ++j)
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+d"(c[j][0]), "+d"(c[j][1])
                   : "d"(a), "d"(b));
  }
  END_CLOCK
  double sum = 0;
  for (int j = 0; j < 8; ++j) sum += c[j][0] + c[j][1];
  reinterpret_cast<double*>(work.out)[thread_number()] = sum;
}
#elif ROOFMARK_ARCH == 900
extern "C" __global__ __launch_bounds__(256) void mma_f64_k16(Work work) {
  double c[4][4] = {}, a[8], b[4];
  for (unsigned i = 0; i < 8; ++i) a[i] = 0.5 + 1e-10 * word_of(work, i);
  for (unsigned i = 0; i < 4; ++i) b[i] = 0.5 - 1e-10 * word_of(work, 8 + i);
  BEGIN_CLOCK
#pragma unroll 1
  for (std::uint64_t k = 0; k < work.iterations; ++k) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
          "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
          : "+d"(c[j][0]), "+d"(c[j][1]), "+d"(c[j][2]), "+d"(c[j][3])
          : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),
            "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
  }
  END_CLOCK
  double sum = 0;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) sum += c[j][i];
  reinterpret_cast<double*>(work.out)[thread_number()] = sum;
}
#endif

#include "wgmma.cuh"
#include "tcgen05.cuh"

// ---- bytes ------------------------------------------------------------------------------------
// 128-bit accesses, grid-stride. `iterations` passes over the elements.
extern "C" __global__ __launch_bounds__(1024) void copy(Work work) {
  BEGIN_CLOCK
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t k = 0; k < work.iterations; ++k)
    for (std::size_t i = thread_number(); i < work.elements; i += step)
      __stcs(work.out + i, __ldcs(work.in + i));
  END_CLOCK
}

extern "C" __global__ __launch_bounds__(1024) void triad(Work work) {
  BEGIN_CLOCK
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const double2* b = reinterpret_cast<const double2*>(work.in);
  const double2* c = reinterpret_cast<const double2*>(work.in2);
  double2* a = reinterpret_cast<double2*>(work.out);
  for (std::uint64_t k = 0; k < work.iterations; ++k)
    for (std::size_t i = thread_number(); i < work.elements; i += step) {
      const double2 x = b[i], y = c[i];
      a[i] = make_double2(fma(3.0, y.x, x.x), fma(3.0, y.y, x.y));
    }
  END_CLOCK
}

/// Loads that keep their place, 4 in flight; the sum keeps them alive.
#define READ_KERNEL(name, load)                                                        \
  extern "C" __global__ __launch_bounds__(1024) void name(Work work) {                 \
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;         \
    std::uint32_t sum = 0;                                                             \
    BEGIN_CLOCK                                                                        \
    for (std::uint64_t k = 0; k < work.iterations; ++k) {                              \
      std::size_t i = thread_number();                                                 \
      for (; i + 3 * step < work.elements; i += 4 * step) {                            \
        uint4 v[4];                                                                    \
        _Pragma("unroll") for (int u = 0; u < 4; ++u)                                  \
          asm volatile(load " {%0,%1,%2,%3}, [%4];"                                    \
                       : "=r"(v[u].x), "=r"(v[u].y), "=r"(v[u].z), "=r"(v[u].w)        \
                       : "l"(work.in + i + u * step));                                 \
        _Pragma("unroll") for (int u = 0; u < 4; ++u)                                  \
          sum ^= v[u].x ^ v[u].y ^ v[u].z ^ v[u].w;                                    \
      }                                                                                \
      for (; i < work.elements; i += step) {                                           \
        const uint4 v = work.in[i];                                                    \
        sum ^= v.x ^ v.y ^ v.z ^ v.w;                                                  \
      }                                                                                \
    }                                                                                  \
    END_CLOCK                                                                          \
    reinterpret_cast<std::uint32_t*>(work.out)[thread_number()] = sum;                 \
  }
READ_KERNEL(read_hbm, "ld.global.cs.v4.u32")
// Cached in L2 and not in L1.
READ_KERNEL(read_l2, "ld.global.cg.v4.u32")

/// Each block reads its own 16 KiB again and again: `elements` is what one block has.
extern "C" __global__ __launch_bounds__(1024) void read_l1(Work work) {
  const uint4* mine = work.in + blockIdx.x * work.elements;
  std::uint32_t sum = 0;
  BEGIN_CLOCK
#pragma unroll 1
  for (std::uint64_t k = 0; k < work.iterations; ++k) {
#pragma unroll
    for (int u = 0; u < 8; ++u) {
      const unsigned i = (threadIdx.x + u * 128u) & 1023u;
      uint4 v;
      asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "l"(mine + i));
      sum ^= v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  END_CLOCK
  reinterpret_cast<std::uint32_t*>(work.out)[thread_number()] = sum;
}

extern "C" __global__ __launch_bounds__(1024) void read_shared(Work work) {
  __shared__ uint4 buffer[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) buffer[i] = work.in[i];
  __syncthreads();
  const std::uint32_t base = static_cast<std::uint32_t>(__cvta_generic_to_shared(buffer));
  std::uint32_t sum = 0;
  BEGIN_CLOCK
#pragma unroll 1
  for (std::uint64_t k = 0; k < work.iterations; ++k) {
#pragma unroll
    for (int u = 0; u < 8; ++u) {
      const unsigned i = (threadIdx.x + u * 128u) & 1023u;
      uint4 v;
      asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "r"(base + i * 16u));
      sum ^= v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  END_CLOCK
  reinterpret_cast<std::uint32_t*>(work.out)[thread_number()] = sum;
}
