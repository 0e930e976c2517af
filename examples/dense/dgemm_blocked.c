/* C = A * B in blocks that stay in a cache, in C, with a portable kernel and one for AVX2 and FMA.
 *
 *   usage: dgemm_blocked [--expect] [n = 512] [fma | portable]     n: a multiple of 64
 *
 * Closed forms:
 *   FLOP    2 n^3, whichever kernel runs: a fused multiply-add is two
 *   L1      portable kernel: 16 n^3 + 8 n^3 / 64 read (C once for each block of k);
 *           FMA kernel: 3 n^3 + 8 n^3 / 64 read; both: 8 n^3 / 64 written, and what is spilled
 *   DRAM    about 32 n^2 and 16 n^3 / 64 more where a panel of B does not fit in the last cache
 * The portable kernel does one multiply and one add at a time and is bound by its own scalar peak;
 * the FMA kernel keeps 32 sums in eight registers and comes nearer to the core's.
 */
#include <roofmark/roofmark.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/expect.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { block = 64 };

typedef void block_kernel(double* c, const double* a, const double* b, size_t n);

/* One block of C += one block of A * one block of B, all of row length n. */
static void portable_block(double* restrict c, const double* restrict a, const double* restrict b,
                           size_t n) {
  size_t i, j, k;
  for (i = 0; i < block; ++i) {
    for (j = 0; j < block; ++j) {
      double sum = c[i * n + j];
      for (k = 0; k < block; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
}

#if defined(__x86_64__)
/* Four rows by eight columns at a time: eight sums of four lanes hide the latency of the FMA. They
 * are eight variables and no array, which a compiler may leave in memory. */
__attribute__((target("avx2,fma"))) static void fma_tile(double* restrict c,
                                                         const double* restrict a,
                                                         const double* restrict b, size_t n) {
  __m256d left0 = _mm256_loadu_pd(c), right0 = _mm256_loadu_pd(c + 4);
  __m256d left1 = _mm256_loadu_pd(c + n), right1 = _mm256_loadu_pd(c + n + 4);
  __m256d left2 = _mm256_loadu_pd(c + 2 * n), right2 = _mm256_loadu_pd(c + 2 * n + 4);
  __m256d left3 = _mm256_loadu_pd(c + 3 * n), right3 = _mm256_loadu_pd(c + 3 * n + 4);
  size_t k;
  for (k = 0; k < block; ++k) {
    const __m256d left = _mm256_loadu_pd(b + k * n), right = _mm256_loadu_pd(b + k * n + 4);
    const __m256d a0 = _mm256_broadcast_sd(a + k), a1 = _mm256_broadcast_sd(a + n + k);
    const __m256d a2 = _mm256_broadcast_sd(a + 2 * n + k), a3 = _mm256_broadcast_sd(a + 3 * n + k);
    left0 = _mm256_fmadd_pd(a0, left, left0);
    right0 = _mm256_fmadd_pd(a0, right, right0);
    left1 = _mm256_fmadd_pd(a1, left, left1);
    right1 = _mm256_fmadd_pd(a1, right, right1);
    left2 = _mm256_fmadd_pd(a2, left, left2);
    right2 = _mm256_fmadd_pd(a2, right, right2);
    left3 = _mm256_fmadd_pd(a3, left, left3);
    right3 = _mm256_fmadd_pd(a3, right, right3);
  }
  _mm256_storeu_pd(c, left0);
  _mm256_storeu_pd(c + 4, right0);
  _mm256_storeu_pd(c + n, left1);
  _mm256_storeu_pd(c + n + 4, right1);
  _mm256_storeu_pd(c + 2 * n, left2);
  _mm256_storeu_pd(c + 2 * n + 4, right2);
  _mm256_storeu_pd(c + 3 * n, left3);
  _mm256_storeu_pd(c + 3 * n + 4, right3);
}

static void fma_block(double* restrict c, const double* restrict a, const double* restrict b,
                      size_t n) {
  size_t i, j;
  for (i = 0; i < block; i += 4) {
    for (j = 0; j < block; j += 8) fma_tile(c + i * n + j, a + i * n, b + j, n);
  }
}
#endif

static block_kernel* fma_kernel(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return fma_block;
#endif
  return NULL;
}

static void multiply(double* c, const double* a, const double* b, size_t n, block_kernel* kernel) {
  const ptrdiff_t signed_n = (ptrdiff_t)n; /* dot.c says why */
  size_t i, j, k;
  ROOFMARK_BEGIN("dgemm_blocked");
  ROOFMARK_DECLARE((double)(2 * signed_n * signed_n * signed_n),
                   (double)(32 * signed_n * signed_n));
  for (i = 0; i < n; i += block) {
    for (k = 0; k < n; k += block) {
      for (j = 0; j < n; j += block) kernel(c + i * n + j, a + i * n + k, b + k * n + j, n);
    }
  }
  ROOFMARK_END("dgemm_blocked");
}

/* B is a permutation of columns scaled by 2, so that the product is known exactly. */
static int is_right(const double* c, const double* a, size_t n) {
  size_t i, k;
  for (i = 0; i < n; ++i) {
    for (k = 0; k < n; ++k) {
      if (c[i * n + (k + 1) % n] != 2.0 * a[i * n + k]) return 0;
    }
  }
  return 1;
}

int main(int argc, char** argv) {
  const int expect = take_expect(&argc, &argv);
  const size_t n = count_argument(argc, argv, 1, 512);
  const char* wanted = argc > 2 ? argv[2] : "";
  block_kernel* kernel = strcmp(wanted, "portable") == 0 ? NULL : fma_kernel();
  double *a, *b, *c;
  size_t i;
  int right;
  if (n % block != 0 || (kernel == NULL && strcmp(wanted, "fma") == 0)) {
    fprintf(stderr, "%s: n must be a multiple of %d, and fma needs AVX2 and FMA\n", argv[0], block);
    return 2;
  }
  if (expect) {
    const double cube = (double)n * (double)n * (double)n;
    const double l1_read = (kernel == NULL ? 16 : 3) * cube + 8 * cube / block;
    const struct expected_work work = {"dgemm_blocked", "f64",         1,
                                       2 * cube,        l1_read,       NO_CLOSED_FORM,
                                       NO_CLOSED_FORM,  NO_CLOSED_FORM};
    print_expected(work);
    return 0;
  }

  a = malloc(n * n * sizeof *a);
  b = calloc(n * n, sizeof *b);
  c = calloc(n * n, sizeof *c);
  if (a == NULL || b == NULL || c == NULL) return 1;
  for (i = 0; i < n * n; ++i) a[i] = (double)(i % 101);
  for (i = 0; i < n; ++i) b[i * n + (i + 1) % n] = 2.0;
  multiply(c, a, b, n, kernel != NULL ? kernel : portable_block);
  right = is_right(c, a, n);
  printf("%zu x %zu, %s kernel: %s\n", n, n, kernel != NULL ? "FMA" : "portable",
         right ? "right" : "WRONG");
  free(a);
  free(b);
  free(c);
  return right ? 0 : 1;
}
