/* Calls of known sizes, of every level and type: what was counted of them is held against the
 * formulas. blas_work N */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

typedef float _Complex c32;
typedef double _Complex c64;

#define ROUTINES(T, letter)                                                                      \
  void letter##gemm_(const char*, const char*, const int*, const int*, const int*, const T*,     \
                     const T*, const int*, const T*, const int*, const T*, T*, const int*);      \
  void letter##gemv_(const char*, const int*, const int*, const T*, const T*, const int*,        \
                     const T*, const int*, const T*, T*, const int*);                            \
  void letter##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, \
                     const T*, const T*, const int*, T*, const int*);                            \
  void letter##syrk_(const char*, const char*, const int*, const int*, const T*, const T*,       \
                     const int*, const T*, T*, const int*);                                      \
  void letter##trmm_(const char*, const char*, const char*, const char*, const int*, const int*, \
                     const T*, const T*, const int*, T*, const int*);                            \
  void letter##axpy_(const int*, const T*, const T*, const int*, T*, const int*);                \
  void letter##potrf_(const char*, const int*, T*, const int*, int*);                            \
  void letter##getrf_(const int*, const int*, T*, const int*, int*, int*);                       \
  static int work_##letter(int n) {                                                              \
    const int one = 1, half = n / 2;                                                             \
    const T alpha = 2, zero = 0;                                                                 \
    const size_t size = (size_t)n * (size_t)n;                                                   \
    T *a = calloc(size, sizeof(T)), *b = calloc(size, sizeof(T)), *c = calloc(size, sizeof(T));  \
    int info = 0, *pivots = calloc((size_t)n, sizeof(int));                                      \
    if (a == 0 || b == 0 || c == 0 || pivots == 0) return 1;                                     \
    for (size_t i = 0; i < size; ++i) {                                                          \
      a[i] = b[i] = (T)(1 / (1. + (double)(i % 17)));                                            \
      if (i % ((size_t)n + 1) == 0) a[i] = (T)(2. * n);                                          \
    }                                                                                            \
    letter##gemm_("N", "T", &n, &half, &n, &alpha, a, &n, b, &n, &zero, c, &n);                  \
    letter##gemv_("N", &n, &n, &alpha, a, &n, b, &one, &alpha, c, &one);                         \
    letter##trsm_("L", "U", "N", "N", &n, &half, &alpha, a, &n, b, &n);                          \
    letter##syrk_("U", "N", &n, &half, &alpha, a, &n, &zero, c, &n);                             \
    letter##trmm_("R", "L", "N", "N", &half, &n, &alpha, a, &n, b, &n);                          \
    letter##axpy_(&n, &alpha, a, &one, b, &one);                                                 \
    for (int j = 0; j < n; ++j)                                                                  \
      for (int i = 0; i < j; ++i) a[i + (size_t)j * (size_t)n] = a[j + (size_t)i * (size_t)n];   \
    for (size_t i = 0; i < size; ++i) c[i] = a[i];                                               \
    letter##potrf_("L", &n, a, &n, &info);                                                       \
    if (info != 0) return 1;                                                                     \
    letter##getrf_(&n, &n, c, &n, pivots, &info);                                                \
    return info != 0;                                                                            \
  }
ROUTINES(float, s)
ROUTINES(double, d)
ROUTINES(c32, c)
ROUTINES(c64, z)

int main(int count, char** arguments) {
  const int n = count > 1 ? atoi(arguments[1]) : 256;
  const int wrong = work_s(n) + work_d(n) + work_c(n) + work_z(n);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
