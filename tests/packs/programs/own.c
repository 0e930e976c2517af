/* A program with a function of its own that has the name of one of BLAS. */
#include <stdio.h>

void dgemm_(void);
void dgemm_(void) {
  puts("my own");
}

int main(void) {
  dgemm_();
  return 0;
}
