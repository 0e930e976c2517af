/* The dot product of two vectors, in C.
 *
 *   usage: dot [--expect] [n = 4194304] [repetitions = 10]
 *
 * Closed forms for n elements and one repetition:
 *   FLOP    2 n       one multiply, one add
 *   L1      16 n read
 *   DRAM    16 n read, where the two vectors are much more than the last cache holds
 * Intensity 2 / 16 = 0.125 FLOP/byte. In portable code each addition waits for the one before it,
 * so that a core whose memory is fast enough is bound by the latency of its adder instead. */
#include <roofmark/roofmark.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "../support/expect.h"

static double dot(const double* x, const double* y, size_t n) {
  double sum = 0;
  size_t i;
  ROOFMARK_BEGIN("dot");
  /* In signed whole numbers: arithmetic of doubles would itself be counted as this region's work.
   */
  ROOFMARK_DECLARE((double)(2 * (ptrdiff_t)n), (double)(16 * (ptrdiff_t)n));
  for (i = 0; i < n; ++i) sum += x[i] * y[i];
  ROOFMARK_END("dot");
  return sum;
}

int main(int argc, char** argv) {
  const int expect = take_expect(&argc, &argv);
  const size_t n = count_argument(argc, argv, 1, 4194304);
  const size_t repetitions = count_argument(argc, argv, 2, 10);
  const double elements = (double)n * (double)repetitions;
  double *x, *y, sum = 0;
  size_t i;
  if (expect) {
    const struct expected_work work = {"dot",         "f64", (double)repetitions, 2 * elements,
                                       16 * elements, 0,     16 * elements,       0};
    print_expected(work);
    return 0;
  }

  x = malloc(n * sizeof *x);
  y = malloc(n * sizeof *y);
  if (x == NULL || y == NULL) return 1;
  for (i = 0; i < n; ++i) {
    x[i] = 1.0;
    y[i] = 0.5;
  }
  for (i = 0; i < repetitions; ++i) sum += dot(x, y, n);
  printf("sum = %g (%g is right)\n", sum, 0.5 * elements);
  free(x);
  free(y);
  return sum == 0.5 * elements ? 0 : 1;
}
