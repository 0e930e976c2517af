/* A program with a library that has thread-local variables of its own: OpenMP's. */
#include <stdio.h>

#include "library.h"

int main(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (int i = 0; i < 100; ++i) sum += add(i, 1);
  printf("%d\n", sum);
  return 0;
}
