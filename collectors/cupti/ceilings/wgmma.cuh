// wgmma of sm_90a: m64n256, operands in shared memory, one warp group a block, accumulators of 128
// registers. In each iteration 8 of them are committed and awaited; other blocks of the SM work on.
#pragma once

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define OUT8(c, n) "+f"(c[n]), "+f"(c[n + 1]), "+f"(c[n + 2]), "+f"(c[n + 3]), "+f"(c[n + 4]), \
    "+f"(c[n + 5]), "+f"(c[n + 6]), "+f"(c[n + 7])
#define OUT32(c, n) OUT8(c, n), OUT8(c, n + 8), OUT8(c, n + 16), OUT8(c, n + 24)
#define OUT128(c) OUT32(c, 0), OUT32(c, 32), OUT32(c, 64), OUT32(c, 96)
#define OUT8R(c, n) "+r"(c[n]), "+r"(c[n + 1]), "+r"(c[n + 2]), "+r"(c[n + 3]), "+r"(c[n + 4]), \
    "+r"(c[n + 5]), "+r"(c[n + 6]), "+r"(c[n + 7])
#define OUT32R(c, n) OUT8R(c, n), OUT8R(c, n + 8), OUT8R(c, n + 16), OUT8R(c, n + 24)
#define OUT128R(c) OUT32R(c, 0), OUT32R(c, 32), OUT32R(c, 64), OUT32R(c, 96)
#define REGISTERS128                                                                           \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24," \
  "%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,"   \
  "%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,"   \
  "%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,"   \
  "%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,"     \
  "%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

/// A descriptor without swizzling: start address, leading and stride byte offsets in units of 16
/// bytes. Which elements land where does not matter to a roof; that addresses lie inside does.
__device__ static inline std::uint64_t descriptor(std::uint32_t address) {
  return (static_cast<std::uint64_t>(address & 0x3ffffu) >> 4) | (std::uint64_t{8} << 16) |
         (std::uint64_t{16} << 32);
}

#define WGMMA_KERNEL(name, result, outputs, make_operand, shape, scales)                       \
  extern "C" __global__ __launch_bounds__(128) void name(Work work) {                          \
    extern __shared__ __align__(1024) std::uint32_t operands[];                                \
    for (unsigned i = threadIdx.x; i < 8192; i += 128)                                         \
      operands[i] = make_operand(work, i);                                                     \
    asm volatile("fence.proxy.async;" ::: "memory");                                           \
    __syncthreads();                                                                           \
    const std::uint32_t base = static_cast<std::uint32_t>(__cvta_generic_to_shared(operands)); \
    const std::uint64_t a = descriptor(base), b = descriptor(base + 8192);                     \
    result c[128] = {};                                                                        \
    BEGIN_CLOCK                                                                                \
    _Pragma("unroll 1") for (std::uint64_t k = 0; k < work.iterations; ++k) {                  \
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                  \
      _Pragma("unroll") for (int u = 0; u < 8; ++u)                                            \
        asm volatile("wgmma.mma_async.sync.aligned." shape " {" REGISTERS128                   \
                     "}, %128, %129, 1" scales ";"                                             \
                     : outputs(c)                                                              \
                     : "l"(a), "l"(b));                                                        \
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                           \
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                           \
    }                                                                                          \
    END_CLOCK                                                                                  \
    result sum = 0;                                                                            \
    for (int i = 0; i < 128; ++i) sum += c[i];                                                 \
    reinterpret_cast<result*>(work.out)[thread_number()] = sum;                                \
  }
WGMMA_KERNEL(wgmma_f16, float, OUT128, HALF_OPERAND, "m64n256k16.f32.f16.f16", ", 1, 1, 0, 0")
WGMMA_KERNEL(wgmma_bf16, float, OUT128, BF16_OPERAND, "m64n256k16.f32.bf16.bf16", ", 1, 1, 0, 0")
WGMMA_KERNEL(wgmma_tf32, float, OUT128, TF32_OPERAND, "m64n256k8.f32.tf32.tf32", ", 1, 1")
WGMMA_KERNEL(wgmma_fp8, float, OUT128, E4M3_OPERAND, "m64n256k32.f32.e4m3.e4m3", ", 1, 1")
WGMMA_KERNEL(wgmma_fp8_e5m2, float, OUT128, E5M2_OPERAND, "m64n256k32.f32.e5m2.e5m2", ", 1, 1")
WGMMA_KERNEL(wgmma_i8, int, OUT128R, INT8_OPERAND, "m64n256k32.s32.s8.s8", "")
#endif
