#if defined(__aarch64__)

#include "kernel_parts.hpp"

namespace roofmark::check {
namespace {

#define ROOFMARK_CLOBBERS "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "cc"

// Eight destinations, so that each instruction waits for its own last result only. All lanes are
// zero: no denormal, no overflow. `f` makes one instruction of a destination.
#define ROOFMARK_LOOP(name, f)                                                      \
  void name(std::uint64_t n, Buffer) {                                              \
    __asm__ volatile(                                                               \
        "movi v0.2d, #0\n\tmovi v1.2d, #0\n\tmovi v2.2d, #0\n\tmovi v3.2d, #0\n\t"  \
        "movi v4.2d, #0\n\tmovi v5.2d, #0\n\tmovi v6.2d, #0\n\tmovi v7.2d, #0\n\t"  \
        "movi v8.2d, #0\n\t1:\n\t" f("1") f("2") f("3") f("4") f("5") f("6") f("7") \
            f("8") "subs %0, %0, #1\n\tb.ne 1b\n\t"                                 \
        : "+r"(n)::ROOFMARK_CLOBBERS);                                              \
  }

#define ROOFMARK_SCALAR(op, r, d) op " " r d ", " r d ", " r "0\n\t"
#define ROOFMARK_VECTOR(op, t, d) op " v" d "." t ", v" d "." t ", v0." t "\n\t"
#define ROOFMARK_FUSED(r, d) "fmadd " r d ", " r "0, " r "0, " r d "\n\t"
#define ROOFMARK_FUSED_VECTOR(t, d) "fmla v" d "." t ", v0." t ", v0." t "\n\t"

#define F64_ADD(d) ROOFMARK_SCALAR("fadd", "d", d)
#define F64_MUL(d) ROOFMARK_SCALAR("fmul", "d", d)
#define F32_ADD(d) ROOFMARK_SCALAR("fadd", "s", d)
#define F32_MUL(d) ROOFMARK_SCALAR("fmul", "s", d)
#define F64_FMA(d) ROOFMARK_FUSED("d", d)
#define F32_FMA(d) ROOFMARK_FUSED("s", d)
#define F64_128_ADD(d) ROOFMARK_VECTOR("fadd", "2d", d)
#define F64_128_MUL(d) ROOFMARK_VECTOR("fmul", "2d", d)
#define F32_128_ADD(d) ROOFMARK_VECTOR("fadd", "4s", d)
#define F32_128_MUL(d) ROOFMARK_VECTOR("fmul", "4s", d)
#define F64_128_FMA(d) ROOFMARK_FUSED_VECTOR("2d", d)
#define F32_128_FMA(d) ROOFMARK_FUSED_VECTOR("4s", d)
#define INTEGER(d) "add x9, x9, #" d "\n\t"

ROOFMARK_LOOP(f64_scalar_add, F64_ADD)
ROOFMARK_LOOP(f64_scalar_mul, F64_MUL)
ROOFMARK_LOOP(f64_scalar_fma, F64_FMA)
ROOFMARK_LOOP(f32_scalar_add, F32_ADD)
ROOFMARK_LOOP(f32_scalar_mul, F32_MUL)
ROOFMARK_LOOP(f32_scalar_fma, F32_FMA)
ROOFMARK_LOOP(f64_128_add, F64_128_ADD)
ROOFMARK_LOOP(f64_128_mul, F64_128_MUL)
ROOFMARK_LOOP(f64_128_fma, F64_128_FMA)
ROOFMARK_LOOP(f32_128_add, F32_128_ADD)
ROOFMARK_LOOP(f32_128_mul, F32_128_MUL)
ROOFMARK_LOOP(f32_128_fma, F32_128_FMA)

void integer(std::uint64_t n, Buffer) {
  __asm__ volatile("1:\n\t" INTEGER("1") INTEGER("2") INTEGER("3") INTEGER("4") INTEGER("5")
                       INTEGER("6") INTEGER("7") INTEGER("8") "subs %0, %0, #1\n\tb.ne 1b\n\t"
                   : "+r"(n)::"x9", "cc");
}

void read_all(std::uint64_t n, Buffer buffer) {
  over_lines(n, buffer, [](char* at, std::uint64_t now) {
    __asm__ volatile(
        "1:\n\tldp q0, q1, [%1]\n\tldp q2, q3, [%1, #32]\n\tadd %1, %1, #64\n\t"
        "subs %0, %0, #1\n\tb.ne 1b\n\t"
        : "+r"(now), "+r"(at)::"v0", "v1", "v2", "v3", "cc", "memory");
  });
}

void write_all(std::uint64_t n, Buffer buffer) {
  over_lines(n, buffer, [](char* at, std::uint64_t now) {
    __asm__ volatile(
        "movi v0.2d, #0\n\t1:\n\tstp q0, q0, [%1]\n\tstp q0, q0, [%1, #32]\n\t"
        "add %1, %1, #64\n\tsubs %0, %0, #1\n\tb.ne 1b\n\t"
        : "+r"(now), "+r"(at)::"v0", "cc", "memory");
  });
}

}  // namespace

std::vector<Kernel> architecture_kernels() {
  return {flop_kernel("f64_scalar_add", "f64", 0, 1, f64_scalar_add),
          flop_kernel("f64_scalar_mul", "f64", 0, 1, f64_scalar_mul),
          flop_kernel("f64_scalar_fma", "f64", 0, 2, f64_scalar_fma),
          flop_kernel("f32_scalar_add", "f32", 0, 1, f32_scalar_add),
          flop_kernel("f32_scalar_mul", "f32", 0, 1, f32_scalar_mul),
          flop_kernel("f32_scalar_fma", "f32", 0, 2, f32_scalar_fma),
          flop_kernel("f64_128_add", "f64", 128, 1, f64_128_add),
          flop_kernel("f64_128_mul", "f64", 128, 1, f64_128_mul),
          flop_kernel("f64_128_fma", "f64", 128, 2, f64_128_fma),
          flop_kernel("f32_128_add", "f32", 128, 1, f32_128_add),
          flop_kernel("f32_128_mul", "f32", 128, 1, f32_128_mul),
          flop_kernel("f32_128_fma", "f32", 128, 2, f32_128_fma),
          instruction_kernel(integer),
          memory_kernel("read", Work::reads, read_all),
          memory_kernel("write", Work::writes, write_all)};
}

}  // namespace roofmark::check

#endif
