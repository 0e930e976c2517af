/* Functions with the names of a BLAS, which check that a call has come as it was made: ILP64
 * integers and Fortran's hidden lengths, whatever stands between. Each answers through its last
 * array: 1 where all was right. */
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

enum { far_over_32_bits = 3 };
static int is(int64_t n) {
  return n == ((int64_t)far_over_32_bits << 33) + 5;
}

/* As NumPy's wheels name theirs: ILP64. */
void scipy_cblas_dgemm64_(int64_t order, int64_t ta, int64_t tb, int64_t m, int64_t n, int64_t k,
                          double alpha, const double* a, int64_t lda, const double* b, int64_t ldb,
                          double beta, double* c, int64_t ldc);
void scipy_cblas_dgemm64_(int64_t order, int64_t ta, int64_t tb, int64_t m, int64_t n, int64_t k,
                          double alpha, const double* a, int64_t lda, const double* b, int64_t ldb,
                          double beta, double* c, int64_t ldc) {
  (void)a, (void)b;
  *c = order == 101 && ta == 111 && tb == 112 && m == 1 && n == 2 && is(k) && alpha == 1.5 &&
       lda == 3 && is(ldb) && beta == 0.5 && ldc == 7;
}

/* ILP64 under the plain name, as Debian's libblas64 and MKL have it. */
void cblas_dgemv(int64_t order, int64_t trans, int64_t m, int64_t n, double alpha, const double* a,
                 int64_t lda, const double* x, int64_t incx, double beta, double* y, int64_t incy);
void cblas_dgemv(int64_t order, int64_t trans, int64_t m, int64_t n, double alpha, const double* a,
                 int64_t lda, const double* x, int64_t incx, double beta, double* y, int64_t incy) {
  (void)a, (void)x;
  *y = order == 102 && trans == 111 && m == 4 && is(n) && alpha == 2 && is(lda) && incx == 1 &&
       beta == 0 && is(incy);
}

/* Fortran: the lengths of the characters come last. */
void dsymm_(const char* side, const char* uplo, const int* m, const int* n, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta,
            double* c, const int* ldc, size_t side_length, size_t uplo_length);
void dsymm_(const char* side, const char* uplo, const int* m, const int* n, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta,
            double* c, const int* ldc, size_t side_length, size_t uplo_length) {
  (void)a, (void)b, (void)lda, (void)ldb, (void)ldc;
  *c = *side == 'L' && *uplo == 'U' && *m == 10 && *n == 20 && *alpha == 1 && *beta == 0 &&
       side_length == 4 && uplo_length == 5;
}

/* Leaves as an error handler does that jumps. */
jmp_buf* fake_blas_jump;
double dasum_(const int* n, const double* x, const int* incx);
double dasum_(const int* n, const double* x, const int* incx) {
  (void)x, (void)incx;
  if (*n < 0) longjmp(*fake_blas_jump, 1);
  return *n;
}
