/* C = A B by the system's BLAS: blas N. 2 N^3 FLOPs, and a little for edges. */
#include <roofmark/roofmark.h>
#include <stdio.h>
#include <stdlib.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100;
  const size_t size = (size_t)n * (size_t)n * sizeof(double);
  double *a = malloc(size), *b = malloc(size), *c = malloc(size);
  for (int i = 0; i < n * n; ++i) {
    a[i] = i % 13;
    b[i] = i % 7;
    c[i] = 0;
  }
  const double one = 1, zero = 0;
  ROOFMARK_BEGIN("dgemm");
  dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
  ROOFMARK_END("dgemm");
  printf("%.17g\n", c[n + 1]);
  return 0;
}
