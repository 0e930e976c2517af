/* Two LAPACKEs in one: what it calls `dgetrf_` by its name, as Debian's, and what it has bound
   inside. Each answers how well its arguments came: 0, all right. */
#include <stdint.h>

#define DECLARE(type, name, ...) \
  type name(__VA_ARGS__);        \
  type name(__VA_ARGS__)

static int is(int64_t n) {
  return n == ((int64_t)3 << 33) + 5;
}

DECLARE(void, dgetrf_, const int* m, const int* n, double* a, const int* lda, int* pivots,
        int* info) {
  (void)a, (void)pivots;
  *info = !(*m == 20 && *n == 10 && *lda == 20);
}

/* By the name: through whatever stands in front of it. */
DECLARE(int, LAPACKE_dgetrf_work, int layout, int m, int n, double* a, int lda, int* pivots) {
  int info = 0;
  if (layout != 101 || lda != 10) return -1;
  dgetrf_(&m, &n, a, &m, pivots, &info);
  return info;
}
DECLARE(int, LAPACKE_dgetrf, int layout, int m, int n, double* a, int lda, int* pivots) {
  return LAPACKE_dgetrf_work(layout, m, n, a, lda, pivots);
}

/* Bound inside. */
DECLARE(int, LAPACKE_dgesvd, int layout, char jobu, char jobvt, int m, int n, double* a, int lda,
        double* s, double* u, int ldu, double* vt, int ldvt, double* superb) {
  (void)a, (void)s, (void)u, (void)vt;
  *superb = 4;
  return !(layout == 102 && jobu == 'N' && jobvt == 'N' && m == 30 && n == 20 && lda == 30 &&
           ldu == 1 && ldvt == 2);
}
DECLARE(int, LAPACKE_zheev_work, int layout, char jobz, char uplo, int n, double* a, int lda,
        double* w, double* work, int lwork, double* rwork) {
  (void)a, (void)w, (void)work;
  *rwork = 5;
  return !(layout == 102 && jobz == 'V' && uplo == 'U' && n == 10 && lda == 10 &&
           (lwork == -1 || lwork == 99));
}
DECLARE(int64_t, LAPACKE_dpotrf64_, int layout, char uplo, int64_t n, double* a, int64_t lda) {
  (void)a;
  return !(layout == 102 && uplo == 'L' && is(n) && is(lda));
}
