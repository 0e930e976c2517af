/* Regions before, in and after the one that takes the time: phases N. Each visit does 2 N FLOPs. */
#include <roofmark/roofmark.h>
#include <stdio.h>
#include <stdlib.h>

static double* a;

__attribute__((noinline)) static double dot(size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += a[i] * 3.0;
  return sum;
}

int main(int argc, char** argv) {
  const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
  double sum = 0;
  a = calloc(n, sizeof *a);
  if (a == NULL) return 1;
  ROOFMARK_BEGIN("setup");
  sum += dot(n);
  ROOFMARK_END("setup");
  ROOFMARK_BEGIN("solve");
  ROOFMARK_BEGIN("prepare");
  sum += dot(n);
  ROOFMARK_END("prepare");
  for (int i = 0; i < 3; ++i) {
    ROOFMARK_BEGIN("h\xc3\xb6/t\n");
    sum += dot(n);
    ROOFMARK_END("h\xc3\xb6/t\n");
  }
  ROOFMARK_END("solve");
  for (int i = 0; i < 2; ++i) {
    ROOFMARK_BEGIN("setup");
    sum += dot(n);
    ROOFMARK_END("setup");
  }
  ROOFMARK_BEGIN("report");
  sum += dot(n);
  ROOFMARK_END("report");
  printf("%g\n", sum);
  return 0;
}
