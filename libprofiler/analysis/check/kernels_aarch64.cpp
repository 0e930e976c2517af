#if defined(__aarch64__)

#include "kernel_parts.hpp"

namespace roofmark::check {
namespace {

#define ROOFMARK_NEXT "subs %0, %0, #1\n\tb.ne 1b\n\t"
#define ROOFMARK_ZERO(d) "movi v" d ".2d, #0\n\t"

// All lanes are zero: no denormal, no overflow. `f` makes one instruction of a destination.
#define ROOFMARK_LOOP(name, f)                                                                  \
  ROOFMARK_FLOP_LOOP(name, ROOFMARK_ZERO("0") ROOFMARK_EIGHT(ROOFMARK_ZERO), ROOFMARK_EIGHT(f), \
                     "", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8")

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

ROOFMARK_FLOP_LOOP(integer, "", ROOFMARK_EIGHT(INTEGER), "", "x9")

ROOFMARK_MEMORY_LOOP(read_all, "",
                     "ldp q0, q1, [%1]\n\tldp q2, q3, [%1, #32]\n\tadd %1, %1, #64\n\t", "v0", "v1",
                     "v2", "v3")
ROOFMARK_MEMORY_LOOP(write_all, ROOFMARK_ZERO("0"),
                     "stp q0, q0, [%1]\n\tstp q0, q0, [%1, #32]\n\tadd %1, %1, #64\n\t", "v0")

}  // namespace

std::vector<Kernel> architecture_kernels() {
  return {ROOFMARK_COMMON_KERNELS, ROOFMARK_COMMON_FMA_KERNELS};
}

}  // namespace roofmark::check

#endif
