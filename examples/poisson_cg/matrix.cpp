#include "matrix.hpp"

#include <roofmark/roofmark.hpp>

namespace {

class Assembler {
 public:
  explicit Assembler(std::size_t n) : n_(n) {
    const std::size_t rows = n * n * n;
    matrix_.row_begin.reserve(rows + 1);
    matrix_.column.reserve(7 * rows);
    matrix_.value.reserve(7 * rows);
    matrix_.diagonal.assign(rows, 6.0);
    matrix_.row_begin.push_back(0);
  }

  void add_row(std::size_t i, std::size_t j, std::size_t k) {
    const std::size_t row = (i * n_ + j) * n_ + k;
    if (i > 0) add(row - n_ * n_, -1.0);
    if (j > 0) add(row - n_, -1.0);
    if (k > 0) add(row - 1, -1.0);
    add(row, 6.0);
    if (k + 1 < n_) add(row + 1, -1.0);
    if (j + 1 < n_) add(row + n_, -1.0);
    if (i + 1 < n_) add(row + n_ * n_, -1.0);
    matrix_.row_begin.push_back(static_cast<std::uint32_t>(matrix_.column.size()));
  }

  Matrix take() { return std::move(matrix_); }

 private:
  void add(std::size_t column, double value) {
    matrix_.column.push_back(static_cast<std::uint32_t>(column));
    matrix_.value.push_back(value);
  }

  std::size_t n_;
  Matrix matrix_;
};

}  // namespace

Matrix poisson(std::size_t n) {
  ROOFMARK_SCOPE("assemble");
  Assembler assembler{n};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) assembler.add_row(i, j, k);
    }
  }
  return assembler.take();
}
