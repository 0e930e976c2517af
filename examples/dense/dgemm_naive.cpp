// C = A * B as the textbook writes it: three loops, the innermost down a column of B.
//
//   usage: dgemm_naive [--expect] [n = 512]
//
// Closed forms:
//   FLOP    2 n^3
//   L1      16 n^3 read, 8 n^2 written
//   DRAM    8 n^3 + 16 n^2 read, where the last cache holds a column's n lines but not B (8 n^2
//           bytes): all of B comes by again for every row of C. At n = 512: a last cache of 1 MiB.
//           16 n^2 written where n is a multiple of 512, that is each line of C twice; between
//           8 n^2 and 16 n^2 elsewhere.
// Why twice: with rows of 4096 bytes, a column of B falls into one set of L1, and (all matrices
// starting at the same offset in a page) it is the set of the line of C that the column yields. So
// the line leaves L1 after each of its 8 stores but the last: then the columns move on to the next
// set, and the line stays in L1, dirty, until the next row. Meanwhile L2 and L3 throw out their
// copy with the first 7 elements: the first write. The last element follows a row later: the
// second. Caches that hold all of L1 write once: they call the line back from L1 when they throw it
// out. So does any cache if C starts 64 bytes further on.
// The algorithm needs only 32 n^2 bytes, and dgemm_blocked comes near.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <roofmark/roofmark.hpp>
#include <vector>

#include "../support/expect.h"

namespace {

void multiply(double* __restrict c, const double* __restrict a, const double* __restrict b,
              std::size_t n) {
  ROOFMARK_SCOPE("dgemm_naive");
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const std::size_t n = count_argument(argc, argv, 1, 512);
  const double square = static_cast<double>(n) * static_cast<double>(n),
               cube = square * static_cast<double>(n);
  if (expect) {
    print_expected({"dgemm_naive", "f64", 1, 2 * cube, 16 * cube, 8 * square,
                    8 * cube + 16 * square, n % 512 == 0 ? 16 * square : NO_CLOSED_FORM});
    return 0;
  }

  // B is a permutation of rows scaled by 2, so that the product is known exactly.
  std::vector<double> a(n * n), b(n * n, 0.0), c(n * n);
  for (std::size_t i = 0; i < n * n; ++i) a[i] = static_cast<double>(i % 101);
  for (std::size_t k = 0; k < n; ++k) b[k * n + (k + 1) % n] = 2.0;
  multiply(c.data(), a.data(), b.data(), n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      if (c[i * n + (k + 1) % n] != 2.0 * a[i * n + k]) {
        std::printf("wrong at row %zu\n", i);
        return 1;
      }
    }
  }
  std::printf("%zu x %zu: right\n", n, n);
  return 0;
}
