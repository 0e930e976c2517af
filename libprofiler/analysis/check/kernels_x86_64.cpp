#if defined(__x86_64__)

#include "kernel_parts.hpp"

namespace roofmark::check {
namespace {

// Eight destinations, so that each instruction waits for its own last result only. All lanes are
// zero: no denormal, no overflow.
#define ROOFMARK_EIGHT(op, r, sources)                                                      \
  op " " sources ", %%" r "1\n\t" op " " sources ", %%" r "2\n\t" op " " sources ", %%" r   \
     "3\n\t" op " " sources ", %%" r "4\n\t" op " " sources ", %%" r "5\n\t" op " " sources \
     ", %%" r "6\n\t" op " " sources ", %%" r "7\n\t" op " " sources ", %%" r "8\n\t"

#define ROOFMARK_CLOBBERS \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "cc"

#define ROOFMARK_SSE(name, op)                                                  \
  void name(std::uint64_t n, Buffer) {                                          \
    __asm__ volatile(                                                           \
        "pxor %%xmm0, %%xmm0\n\tpxor %%xmm1, %%xmm1\n\tpxor %%xmm2, %%xmm2\n\t" \
        "pxor %%xmm3, %%xmm3\n\tpxor %%xmm4, %%xmm4\n\tpxor %%xmm5, %%xmm5\n\t" \
        "pxor %%xmm6, %%xmm6\n\tpxor %%xmm7, %%xmm7\n\tpxor %%xmm8, %%xmm8\n\t" \
        "1:\n\t" ROOFMARK_EIGHT(op, "xmm", "%%xmm0") "dec %0\n\tjnz 1b\n\t"     \
        : "+r"(n)::ROOFMARK_CLOBBERS);                                          \
  }

#define ROOFMARK_AVX(name, op, r)                                                              \
  void name(std::uint64_t n, Buffer) {                                                         \
    __asm__ volatile("vzeroall\n\t1:\n\t" ROOFMARK_EIGHT(                                      \
                         op, r, "%%" r "0, %%" r "0") "dec %0\n\tjnz 1b\n\tvzeroupper\n\t"     \
                     : "+r"(n)::ROOFMARK_CLOBBERS, "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
                       "xmm14", "xmm15");                                                      \
  }

ROOFMARK_SSE(f64_scalar_add, "addsd")
ROOFMARK_SSE(f64_scalar_mul, "mulsd")
ROOFMARK_SSE(f32_scalar_add, "addss")
ROOFMARK_SSE(f32_scalar_mul, "mulss")
ROOFMARK_SSE(f64_128_add, "addpd")
ROOFMARK_SSE(f64_128_mul, "mulpd")
ROOFMARK_SSE(f32_128_add, "addps")
ROOFMARK_SSE(f32_128_mul, "mulps")
ROOFMARK_AVX(f64_256_add, "vaddpd", "ymm")
ROOFMARK_AVX(f64_256_mul, "vmulpd", "ymm")
ROOFMARK_AVX(f32_256_add, "vaddps", "ymm")
ROOFMARK_AVX(f32_256_mul, "vmulps", "ymm")
ROOFMARK_AVX(f64_scalar_fma, "vfmadd231sd", "xmm")
ROOFMARK_AVX(f32_scalar_fma, "vfmadd231ss", "xmm")
ROOFMARK_AVX(f64_128_fma, "vfmadd231pd", "xmm")
ROOFMARK_AVX(f32_128_fma, "vfmadd231ps", "xmm")
ROOFMARK_AVX(f64_256_fma, "vfmadd231pd", "ymm")
ROOFMARK_AVX(f32_256_fma, "vfmadd231ps", "ymm")
ROOFMARK_AVX(f64_512_fma, "vfmadd231pd", "zmm")
ROOFMARK_AVX(f32_512_fma, "vfmadd231ps", "zmm")

void integer(std::uint64_t n, Buffer) {
  std::uint64_t a = 0, b = 0;
  __asm__ volatile(
      "1:\n\tadd $1, %1\n\tadd $3, %2\n\tadd $1, %1\n\tadd $3, %2\n\tadd $1, %1\n\tadd $3, %2\n\t"
      "add $1, %1\n\tadd $3, %2\n\tdec %0\n\tjnz 1b\n\t"
      : "+r"(n), "+r"(a), "+r"(b)::"cc");
}

void read_all(std::uint64_t n, Buffer buffer) {
  over_lines(n, buffer, [](char* at, std::uint64_t now) {
    __asm__ volatile(
        "1:\n\tmovups (%1), %%xmm0\n\tmovups 16(%1), %%xmm1\n\tmovups 32(%1), %%xmm2\n\t"
        "movups 48(%1), %%xmm3\n\tadd $64, %1\n\tdec %0\n\tjnz 1b\n\t"
        : "+r"(now), "+r"(at)::"xmm0", "xmm1", "xmm2", "xmm3", "cc", "memory");
  });
}

void write_all(std::uint64_t n, Buffer buffer) {
  over_lines(n, buffer, [](char* at, std::uint64_t now) {
    __asm__ volatile(
        "pxor %%xmm0, %%xmm0\n\t1:\n\tmovups %%xmm0, (%1)\n\tmovups %%xmm0, 16(%1)\n\t"
        "movups %%xmm0, 32(%1)\n\tmovups %%xmm0, 48(%1)\n\tadd $64, %1\n\tdec %0\n\tjnz 1b\n\t"
        : "+r"(now), "+r"(at)::"xmm0", "cc", "memory");
  });
}

}  // namespace

std::vector<Kernel> architecture_kernels() {
  std::vector<Kernel> all = {flop_kernel("f64_scalar_add", "f64", 0, 1, f64_scalar_add),
                             flop_kernel("f64_scalar_mul", "f64", 0, 1, f64_scalar_mul),
                             flop_kernel("f32_scalar_add", "f32", 0, 1, f32_scalar_add),
                             flop_kernel("f32_scalar_mul", "f32", 0, 1, f32_scalar_mul),
                             flop_kernel("f64_128_add", "f64", 128, 1, f64_128_add),
                             flop_kernel("f64_128_mul", "f64", 128, 1, f64_128_mul),
                             flop_kernel("f32_128_add", "f32", 128, 1, f32_128_add),
                             flop_kernel("f32_128_mul", "f32", 128, 1, f32_128_mul)};
  const auto add = [&](std::initializer_list<Kernel> more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  if (__builtin_cpu_supports("avx"))
    add({flop_kernel("f64_256_add", "f64", 256, 1, f64_256_add),
         flop_kernel("f64_256_mul", "f64", 256, 1, f64_256_mul),
         flop_kernel("f32_256_add", "f32", 256, 1, f32_256_add),
         flop_kernel("f32_256_mul", "f32", 256, 1, f32_256_mul)});
  if (__builtin_cpu_supports("avx") && __builtin_cpu_supports("fma"))
    add({flop_kernel("f64_scalar_fma", "f64", 0, 2, f64_scalar_fma),
         flop_kernel("f32_scalar_fma", "f32", 0, 2, f32_scalar_fma),
         flop_kernel("f64_128_fma", "f64", 128, 2, f64_128_fma),
         flop_kernel("f32_128_fma", "f32", 128, 2, f32_128_fma),
         flop_kernel("f64_256_fma", "f64", 256, 2, f64_256_fma),
         flop_kernel("f32_256_fma", "f32", 256, 2, f32_256_fma)});
  if (__builtin_cpu_supports("avx512f"))
    add({flop_kernel("f64_512_fma", "f64", 512, 2, f64_512_fma),
         flop_kernel("f32_512_fma", "f32", 512, 2, f32_512_fma)});
  all.push_back(instruction_kernel(integer));
  all.push_back(memory_kernel("read", Work::reads, read_all));
  all.push_back(memory_kernel("write", Work::writes, write_all));
  return all;
}

}  // namespace roofmark::check

#endif
