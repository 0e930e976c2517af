// a = b + s * c, the kernel that memory bandwidth is usually quoted by.
//
//   usage: triad [--expect] [n = 4194304] [repetitions = 10]
//
// Closed forms for n elements and one repetition:
//   FLOP    2 n       one multiply, one add
//   L1      16 n read (24 n where the compiler fetches s for every element), 8 n written
//   DRAM    24 n read (b, c, and a for its write-allocate), 8 n written,
//           where the 24 n bytes of the arrays are much more than the last cache holds
// Intensity at DRAM: 2 / 32 = 0.0625 FLOP/byte, on the memory side of every machine.
#include <cstddef>
#include <cstdio>
#include <roofmark/roofmark.hpp>
#include <vector>

#include "../support/expect.h"

namespace {

void triad(double* __restrict a, const double* __restrict b, const double* __restrict c, double s,
           std::size_t n) {
  ROOFMARK_SCOPE_AS(scope, "triad");
  // In signed whole numbers: arithmetic of doubles would itself be counted as this region's work.
  const auto elements = static_cast<std::ptrdiff_t>(n);
  scope.declare(roofmark::Flop{static_cast<double>(2 * elements)},
                roofmark::Bytes{static_cast<double>(32 * elements)});
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

}  // namespace

int main(int argc, char** argv) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const std::size_t n = count_argument(argc, argv, 1, 4'194'304);
  const std::size_t repetitions = count_argument(argc, argv, 2, 10);
  if (expect) {
    const double elements = static_cast<double>(n) * static_cast<double>(repetitions);
    print_expected({"triad", "f64", static_cast<double>(repetitions), 2 * elements, NO_CLOSED_FORM,
                    8 * elements, 24 * elements, 8 * elements});
    return 0;
  }

  std::vector<double> a(n, 0.0), b(n, 1.0), c(n, 2.0);
  for (std::size_t r = 0; r < repetitions; ++r) triad(a.data(), b.data(), c.data(), 0.5, n);
  std::printf("a[0] = %g (2 is right)\n", a[0]);
  return a[0] == 2.0 ? 0 : 1;
}
