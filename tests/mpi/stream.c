// STREAM's triad in every rank, all at the same time. Usage: stream [ELEMENTS [REPETITIONS]]
#include <mpi.h>
#include <roofmark/roofmark.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long n = argc > 1 ? atol(argv[1]) : 4000000;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 5;
  double* const a = malloc((size_t)n * sizeof *a);
  double* const b = malloc((size_t)n * sizeof *b);
  double* const c = malloc((size_t)n * sizeof *c);
  if (a == NULL || b == NULL || c == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  for (long i = 0; i < n; ++i) {
    a[i] = 0;
    b[i] = c[i] = (double)i;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  ROOFMARK_BEGIN("triad");
  for (int r = 0; r < repetitions; ++r)
    for (long i = 0; i < n; ++i) a[i] = b[i] + 0.5 * c[i];
  ROOFMARK_END("triad");
  MPI_Barrier(MPI_COMM_WORLD);
  const int good = a[n - 1] == 1.5 * (double)(n - 1);
  free(a);
  free(b);
  free(c);
  MPI_Finalize();
  return good ? 0 : 3;
}
