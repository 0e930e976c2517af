// Sparse matrix times vector in compressed sparse rows: a fixed number of entries in every row.
//
//   usage: spmv_csr [--expect] [rows = 200000] [entries in a row = 16] [repetitions = 5]
//
// Closed forms for r rows and nnz entries, one repetition:
//   FLOP    2 nnz
//   L1      20 nnz + 4 r read (value 8, column 4, x 8; the row's end 4), 8 r written
//   DRAM    12 nnz + 20 r read (matrix; row ends, x and y's write-allocate), 8 r written,
//           where the matrix is much larger than the last cache and x stays in it; else more
// Intensity at DRAM: below 2 / 12 = 0.17 FLOP/byte.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <roofmark/roofmark.hpp>
#include <vector>

#include "../support/expect.h"

namespace {

struct CsrMatrix {
  std::vector<std::uint32_t> row_end;  // row i ends before entry row_end[i + 1]; row_end[0] is 0
  std::vector<std::uint32_t> column;
  std::vector<double> value;
};

CsrMatrix banded(std::size_t rows, std::size_t entries) {
  CsrMatrix matrix;
  matrix.row_end.push_back(0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t e = 0; e < entries; ++e) {
      matrix.column.push_back(static_cast<std::uint32_t>((i + e * e * 7) % rows));
      matrix.value.push_back(1.0 / static_cast<double>(entries));
    }
    matrix.row_end.push_back(static_cast<std::uint32_t>(matrix.column.size()));
  }
  return matrix;
}

void spmv(double* __restrict y, const CsrMatrix& matrix, const double* __restrict x) {
  ROOFMARK_SCOPE_AS(scope, "spmv");
  const std::uint32_t* column = matrix.column.data();
  const double* value = matrix.value.data();
  const std::size_t rows = matrix.row_end.size() - 1;
  const auto nnz = static_cast<std::ptrdiff_t>(matrix.value.size());
  scope.declare(
      roofmark::Flop{static_cast<double>(2 * nnz)},
      roofmark::Bytes{static_cast<double>(12 * nnz + 28 * static_cast<std::ptrdiff_t>(rows))});

  std::uint32_t entry = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint32_t end = matrix.row_end[i + 1];
    double sum = 0;
    for (; entry < end; ++entry) sum += value[entry] * x[column[entry]];
    y[i] = sum;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const std::size_t rows = count_argument(argc, argv, 1, 200'000);
  const std::size_t entries = count_argument(argc, argv, 2, 16);
  const std::size_t repetitions = count_argument(argc, argv, 3, 5);
  if (expect) {
    const double times = static_cast<double>(repetitions), r = static_cast<double>(rows),
                 nnz = r * static_cast<double>(entries);
    print_expected({"spmv", "f64", times, times * 2 * nnz, times * (20 * nnz + 4 * r),
                    times * 8 * r, NO_CLOSED_FORM, NO_CLOSED_FORM});
    return 0;
  }

  const CsrMatrix matrix = banded(rows, entries);
  std::vector<double> x(rows, 1.0), y(rows);
  for (std::size_t r = 0; r < repetitions; ++r) spmv(y.data(), matrix, x.data());
  std::printf("y[0] = %.12f (1 is right)\n", y[0]);
  return y[0] > 1.0 - 1e-9 && y[0] < 1.0 + 1e-9 ? 0 : 1;
}
