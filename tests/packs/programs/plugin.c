/* A module of an interpreter: it needs a BLAS of its own, which nobody else sees. */
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

void scipy_cblas_dgemm64_(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, double,
                          const double*, int64_t, const double*, int64_t, double, double*, int64_t);
void cblas_dgemv(int64_t, int64_t, int64_t, int64_t, double, const double*, int64_t, const double*,
                 int64_t, double, double*, int64_t);
void dsymm_(const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*, size_t,
            size_t);
double dasum_(const int*, const double*, const int*);
extern jmp_buf* fake_blas_jump;

int plugin_call(void);
int plugin_call(void) {
  const int64_t large = ((int64_t)3 << 33) + 5;
  double right[3] = {0, 0, 0};
  scipy_cblas_dgemm64_(101, 111, 112, 1, 2, large, 1.5, 0, 3, 0, large, 0.5, &right[0], 7);
  cblas_dgemv(102, 111, 4, large, 2, 0, large, 0, 1, 0, &right[1], large);
  const int m = 10, n = 20;
  const double one = 1, zero = 0;
  dsymm_("Left", "Upper", &m, &n, &one, 0, &m, 0, &m, &zero, &right[2], &m, 4, 5);
  return (right[0] == 1) + (right[1] == 1) * 2 + (right[2] == 1) * 4;
}

/* A call that is left by a jump, and one after it. */
int plugin_jump(void);
int plugin_jump(void) {
  jmp_buf back;
  fake_blas_jump = &back;
  const int step = 1;
  const double x = 0;
  volatile int n = -1;
  if (setjmp(back) != 0) n = 3;
  const int count = n;
  return dasum_(&count, &x, &step) == 3;
}
