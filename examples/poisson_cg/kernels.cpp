#include "kernels.hpp"

#include <algorithm>
#include <roofmark/roofmark.hpp>

double dot(const Vector& x, const Vector& y) {
  ROOFMARK_SCOPE("dot");
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

void axpy(double alpha, const Vector& x, Vector& y) {
  ROOFMARK_SCOPE("axpy");
  const double* __restrict in = x.data();
  double* __restrict out = y.data();
  const std::size_t n = y.size();
  for (std::size_t i = 0; i < n; ++i) out[i] += alpha * in[i];
}

void xpby(const Vector& x, double beta, Vector& y) {
  ROOFMARK_SCOPE("xpby");
  const double* __restrict in = x.data();
  double* __restrict out = y.data();
  const std::size_t n = y.size();
  for (std::size_t i = 0; i < n; ++i) out[i] = in[i] + beta * out[i];
}

void spmv(const Matrix& a, const Vector& x, Vector& y) {
  ROOFMARK_SCOPE("spmv");
  const std::uint32_t* column = a.column.data();
  const double* value = a.value.data();
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const std::uint32_t end = a.row_begin[i + 1];
    double sum = 0;
    for (std::uint32_t e = a.row_begin[i]; e < end; ++e) sum += value[e] * x[column[e]];
    y[i] = sum;
  }
}

namespace {

// Solves row i for z[i] with what the other unknowns are now: 2 FLOP an entry and 3 more.
void relax_row(const Matrix& a, const Vector& r, Vector& z, std::size_t i) {
  const std::uint32_t end = a.row_begin[i + 1];
  double residual = r[i];
  for (std::uint32_t e = a.row_begin[i]; e < end; ++e) residual -= a.value[e] * z[a.column[e]];
  z[i] = (residual + a.diagonal[i] * z[i]) / a.diagonal[i];
}

}  // namespace

void precondition(const Matrix& a, const Vector& r, Vector& z) {
  ROOFMARK_SCOPE("precondition");
  std::fill(z.begin(), z.end(), 0.0);
  {
    ROOFMARK_SCOPE("forward");
    for (std::size_t i = 0; i < a.rows(); ++i) relax_row(a, r, z, i);
  }
  {
    ROOFMARK_SCOPE("backward");
    for (std::size_t i = a.rows(); i-- > 0;) relax_row(a, r, z, i);
  }
}
