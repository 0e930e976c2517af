// Each rank streams through arrays, does a share of work that grows with its rank, and meets the
// others. Usage: ranks [ELEMENTS [REPETITIONS]]
#include <mpi.h>
#include <roofmark/roofmark.h>
#include <stdio.h>
#include <stdlib.h>

static void triad(double* a, const double* b, const double* c, long n, double factor) {
  for (long i = 0; i < n; ++i) a[i] = b[i] + factor * c[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long n = argc > 1 ? atol(argv[1]) : 1000000;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 10;
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* const a = malloc((size_t)n * sizeof *a);
  double* const b = malloc((size_t)n * sizeof *b);
  double* const c = malloc((size_t)n * sizeof *c);
  if (a == NULL || b == NULL || c == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  for (long i = 0; i < n; ++i) a[i] = b[i] = c[i] = 1.0 / (double)(i + 1);

  ROOFMARK_BEGIN("solve");
  double sum = 0;
  for (int r = 0; r < repetitions; ++r) {
    ROOFMARK_BEGIN("triad");
    triad(a, b, c, n, 0.5);
    ROOFMARK_END("triad");
    ROOFMARK_BEGIN("uneven");
    for (int share = 0; share <= rank; ++share) triad(a, b, c, n, 0.25);
    ROOFMARK_END("uneven");
    ROOFMARK_BEGIN("exchange");
    double mine = a[r % n], all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum += all;
    ROOFMARK_END("exchange");
  }
  ROOFMARK_END("solve");
  if (rank == 0) printf("%d ranks: %.6g\n", size, sum);
  free(a);
  free(b);
  free(c);
  MPI_Finalize();
  return 0;
}
