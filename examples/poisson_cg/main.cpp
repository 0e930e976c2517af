// Solves the Poisson equation on a cube with preconditioned conjugate gradients, and checks the
// answer against the one it was made from. The application that scripts/demo profiles.
//
//   usage: poisson_cg [--expect] [n = 64] [limit of iterations = 100]
//
// Regions, for r = n^3 rows, nnz = 7 n^3 - 6 n^2 entries and m iterations:
//   assemble, right_hand_side
//   solve
//     dot             2 r FLOP, twice
//     precondition    4 nnz + 6 r FLOP, once; its children forward and backward half each
//     iteration       m times:
//       spmv          2 nnz
//       dot           2 r, 3 times
//       axpy          2 r, twice
//       precondition  as above
//       xpby          2 r
#include <cmath>
#include <cstdio>
#include <roofmark/roofmark.hpp>

#include "../support/expect.h"
#include "solver.hpp"

namespace {

void print_closed_forms(double n, double m) {
  const double rows = n * n * n, nnz = poisson_nonzeros(n), sweep = 2 * nnz + 3 * rows;
  const auto region = [](const char* path, double visits, double flop) {
    print_expected({path, "f64", visits, flop, NO_CLOSED_FORM, NO_CLOSED_FORM, NO_CLOSED_FORM,
                    NO_CLOSED_FORM});
  };
  region("solve/dot", 2, 2 * 2 * rows);
  region("solve/precondition", 1, 2 * sweep);
  region("solve/iteration/spmv", m, m * 2 * nnz);
  region("solve/iteration/dot", 3 * m, m * 3 * 2 * rows);
  region("solve/iteration/axpy", 2 * m, m * 2 * 2 * rows);
  region("solve/iteration/xpby", m, m * 2 * rows);
  region("solve/iteration/precondition", m, m * 2 * sweep);
  region("solve/iteration/precondition/forward", m, m * sweep);
  region("solve/iteration/precondition/backward", m, m * sweep);
}

// A solution with all frequencies in it; any would do.
Vector known_solution(std::size_t rows) {
  Vector x(rows);
  for (std::size_t i = 0; i < rows; ++i) x[i] = 1.0 + 0.5 * std::sin(static_cast<double>(i % 1009));
  return x;
}

double largest_difference(const Vector& a, const Vector& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::fmax(largest, std::fabs(a[i] - b[i]));
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const std::size_t n = count_argument(argc, argv, 1, 64);
  const unsigned limit = static_cast<unsigned>(count_argument(argc, argv, 2, 100));

  const Matrix a = poisson(n);
  const Vector exact = known_solution(a.rows());
  Vector b(a.rows());
  {
    ROOFMARK_SCOPE("right_hand_side");
    spmv(a, exact, b);
  }
  const Solution solution = solve(a, b, 1e-8, limit);
  if (expect) {
    // The number of iterations is the one thing that only a solve can tell.
    print_closed_forms(static_cast<double>(n), solution.iterations);
    return 0;
  }
  const double error = largest_difference(solution.x, exact);
  std::printf("%zu unknowns, %u iterations, residual %.1e, error %.1e\n", a.rows(),
              solution.iterations, solution.relative_residual, error);
  return solution.relative_residual <= 1e-8 || solution.iterations == limit ? 0 : 1;
}
