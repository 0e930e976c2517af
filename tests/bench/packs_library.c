/* What packs_bench calls: functions that do nothing, by a name that a pack wraps and by one that
 * none does. */
#include <stddef.h>

#define DDOT(name)                                                                                \
  double name(const int*, const double*, const int*, const double*, const int*);                  \
  double name(const int* n, const double* x, const int* incx, const double* y, const int* incy) { \
    (void)n, (void)incx, (void)incy, (void)y;                                                     \
    return *x;                                                                                    \
  }
DDOT(ddot_)
DDOT(packs_bench_ddot)

#define DGEMM(name)                                                                                \
  void name(const char*, const char*, const int*, const int*, const int*, const double*,           \
            const double*, const int*, const double*, const int*, const double*, double*,          \
            const int*, size_t, size_t);                                                           \
  void name(const char* ta, const char* tb, const int* m, const int* n, const int* k,              \
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb, \
            const double* beta, double* c, const int* ldc, size_t la, size_t lb) {                 \
    (void)ta, (void)tb, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b,       \
        (void)ldb;                                                                                 \
    (void)beta, (void)ldc, (void)la, (void)lb;                                                     \
    *c = 1;                                                                                        \
  }
DGEMM(dgemm_)
DGEMM(packs_bench_dgemm)
