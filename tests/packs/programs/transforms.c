/* FFTW in both precisions, planned and executed more than once. */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  enum { n = 1024, m = 48 };
  fftw_complex* const a = fftw_malloc(sizeof(fftw_complex) * n);
  fftw_complex* const b = fftw_malloc(sizeof(fftw_complex) * n);
  double wrong = 0;
  const fftw_plan forth = fftw_plan_dft_1d(n, a, b, FFTW_FORWARD, FFTW_ESTIMATE);
  const fftw_plan back = fftw_plan_dft_1d(n, b, a, FFTW_BACKWARD, FFTW_ESTIMATE);
  for (int i = 0; i < n; ++i) a[i][0] = i, a[i][1] = -i;
  for (int step = 0; step < 3; ++step) {
    fftw_execute(forth);
    fftw_execute(back);
    for (int i = 0; i < n; ++i) a[i][0] /= n, a[i][1] /= n;
  }
  for (int i = 0; i < n; ++i) wrong += fabs(a[i][0] - i) + fabs(a[i][1] + i);
  fftw_destroy_plan(forth);
  fftw_destroy_plan(back);

  float* const x = fftwf_malloc(sizeof(float) * m * m);
  fftwf_complex* const y = fftwf_malloc(sizeof(fftwf_complex) * m * (m / 2 + 1));
  const fftwf_plan real = fftwf_plan_dft_r2c_2d(m, m, x, y, FFTW_ESTIMATE);
  for (int i = 0; i < m * m; ++i) x[i] = 1;
  fftwf_execute_dft_r2c(real, x, y);
  wrong += fabs(y[0][0] - m * m);
  fftwf_destroy_plan(real);
  printf("%s\n", wrong < 1e-6 ? "right" : "wrong");
  return !(wrong < 1e-6);
}
