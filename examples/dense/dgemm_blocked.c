/* C = A * B in blocks that stay in a cache, in C, with a portable kernel and one for AVX2 and FMA.
 *
 *   usage: dgemm_blocked [--expect] [n = 512] [fma | portable]     n: a multiple of 64
 *
 * Closed forms:
 *   FLOP    2 n^3, whichever kernel runs: a fused multiply-add is two
 *   L1      portable: 16 n^3 + 8 n^3 / 64 read (C is loaded once a block of k), 8 n^3 / 64 written
 *   DRAM    about 32 n^2 and 16 n^3 / 64 more where a panel of B does not fit in the last cache
 * The portable kernel does one multiply and one add at a time and is bound by its own scalar peak;
 * the FMA kernel keeps 16 sums in 4 x 2 registers of 4 doubles each and comes nearer to the core's.
 */
#include <roofmark/roofmark.h>
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
/* Four rows by eight columns at a time: eight sums of four lanes hide the latency of the FMA. */
__attribute__((target("avx2,fma"))) static void fma_block(double* restrict c,
                                                          const double* restrict a,
                                                          const double* restrict b, size_t n) {
  size_t i, j, k;
  int r;
  for (i = 0; i < block; i += 4) {
    for (j = 0; j < block; j += 8) {
      __m256d left[4], right[4];
      for (r = 0; r < 4; ++r) {
        left[r] = _mm256_loadu_pd(c + (i + (size_t)r) * n + j);
        right[r] = _mm256_loadu_pd(c + (i + (size_t)r) * n + j + 4);
      }
      for (k = 0; k < block; ++k) {
        const __m256d b_left = _mm256_loadu_pd(b + k * n + j);
        const __m256d b_right = _mm256_loadu_pd(b + k * n + j + 4);
        for (r = 0; r < 4; ++r) {
          const __m256d a_all = _mm256_broadcast_sd(a + (i + (size_t)r) * n + k);
          left[r] = _mm256_fmadd_pd(a_all, b_left, left[r]);
          right[r] = _mm256_fmadd_pd(a_all, b_right, right[r]);
        }
      }
      for (r = 0; r < 4; ++r) {
        _mm256_storeu_pd(c + (i + (size_t)r) * n + j, left[r]);
        _mm256_storeu_pd(c + (i + (size_t)r) * n + j + 4, right[r]);
      }
    }
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
  size_t i, j, k;
  ROOFMARK_BEGIN("dgemm_blocked");
  ROOFMARK_DECLARE(2.0 * (double)n * (double)n * (double)n, 32.0 * (double)n * (double)n);
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
    const double l1_read = kernel == NULL ? 16 * cube + 8 * cube / block : NO_CLOSED_FORM;
    const struct expected_work work = {"dgemm_blocked", "f64",         1,
                                       2 * cube,        l1_read,       8 * cube / block,
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
