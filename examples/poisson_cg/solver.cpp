#include "solver.hpp"

#include <cmath>
#include <roofmark/roofmark.hpp>

Solution solve(const Matrix& a, const Vector& b, double tolerance, unsigned limit) {
  ROOFMARK_SCOPE("solve");
  const std::size_t n = a.rows();
  Solution solution{Vector(n, 0.0)};
  Vector r = b, z(n), p(n), ap(n);

  const double b_norm = std::sqrt(dot(b, b));
  precondition(a, r, z);
  p = z;
  double rz = dot(r, z);
  while (solution.iterations < limit && solution.relative_residual > tolerance) {
    ROOFMARK_SCOPE("iteration");
    spmv(a, p, ap);
    const double alpha = rz / dot(p, ap);
    axpy(alpha, p, solution.x);
    axpy(-alpha, ap, r);
    solution.relative_residual = std::sqrt(dot(r, r)) / b_norm;
    precondition(a, r, z);
    const double rz_next = dot(r, z);
    xpby(z, rz_next / rz, p);
    rz = rz_next;
    ++solution.iterations;
  }
  return solution;
}
