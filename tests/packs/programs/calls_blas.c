/* Calls of BLAS and LAPACK by their Fortran names, without the hidden lengths, as most C programs
 * do it, and by CBLAS. Sizes by the arguments: calls_blas N. */
#include <cblas.h>
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
double ddot_(const int*, const double*, const int*, const double*, const int*);
double _Complex zdotc_(const int*, const double _Complex*, const int*, const double _Complex*,
                       const int*);
float _Complex cdotu_(const int*, const float _Complex*, const int*, const float _Complex*,
                      const int*);
float sasum_(const int*, const float*, const int*);
int idamax_(const int*, const double*, const int*);
void dgesv_(const int*, const int*, double*, const int*, int*, double*, const int*, int*);
void dsyev_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*,
            int*);

static int failures;
static void check(const char* what, int right) {
  if (right) return;
  fprintf(stderr, "wrong: %s\n", what);
  ++failures;
}

static double* matrix(int n) {
  double* a = malloc(sizeof(double) * (size_t)n * (size_t)n);
  for (int i = 0; i < n * n; ++i) a[i] = 1.0 / (1 + (i * 7) % 13);
  for (int i = 0; i < n; ++i) a[i * n + i] += n;
  return a;
}

int main(int count, char** arguments) {
  const int n = count > 1 ? atoi(arguments[1]) : 64, one_step = 1, one_side = 1;
  const double one = 1, zero = 0;
  double *a = matrix(n), *b = matrix(n), *c = malloc(sizeof(double) * (size_t)n * (size_t)n),
         *d = malloc(sizeof(double) * (size_t)n * (size_t)n);

  dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, d, n);
  check("both ways to dgemm", memcmp(c, d, sizeof(double) * (size_t)n * (size_t)n) == 0);
  double entry = 0;
  for (int k = 0; k < n; ++k) entry += a[k * n] * b[k];
  check("an entry of dgemm", entry - c[0] < 1e-9 * entry && c[0] - entry < 1e-9 * entry);

  double x[3] = {1, 2, -4}, y[3] = {2, 3, 4};
  const int three = 3;
  check("ddot", ddot_(&three, x, &one_step, y, &one_step) == -8 && cblas_ddot(3, x, 1, y, 1) == -8);
  check("idamax", idamax_(&three, x, &one_step) == 3 && cblas_idamax(3, x, 1) == 2);
  const float f[3] = {1, -2, 4};
  check("sasum", sasum_(&three, f, &one_step) == 7);
  const double _Complex u[2] = {1 + 2 * I, 3 - I};
  const float _Complex v[2] = {1 + 2 * I, 3 - I};
  const int two = 2;
  check("zdotc", zdotc_(&two, u, &one_step, u, &one_step) == 15);
  check("cdotu", cdotu_(&two, v, &one_step, v, &one_step) == 5 - 2 * I);
  double _Complex sum = 0;
  cblas_zdotu_sub(2, u, 1, u, 1, &sum);
  check("cblas_zdotu_sub", sum == 5 - 2 * I);
  cblas_zdscal(2, 2, c, 1);

  int* pivots = malloc(sizeof(int) * (size_t)n);
  int info = -1;
  memcpy(c, a, sizeof(double) * (size_t)n * (size_t)n);
  dgesv_(&n, &one_side, c, &n, pivots, b, &n, &info);
  check("dgesv", info == 0);
  const int ask = -1;
  double wanted = 0;
  dsyev_("V", "U", &n, a, &n, d, &wanted, &ask, &info);
  const int size = (int)wanted;
  double* work = malloc(sizeof(double) * (size_t)size);
  dsyev_("V", "U", &n, a, &n, d, work, &size, &info);
  check("dsyev", info == 0 && size > n);
  printf("%d wrong\n", failures);
  return failures != 0;
}
