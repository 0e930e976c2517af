// The 3-D Poisson equation on a cube, discretised with the 7-point stencil and held as compressed
// sparse rows, as a program would hold a matrix that came from somewhere less regular.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

struct Matrix {
  std::vector<std::uint32_t> row_begin;  // rows + 1 entries
  std::vector<std::uint32_t> column;     // ascending within a row
  std::vector<double> value;
  std::vector<double> diagonal;

  std::size_t rows() const { return diagonal.size(); }
  std::size_t nonzeros() const { return value.size(); }
};

// -laplace(u) on n^3 inner points, u = 0 on the boundary, scaled so that the diagonal is 6.
Matrix poisson(std::size_t n);

// Entries of poisson(n): 7 a point, less one for each of the 6 n^2 neighbours that are on the
// boundary.
constexpr double poisson_nonzeros(double n) {
  return 7 * n * n * n - 6 * n * n;
}
