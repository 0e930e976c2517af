/* Three kernels in every rank, one after the other: a matrix product by BLAS, a transform by FFTW,
 * STREAM's triad. Nobody annotated the first two: they are regions as they are. Usage: kernels N */
#include <fftw3.h> /* first: its numbers are pairs where <complex.h> was not seen */

#include <cblas.h>
#include <mpi.h>
#include <roofmark/roofmark.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? atoi(argv[1]) : 256;
  const size_t elements = (size_t)n * (size_t)n;
  double* const a = malloc(elements * sizeof *a);
  double* const b = malloc(elements * sizeof *b);
  double* const c = malloc(elements * sizeof *c);
  fftw_complex* const x = fftw_malloc(elements * sizeof *x);
  if (a == NULL || b == NULL || c == NULL || x == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  fftw_plan plan = fftw_plan_dft_2d(n, n, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
  for (size_t i = 0; i < elements; ++i) {
    a[i] = b[i] = (double)(i % 7);
    c[i] = 0;
    x[i][0] = (double)(i % 5);
    x[i][1] = 0;
  }
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
  fftw_execute(plan);
  ROOFMARK_BEGIN("triad");
  for (size_t i = 0; i < elements; ++i) a[i] = b[i] + 0.5 * c[i];
  ROOFMARK_END("triad");
  double mine = a[elements - 1] + x[0][0], all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  fftw_destroy_plan(plan);
  MPI_Finalize();
  return all > 0 ? 0 : 3;
}
