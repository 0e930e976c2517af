/* Runs generated kernels of another architecture without its C library: freestanding, system calls
   by hand. Exit status: 0, or the number of the first check that failed. Defines from outside:
   ARCH_AARCH64 or ARCH_RISCV64, and VECTOR when the vector extension is there as well. */
#include <stdint.h>

typedef void Compute(uint64_t iterations, const void* constants);
typedef void Move(void* a, const void* b, const void* c, uint64_t bytes, uint64_t passes);
#define COMPUTE(name) extern Compute roofmark_k_##name
#define MOVE(name) extern Move roofmark_k_##name

#ifdef ARCH_AARCH64
#define WIDE(name) roofmark_k_neon_##name
#define VLA(name) roofmark_k_sve_##name
#define VLA_MUL_ADD roofmark_k_sve_f64_muladd_8_8a
COMPUTE(neon_f64_fma_28);
COMPUTE(neon_f32_sqrt_8);
COMPUTE(scalar_f32_div_12);
COMPUTE(scalar_f64_muladd_14_14p);
COMPUTE(sve_f64_fma_28);
COMPUTE(sve_f32_div_8);
COMPUTE(sve_f64_muladd_8_8a);
MOVE(neon_read);
MOVE(neon_write_nt);
MOVE(neon_copy);
MOVE(neon_triad);
MOVE(neon_triad_nt);
MOVE(scalar_triad);
MOVE(sve_read);
MOVE(sve_write_nt);
MOVE(sve_copy);
MOVE(sve_triad);
MOVE(sve_triad_nt);
#else
COMPUTE(scalar_f64_fma_16);
COMPUTE(scalar_f32_sqrt_8);
COMPUTE(scalar_f32_div_12);
COMPUTE(rvv_f64_fma_28);
COMPUTE(rvv_f32_div_8);
COMPUTE(rvv_f64_muladd_8_8p);
MOVE(scalar_read);
MOVE(scalar_write);
MOVE(scalar_copy);
MOVE(scalar_triad);
MOVE(rvv_read);
MOVE(rvv_write);
MOVE(rvv_copy);
MOVE(rvv_triad);
#endif
COMPUTE(clock);
extern uint64_t roofmark_vector_bytes(void);

static const struct {
  double shrink, small;
  float shrink_f, small_f;
} constants = {0.999, 1e-3, 0.999F, 1e-3F};

enum { count = 1024 };
static double a[count + 8] __attribute__((aligned(64))), b[count + 8] __attribute__((aligned(64))),
    c[count + 8] __attribute__((aligned(64)));

static void finish(int status) {
#ifdef ARCH_AARCH64
  register long x0 __asm__("x0") = status;
  register long x8 __asm__("x8") = 93;
  __asm__ volatile("svc 0" : : "r"(x0), "r"(x8));
#else
  register long a0 __asm__("a0") = status;
  register long a7 __asm__("a7") = 93;
  __asm__ volatile("ecall" : : "r"(a0), "r"(a7));
#endif
  for (;;) {
  }
}

static void check(int number, int right) {
  if (!right) finish(number);
}

/* pattern: 'r'ead, 'w'rite, 'c'opy, 't'riad */
static int moved(Move* kernel, char pattern) {
  for (int i = 0; i < count + 8; ++i) {
    a[i] = -7;
    b[i] = i;
    c[i] = 2 * i;
  }
  kernel(a, b, c, sizeof(double) * count, 2);
  const double factor = (a[1] - 1) / 2;
  for (int i = 0; i < count; ++i) {
    const double x = i;
    if (pattern == 'r' && a[i] != -7) return 0;
    if (pattern == 'w' && !(a[i] == a[0] && a[0] > 0)) return 0;
    if (pattern == 'c' && a[i] != x) return 0;
    if (pattern == 't' && (factor < 0.4 || factor > 1 || a[i] != x + factor * 2 * x)) return 0;
    if (b[i] != x || c[i] != 2 * x) return 0;
  }
  for (int i = count; i < count + 8; ++i)
    if (a[i] != -7) return 0;
  return 1;
}

void _start(void) {
  roofmark_k_clock(3, &constants);
#ifdef ARCH_AARCH64
  roofmark_k_neon_f64_fma_28(3, &constants);
  roofmark_k_neon_f32_sqrt_8(3, &constants);
  roofmark_k_scalar_f32_div_12(3, &constants);
  roofmark_k_scalar_f64_muladd_14_14p(3, &constants);
  check(1, moved(roofmark_k_neon_read, 'r'));
  check(2, moved(roofmark_k_neon_write_nt, 'w'));
  check(3, moved(roofmark_k_neon_copy, 'c'));
  check(4, moved(roofmark_k_neon_triad, 't'));
  check(5, moved(roofmark_k_neon_triad_nt, 't'));
  check(6, moved(roofmark_k_scalar_triad, 't'));
#ifdef VECTOR
  check(20, roofmark_vector_bytes() >= 16);
  roofmark_k_sve_f64_fma_28(3, &constants);
  roofmark_k_sve_f32_div_8(3, &constants);
  roofmark_k_sve_f64_muladd_8_8a(3, &constants);
  check(21, moved(roofmark_k_sve_read, 'r'));
  check(22, moved(roofmark_k_sve_write_nt, 'w'));
  check(23, moved(roofmark_k_sve_copy, 'c'));
  check(24, moved(roofmark_k_sve_triad, 't'));
  check(25, moved(roofmark_k_sve_triad_nt, 't'));
#endif
#else
  roofmark_k_scalar_f64_fma_16(3, &constants);
  roofmark_k_scalar_f32_sqrt_8(3, &constants);
  roofmark_k_scalar_f32_div_12(3, &constants);
  check(1, moved(roofmark_k_scalar_read, 'r'));
  check(2, moved(roofmark_k_scalar_write, 'w'));
  check(3, moved(roofmark_k_scalar_copy, 'c'));
  check(4, moved(roofmark_k_scalar_triad, 't'));
#ifdef VECTOR
  check(20, roofmark_vector_bytes() >= 16);
  roofmark_k_rvv_f64_fma_28(3, &constants);
  roofmark_k_rvv_f32_div_8(3, &constants);
  roofmark_k_rvv_f64_muladd_8_8p(3, &constants);
  check(21, moved(roofmark_k_rvv_read, 'r'));
  check(22, moved(roofmark_k_rvv_write, 'w'));
  check(23, moved(roofmark_k_rvv_copy, 'c'));
  check(24, moved(roofmark_k_rvv_triad, 't'));
#endif
#endif
  finish(0);
}
