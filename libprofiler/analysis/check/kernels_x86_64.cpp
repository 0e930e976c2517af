#if defined(__x86_64__)

#include "kernel_parts.hpp"

namespace roofmark::check {
namespace {

#define ROOFMARK_NEXT "dec %0\n\tjnz 1b\n\t"
#define ROOFMARK_ZERO(d) "pxor %%xmm" d ", %%xmm" d "\n\t"
#define ROOFMARK_CLOBBERS "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8"
#define ROOFMARK_UPPER_CLOBBERS "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

// All lanes are zero: no denormal, no overflow. `f` makes one instruction of a destination.
#define ROOFMARK_SSE(name, f)                                                                   \
  ROOFMARK_FLOP_LOOP(name, ROOFMARK_ZERO("0") ROOFMARK_EIGHT(ROOFMARK_ZERO), ROOFMARK_EIGHT(f), \
                     "", ROOFMARK_CLOBBERS)
#define ROOFMARK_AVX(name, f)                                                                      \
  ROOFMARK_FLOP_LOOP(name, "vzeroall\n\t", ROOFMARK_EIGHT(f), "vzeroupper\n\t", ROOFMARK_CLOBBERS, \
                     ROOFMARK_UPPER_CLOBBERS)

#define TWO(op, d) op " %%xmm0, %%xmm" d "\n\t"
#define THREE(op, r, d) op " %%" r "0, %%" r "0, %%" r d "\n\t"

#define F64_SCALAR_ADD(d) TWO("addsd", d)
#define F64_SCALAR_MUL(d) TWO("mulsd", d)
#define F32_SCALAR_ADD(d) TWO("addss", d)
#define F32_SCALAR_MUL(d) TWO("mulss", d)
#define F64_128_ADD(d) TWO("addpd", d)
#define F64_128_MUL(d) TWO("mulpd", d)
#define F32_128_ADD(d) TWO("addps", d)
#define F32_128_MUL(d) TWO("mulps", d)
#define F64_256_ADD(d) THREE("vaddpd", "ymm", d)
#define F64_256_MUL(d) THREE("vmulpd", "ymm", d)
#define F32_256_ADD(d) THREE("vaddps", "ymm", d)
#define F32_256_MUL(d) THREE("vmulps", "ymm", d)
#define F64_SCALAR_FMA(d) THREE("vfmadd231sd", "xmm", d)
#define F32_SCALAR_FMA(d) THREE("vfmadd231ss", "xmm", d)
#define F64_128_FMA(d) THREE("vfmadd231pd", "xmm", d)
#define F32_128_FMA(d) THREE("vfmadd231ps", "xmm", d)
#define F64_256_FMA(d) THREE("vfmadd231pd", "ymm", d)
#define F32_256_FMA(d) THREE("vfmadd231ps", "ymm", d)
#define F64_512_FMA(d) THREE("vfmadd231pd", "zmm", d)
#define F32_512_FMA(d) THREE("vfmadd231ps", "zmm", d)
#define INTEGER(d) "add $" d ", %%r8\n\t"

ROOFMARK_SSE(f64_scalar_add, F64_SCALAR_ADD)
ROOFMARK_SSE(f64_scalar_mul, F64_SCALAR_MUL)
ROOFMARK_SSE(f32_scalar_add, F32_SCALAR_ADD)
ROOFMARK_SSE(f32_scalar_mul, F32_SCALAR_MUL)
ROOFMARK_SSE(f64_128_add, F64_128_ADD)
ROOFMARK_SSE(f64_128_mul, F64_128_MUL)
ROOFMARK_SSE(f32_128_add, F32_128_ADD)
ROOFMARK_SSE(f32_128_mul, F32_128_MUL)
ROOFMARK_AVX(f64_256_add, F64_256_ADD)
ROOFMARK_AVX(f64_256_mul, F64_256_MUL)
ROOFMARK_AVX(f32_256_add, F32_256_ADD)
ROOFMARK_AVX(f32_256_mul, F32_256_MUL)
ROOFMARK_AVX(f64_scalar_fma, F64_SCALAR_FMA)
ROOFMARK_AVX(f32_scalar_fma, F32_SCALAR_FMA)
ROOFMARK_AVX(f64_128_fma, F64_128_FMA)
ROOFMARK_AVX(f32_128_fma, F32_128_FMA)
ROOFMARK_AVX(f64_256_fma, F64_256_FMA)
ROOFMARK_AVX(f32_256_fma, F32_256_FMA)
ROOFMARK_AVX(f64_512_fma, F64_512_FMA)
ROOFMARK_AVX(f32_512_fma, F32_512_FMA)

ROOFMARK_FLOP_LOOP(integer, "", ROOFMARK_EIGHT(INTEGER), "", "r8")

ROOFMARK_MEMORY_LOOP(read_all, "",
                     "movups (%1), %%xmm0\n\tmovups 16(%1), %%xmm1\n\tmovups 32(%1), %%xmm2\n\t"
                     "movups 48(%1), %%xmm3\n\tadd $64, %1\n\t",
                     "xmm0", "xmm1", "xmm2", "xmm3")
ROOFMARK_MEMORY_LOOP(write_all, ROOFMARK_ZERO("0"),
                     "movups %%xmm0, (%1)\n\tmovups %%xmm0, 16(%1)\n\tmovups %%xmm0, 32(%1)\n\t"
                     "movups %%xmm0, 48(%1)\n\tadd $64, %1\n\t",
                     "xmm0")

}  // namespace

std::vector<Kernel> architecture_kernels() {
  std::vector<Kernel> all = {ROOFMARK_COMMON_KERNELS};
  const auto add = [&](std::initializer_list<Kernel> more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  if (__builtin_cpu_supports("avx"))
    add({ROOFMARK_KERNEL(f64_256_add), ROOFMARK_KERNEL(f64_256_mul), ROOFMARK_KERNEL(f32_256_add),
         ROOFMARK_KERNEL(f32_256_mul)});
  if (__builtin_cpu_supports("avx") && __builtin_cpu_supports("fma"))
    add({ROOFMARK_COMMON_FMA_KERNELS, ROOFMARK_KERNEL(f64_256_fma), ROOFMARK_KERNEL(f32_256_fma)});
  if (__builtin_cpu_supports("avx512f"))
    add({ROOFMARK_KERNEL(f64_512_fma), ROOFMARK_KERNEL(f32_512_fma)});
  return all;
}

}  // namespace roofmark::check

#endif
