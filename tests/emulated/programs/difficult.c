/* 100 additions in a region; what makes it difficult are its compiler flags. */
#include <roofmark/roofmark.h>

__attribute__((noinline)) static double sum(const double* a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i];
  return s;
}

int main(void) {
  double a[100];
  for (int i = 0; i < 100; ++i) a[i] = i;
  volatile double result = 0;
  ROOFMARK_BEGIN("sum");
  result = sum(a, 100);
  ROOFMARK_END("sum");
#ifdef DIFFICULT_AVX512
  ROOFMARK_BEGIN("wide");
  __asm__ volatile("vaddpd %%zmm0, %%zmm1, %%zmm2" ::: "memory");
  ROOFMARK_END("wide");
#endif
#ifdef DIFFICULT_LONG
  for (long i = 0; i < 100000000; ++i) result += 1.0;
#endif
  return result < 0;
}
