/* Calls of LAPACKE; how many of them went wrong is the exit status. */
#include <stdint.h>
#include <stdio.h>

int LAPACKE_dgetrf(int, int, int, double*, int, int*);
int LAPACKE_dgetrf_work(int, int, int, double*, int, int*);
int LAPACKE_dgesvd(int, char, char, int, int, double*, int, double*, double*, int, double*, int,
                   double*);
int LAPACKE_zheev_work(int, char, char, int, double*, int, double*, double*, int, double*);
int64_t LAPACKE_dpotrf64_(int, char, int64_t, double*, int64_t);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);

int main(void) {
  double a[600], s[30], superb = 0, rwork = 0;
  int pivots[20], m = 20, n = 10, info = 0;
  int wrong = LAPACKE_dgetrf(101, 20, 10, a, 10, pivots) != 0;
  wrong += LAPACKE_dgetrf_work(101, 20, 10, a, 10, pivots) != 0;
  dgetrf_(&m, &n, a, &m, pivots, &info);
  wrong += info != 0;
  wrong += LAPACKE_dgesvd(102, 'N', 'N', 30, 20, a, 30, s, 0, 1, 0, 2, &superb) != 0 || superb != 4;
  wrong += LAPACKE_zheev_work(102, 'V', 'U', 10, a, 10, s, s, -1, &rwork) != 0;
  wrong += LAPACKE_zheev_work(102, 'V', 'U', 10, a, 10, s, s, 99, &rwork) != 0 || rwork != 5;
  const int64_t far = ((int64_t)3 << 33) + 5;
  wrong += LAPACKE_dpotrf64_(102, 'L', far, a, far) != 0;
  printf("%d wrong\n", wrong);
  return wrong;
}
