/* Kernels between two marker instructions, for an oracle that steps through them natively: stepped
 * NAME. The region of the same name holds the markers and the kernel, nothing else that computes.
 */
#include <math.h>
#include <roofmark/roofmark.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE4_1__
#include <immintrin.h>
#endif

#define START __asm__ volatile("xchg %%bx, %%bx" ::: "memory")
#define STOP __asm__ volatile("xchg %%cx, %%cx" ::: "memory")
enum { n = 512 };
static double a[n], b[n], c[n];
static float fa[n], fb[n];
static long double la[n];

__attribute__((noinline)) static double triad(void) {
  for (int i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
  return a[7];
}
__attribute__((noinline)) static double roots(void) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += sqrt(b[i]) / (c[i] + 1.0);
  return s;
}
__attribute__((noinline)) static double floats(void) {
  for (int i = 0; i < n; ++i) fa[i] = fa[i] * fb[i] + (fb[i] > 1.0f ? fa[i] : fb[i]);
  return (double)fa[9];
}
__attribute__((noinline)) static double mathematics(void) {
  double s = 0;
  for (int i = 0; i < 64; ++i)
    s += exp(b[i] * 0.1) + sin(c[i]) + pow(b[i] + 1.0, 1.3) + (double)expf(fb[i]);
  return s;
}
__attribute__((noinline)) static double extended(void) {
  long double s = 0;
  for (int i = 0; i < n; ++i) s += la[i] * 1.5L / (la[i] + 1.0L) - sqrtl(la[i]);
  return (double)s;
}
__attribute__((noinline)) static double conversions(void) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (double)(int)(b[i] * 3.7) + (double)(float)c[i] + (b[i] < c[i] ? 1.0 : 2.0);
  return s;
}
#ifdef __SSE4_1__
__attribute__((noinline)) static double lanes(void) {
  __m128 s = _mm_setzero_ps();
  __m128d d = _mm_setzero_pd();
  for (int i = 0; i + 4 <= n; i += 4) {
    const __m128 x = _mm_loadu_ps(fa + i), y = _mm_loadu_ps(fb + i);
    s = _mm_add_ps(s, _mm_dp_ps(x, y, 0x71));
    s = _mm_hadd_ps(s, _mm_addsub_ps(x, y));
    s = _mm_max_ps(s, _mm_rcp_ps(_mm_add_ps(y, _mm_set1_ps(1))));
    d = _mm_hadd_pd(d, _mm_loadu_pd(b + i));
  }
  return (double)_mm_cvtss_f32(s) + _mm_cvtsd_f64(d);
}
#else
static double lanes(void) {
  return triad();
}
#endif

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    double (*run)(void);
  } kernels[] = {{"triad", triad},       {"roots", roots},
                 {"floats", floats},     {"mathematics", mathematics},
                 {"extended", extended}, {"conversions", conversions},
                 {"lanes", lanes}};
  for (int i = 0; i < n; ++i) {
    a[i] = b[i] = i % 17 * 0.25;
    c[i] = i % 13 * 0.5;
    fa[i] = (float)b[i];
    fb[i] = (float)c[i];
    la[i] = b[i];
  }
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k) {
    if (argc < 2 || strcmp(argv[1], kernels[k].name) != 0) continue;
    double result = kernels[k].run(); /* the dynamic linker binds what it calls */
    if (argc > 2) __asm__ volatile("int3");
    const roofmark_token token = roofmark_begin(kernels[k].name);
    START;
    result += kernels[k].run();
    STOP;
    roofmark_end(token);
    printf("%g\n", result);
    return 0;
  }
  return 2;
}
