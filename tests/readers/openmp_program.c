/* Parallel regions of OpenMP, as compilers make them: a plain one, loops of each schedule,
 * sections, a nested one. */
#include <roofmark/roofmark.h>
#include <stdio.h>

enum { n = 3000 };
static double a[n];

static void plain(void) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = a[i] * 2 + 1;
  }
}
static void dynamic(void) {
#pragma omp parallel for schedule(dynamic, 10)
  for (int i = 0; i < n; ++i) a[i] = a[i] * 2 + 1;
}
static void guided(void) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; ++i) a[i] = a[i] * 2 + 1;
}
static void at_run_time(void) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; ++i) a[i] = a[i] * 2 + 1;
}
static void sections(void) {
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < n; ++i) a[i] = a[i] * 2 + 1;
#pragma omp section
    a[0] = 1;
  }
}
static double sum(void) {
  double total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; ++i) total += a[i];
  return total;
}

int main(void) {
  ROOFMARK_BEGIN("solve");
  for (int i = 0; i < 2; ++i) plain();
  ROOFMARK_END("solve");
  dynamic();
  guided();
  at_run_time();
  sections();
  printf("%.0f\n", sum() > 0 ? 1.0 : 0.0);
  return 0;
}
