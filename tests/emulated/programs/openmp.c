/* An OpenMP loop of 2 N FLOPs per visit: openmp N VISITS [inner]. With `inner` each worker opens a
 * region of its own. */
#include <omp.h>
#include <roofmark/roofmark.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const long n = argc > 1 ? atol(argv[1]) : 1000;
  const int visits = argc > 2 ? atoi(argv[2]) : 1;
  const int inner = argc > 3 && !strcmp(argv[3], "inner");
  double* a = malloc((size_t)n * sizeof *a);
  for (long i = 0; i < n; ++i) a[i] = (double)i;
  for (int v = 0; v < visits; ++v) {
    ROOFMARK_BEGIN("loop");
    if (inner) {
#pragma omp parallel
      {
        ROOFMARK_BEGIN("worker");
#pragma omp for
        for (long i = 0; i < n; ++i) a[i] = a[i] * 0.5 + 1.0;
        ROOFMARK_END("worker");
      }
    } else {
#pragma omp parallel for
      for (long i = 0; i < n; ++i) a[i] = a[i] * 0.5 + 1.0;
    }
    ROOFMARK_END("loop");
  }
  printf("%d threads, %g\n", omp_get_max_threads(), a[n / 2]);
  return 0;
}
