// OpenMP: a parallel loop whose workers open a region of their own, and one whose workers don't.
//
//   usage: omp_nested [--expect] [n = 1048576] [repetitions = 4]    threads: OMP_NUM_THREADS
//
// Closed forms for n elements and a repetition, whatever the number of threads t:
//   sweep/worker   2 n FLOP, t visits: a worker's region hangs below the region that is open
//                  where its team was started
//   sweep          the same 2 n: a region's inclusive work holds its descendants'
//   plain          2 n: workers without a region give their work to the region that uses them
// L1 16 n read and 8 n written, DRAM 24 n read and 8 n written, as triad.
#include <omp.h>

#include <cstddef>
#include <cstdio>
#include <roofmark/roofmark.hpp>
#include <vector>

#include "../support/expect.h"

namespace {

struct Vectors {
  std::vector<double> a, b, c;
};

void sweep(Vectors& v) {
  ROOFMARK_SCOPE("sweep");
  double* __restrict a = v.a.data();
  const double *b = v.b.data(), *c = v.c.data();
  const std::size_t n = v.a.size();
#pragma omp parallel
  {
    ROOFMARK_SCOPE("worker");
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + 0.5 * c[i];
  }
}

void plain(Vectors& v) {
  ROOFMARK_SCOPE("plain");
  double* __restrict a = v.a.data();
  const double *b = v.b.data(), *c = v.c.data();
  const std::size_t n = v.a.size();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + 0.5 * c[i];
}

}  // namespace

int main(int argc, char** argv) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const std::size_t n = count_argument(argc, argv, 1, 1'048'576);
  const std::size_t repetitions = count_argument(argc, argv, 2, 4);
  if (expect) {
    const double times = static_cast<double>(repetitions),
                 threads = static_cast<double>(omp_get_max_threads());
    const double elements = times * static_cast<double>(n);
    print_expected({"sweep", "f64", times, 2 * elements, NO_CLOSED_FORM, 8 * elements,
                    24 * elements, 8 * elements});
    print_expected({"sweep/worker", "f64", times * threads, 2 * elements, NO_CLOSED_FORM,
                    8 * elements, NO_CLOSED_FORM, NO_CLOSED_FORM});
    print_expected({"plain", "f64", times, 2 * elements, NO_CLOSED_FORM, 8 * elements,
                    24 * elements, 8 * elements});
    return 0;
  }

  Vectors v{std::vector<double>(n, 0.0), std::vector<double>(n, 1.0), std::vector<double>(n, 2.0)};
  for (std::size_t r = 0; r < repetitions; ++r) sweep(v);
  for (std::size_t r = 0; r < repetitions; ++r) plain(v);
  std::printf("a[0] = %g (2 is right), up to %d threads\n", v.a[0], omp_get_max_threads());
  return v.a[0] == 2.0 ? 0 : 1;
}
