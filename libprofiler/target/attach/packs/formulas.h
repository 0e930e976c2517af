/* What the formulas of packs.json have in common. Sizes are doubles: products of three of them
 * leave no integer. LAWN 41: LAPACK Working Note 41, appendix C, which counts multiplications and
 * additions apart; its divisions and square roots are among the multiplications. */
#pragma once

#include <stdint.h>

#define FORMULA __attribute__((unused, always_inline)) static inline

FORMULA double larger(double a, double b) {
  return a > b ? a : b;
}
FORMULA double smaller(double a, double b) {
  return a < b ? a : b;
}

/* Elements of an m by n band matrix with kl diagonals below the main one and ku above. */
FORMULA double band(double m, double n, double kl, double ku) {
  const double below = larger(m - 1 - kl, 0), above = larger(n - 1 - ku, 0);
  return larger(m * n - below * (below + 1) / 2 - above * (above + 1) / 2, 0);
}

/* LAWN 41: xGETRF, whose two cases are one under exchange of m and n. */
FORMULA double getrf_muls(double m, double n) {
  const double p = larger(m, n), q = smaller(m, n);
  return p * q * q / 2 - q * q * q / 6 + p * q / 2 - q * q / 2 + 2 * q / 3;
}
FORMULA double getrf_adds(double m, double n) {
  const double p = larger(m, n), q = smaller(m, n);
  return p * q * q / 2 - q * q * q / 6 - p * q / 2 + q / 6;
}

/* LAWN 41: xPOTRF. */
FORMULA double potrf_muls(double n) {
  return n * n * n / 6 + n * n / 2 + n / 3;
}
FORMULA double potrf_adds(double n) {
  return n * n * n / 6 - n / 6;
}

/* LAWN 41: xGEQRF. */
FORMULA double geqrf_muls(double m, double n) {
  return m >= n ? n * (n * (0.5 - n / 3 + m) + m + 23.0 / 6)
                : m * (m * (-0.5 - m / 3 + n) + 2 * n + 23.0 / 6);
}
FORMULA double geqrf_adds(double m, double n) {
  return m >= n ? n * (n * (0.5 - n / 3 + m) + 5.0 / 6)
                : m * (m * (-0.5 - m / 3 + n) + n + 5.0 / 6);
}

/* xGELS: the factorization, then Q' B (LAWN 41: xORMQR, leading term) and a triangular solution. */
FORMULA double gels_rest(double m, double n, double right_sides) {
  const double p = larger(m, n), q = smaller(m, n);
  return right_sides * (q * (2 * p - q) + q * q / 2);
}
FORMULA double gels_muls(double m, double n, double right_sides) {
  return geqrf_muls(larger(m, n), smaller(m, n)) + gels_rest(m, n, right_sides);
}
FORMULA double gels_adds(double m, double n, double right_sides) {
  return geqrf_adds(larger(m, n), smaller(m, n)) + gels_rest(m, n, right_sides);
}

/* Golub and Van Loan's count of the singular value decomposition by Golub and Reinsch: values
 * alone, or with the vectors of the smaller side. */
FORMULA double svd_flop(double m, double n, int vectors) {
  const double p = larger(m, n), q = smaller(m, n);
  return vectors ? 14 * p * q * q + 8 * q * q * q : 4 * p * q * q - 4 * q * q * q / 3;
}

/* Reals of n/2 + 1 complex numbers, which is what a real transform of n gives. */
FORMULA double half(double n) {
  return 2 * ((double)(int64_t)(n / 2) + 1);
}

/* Equal transforms of one plan. */
struct transforms {
  double howmany, points, last; /* last: the size of the innermost dimension */
};

FORMULA struct transforms box(double n0, double n1, double n2) {
  const struct transforms t = {1, n0 * n1 * n2, n2 != 1 ? n2 : n1 != 1 ? n1 : n0};
  return t;
}
FORMULA struct transforms array(int rank, const void* sizes, double howmany) {
  const int* const n = (const int*)sizes;
  struct transforms t = {howmany, 1, 1};
  for (int i = 0; i < rank; ++i) t.points *= t.last = n[i];
  return t;
}
/* FFTW's iodim: a size and two strides, each an int or a ptrdiff_t. */
FORMULA struct transforms dims32(int rank, const void* dims, int howmany_rank,
                                 const void* howmany_dims) {
  struct transforms t = {1, 1, 1};
  for (int i = 0; i < rank; ++i) t.points *= t.last = ((const int*)dims)[3 * i];
  for (int i = 0; i < howmany_rank; ++i) t.howmany *= ((const int*)howmany_dims)[3 * i];
  return t;
}
FORMULA struct transforms dims64(int rank, const void* dims, int howmany_rank,
                                 const void* howmany_dims) {
  struct transforms t = {1, 1, 1};
  for (int i = 0; i < rank; ++i) t.points *= t.last = (double)((const int64_t*)dims)[3 * i];
  for (int i = 0; i < howmany_rank; ++i) t.howmany *= (double)((const int64_t*)howmany_dims)[3 * i];
  return t;
}

/* Without libm, which the target may not have: 40 digits. */
FORMULA double log2_of(double number) {
  double log = 0, bit = 1;
  if (!(number >= 1)) return 0;
  while (number >= 2) number /= 2, ++log;
  for (int i = 0; i < 40; ++i) {
    number *= number;
    bit /= 2;
    if (number >= 2) number /= 2, log += bit;
  }
  return log;
}
