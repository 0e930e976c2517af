/* A program that uses a BLAS where there is one. */
#include <stdio.h>

double dasum_(const int*, const double*, const int*) __attribute__((weak));

int main(void) {
  const int n = 1;
  const double x = 2;
  puts(&dasum_ != NULL ? "there" : "not there");
  fflush(stdout);
  if (&dasum_ != NULL) printf("%g\n", dasum_(&n, &x, &n));
  return 0;
}
