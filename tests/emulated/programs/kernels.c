/* Kernels whose FLOPs and bytes have a closed form: kernels NAME N [REPETITIONS]. Each runs in a
 * region that bears its name. Compiled several times with different vector sets. */
#include <math.h>
#include <roofmark/roofmark.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double* array(size_t n, double seed) {
  double* a = aligned_alloc(64, (n * sizeof *a + 63) & ~(size_t)63);
  for (size_t i = 0; i < n; ++i) a[i] = seed + (double)(i & 7);
  return a;
}

__attribute__((noinline)) static void triad(double* restrict a, const double* restrict b,
                                            const double* restrict c, double s, size_t n) {
  for (size_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

__attribute__((noinline)) static double dot(const double* a, const double* b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

__attribute__((noinline)) static void dgemm(const double* a, const double* b, double* restrict c,
                                            size_t n) {
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

__attribute__((noinline)) static void stencil(const double* restrict in, double* restrict out,
                                              size_t n) {
  for (size_t z = 1; z + 1 < n; ++z)
    for (size_t y = 1; y + 1 < n; ++y)
      for (size_t x = 1; x + 1 < n; ++x) {
        const size_t i = (z * n + y) * n + x;
        out[i] = (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n]) -
                 6.0 * in[i];
      }
}

/* 3 sub, 6 squares and sums, 1 add, 1 sqrt, 1 div, 3 mul of mass and cube, 6 accumulate */
__attribute__((noinline)) static void nbody(const float* p, float* restrict f, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    float fx = 0, fy = 0, fz = 0;
    for (size_t j = 0; j < n; ++j) {
      const float dx = p[4 * j] - p[4 * i], dy = p[4 * j + 1] - p[4 * i + 1],
                  dz = p[4 * j + 2] - p[4 * i + 2];
      const float r2 = ((dx * dx + dy * dy) + dz * dz) + 0.01f;
      const float inverse = 1.0f / sqrtf(r2);
      const float s = p[4 * j + 3] * (inverse * inverse) * inverse;
      fx += dx * s;
      fy += dy * s;
      fz += dz * s;
    }
    f[3 * i] = fx;
    f[3 * i + 1] = fy;
    f[3 * i + 2] = fz;
  }
}

__attribute__((noinline)) static long double x87(size_t n) {
  long double s = 1;
  for (size_t i = 0; i < n; ++i) s = (s * 1.000001L + 0.5L) / 1.5L;
  return s;
}

__attribute__((noinline)) static double sqrt_div(const double* a, double* restrict b, size_t n) {
  for (size_t i = 0; i < n; ++i) b[i] = sqrt(a[i]) / (a[i] + 3.0);
  return b[n / 2];
}

__attribute__((noinline)) static double sum(const double* a, size_t n) {
  double s = 0;
  for (size_t i = 0; i < n; ++i) s += a[i];
  return s;
}

__attribute__((noinline)) static void increment(double* a, size_t n) {
  for (size_t i = 0; i < n; ++i) a[i] += 1.0;
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "triad";
  const size_t n = argc > 2 ? strtoul(argv[2], 0, 10) : 1000;
  const int repetitions = argc > 3 ? atoi(argv[3]) : 1;
  volatile double sink = 0;
  if (!strcmp(name, "triad")) {
    double *a = array(n, 0), *b = array(n, 1), *c = array(n, 2);
    for (int r = 0; r < repetitions; ++r) {
      ROOFMARK_BEGIN("triad");
      triad(a, b, c, 3.0, n);
      ROOFMARK_END("triad");
    }
    sink = a[n / 2];
  } else if (!strcmp(name, "dot")) {
    double *a = array(n, 1), *b = array(n, 2);
    ROOFMARK_BEGIN("dot");
    sink = dot(a, b, n);
    ROOFMARK_END("dot");
  } else if (!strcmp(name, "dgemm")) {
    double *a = array(n * n, 1), *b = array(n * n, 2), *c = array(n * n, 0);
    ROOFMARK_BEGIN("dgemm");
    dgemm(a, b, c, n);
    ROOFMARK_END("dgemm");
    sink = c[n];
  } else if (!strcmp(name, "stencil")) {
    double *a = array(n * n * n, 1), *b = array(n * n * n, 0);
    ROOFMARK_BEGIN("stencil");
    stencil(a, b, n);
    ROOFMARK_END("stencil");
    sink = b[n];
  } else if (!strcmp(name, "nbody")) {
    float *p = aligned_alloc(64, 16 * n), *f = aligned_alloc(64, 64 * n);
    for (size_t i = 0; i < 4 * n; ++i) p[i] = (float)(i % 17) * 0.25f;
    ROOFMARK_BEGIN("nbody");
    nbody(p, f, n);
    ROOFMARK_END("nbody");
    sink = f[0];
  } else if (!strcmp(name, "x87")) {
    ROOFMARK_BEGIN("x87");
    sink = (double)x87(n);
    ROOFMARK_END("x87");
  } else if (!strcmp(name, "sqrt_div")) {
    double *a = array(n, 1), *b = array(n, 0);
    ROOFMARK_BEGIN("sqrt_div");
    sink = sqrt_div(a, b, n);
    ROOFMARK_END("sqrt_div");
  } else if (!strcmp(name, "copy")) { /* libc's memcpy, with what it takes for large blocks */
    double *a = array(n, 1), *b = array(n, 0);
    ROOFMARK_BEGIN("copy");
    memcpy(b, a, n * sizeof *a);
    ROOFMARK_END("copy");
    sink = b[n / 2];
  } else if (!strcmp(name, "ownership")) { /* `writer` dirties 400 KB, `reader` pushes them out */
    double *small = array(51200, 1), *large = array(n, 2);
    for (int r = 0; r < repetitions; ++r) {
      ROOFMARK_BEGIN("writer");
      increment(small, 51200);
      ROOFMARK_END("writer");
      ROOFMARK_BEGIN("reader");
      sink += sum(large, n);
      ROOFMARK_END("reader");
    }
  } else if (!strcmp(name, "last")) { /* dirties 400 KB, clean until then, and ends */
    double *small = array(51200, 1), *large = array(n, 2);
    sink = sum(large, n);
    ROOFMARK_BEGIN("last");
    increment(small, 51200);
    ROOFMARK_END("last");
  } else {
    fprintf(stderr, "kernels: no kernel %s\n", name);
    return 2;
  }
  return sink == 12345.678 ? 1 : 0;
}
