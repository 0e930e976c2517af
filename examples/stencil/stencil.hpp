// What the naive and the blocked 7-point stencil share: the grid, the closed forms, the program
// around the kernel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "../support/expect.h"

// A cube of n^3 points with a shell of one point around it, where the boundary values live.
struct Grid {
  std::size_t n;
  std::size_t row() const { return n + 2; }
  std::size_t plane() const { return row() * row(); }
  std::size_t points() const { return row() * plane(); }
  std::size_t at(std::size_t i, std::size_t j, std::size_t k) const {
    return i * plane() + j * row() + k;
  }
};

constexpr double centre_weight = 0.4, neighbour_weight = 0.1;

// 8 FLOP: 5 additions of the neighbours, 2 multiplies, 1 addition.
inline double relaxed(const double* p, std::size_t row, std::size_t plane) {
  const double neighbours = p[-1] + p[1] + *(p - row) + p[row] + *(p - plane) + p[plane];
  return centre_weight * p[0] + neighbour_weight * neighbours;
}

using Sweep = void (*)(double* out, const double* in, const Grid& grid);

// Runs `sweep` back and forth between two grids of ones: 0.4 + 6 * 0.1 = 1, so ones they must stay.
// `reads_once`: every value of the input comes from memory once in a sweep.
inline int run_stencil(int argc, char** argv, const char* region, Sweep sweep, bool reads_once) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const Grid grid{count_argument(argc, argv, 1, 160)};
  const std::size_t sweeps = count_argument(argc, argv, 2, 4);
  if (expect) {
    const double times = static_cast<double>(sweeps), n = static_cast<double>(grid.n);
    const double points = times * n * n * n;
    // Whole lines: the two boundary values at the ends of a row come and go with it.
    const double written = times * 8 * n * n * (n + 2);
    const double read = times * 8 * (n + 2) * (n + 2) * (n + 2) + written;
    print_expected({region, "f64", times, 8 * points, NO_CLOSED_FORM, 8 * points,
                    reads_once ? read : NO_CLOSED_FORM, written});
    return 0;
  }

  std::vector<double> now(grid.points(), 1.0), next(grid.points(), 1.0);
  for (std::size_t s = 0; s < sweeps; ++s) {
    sweep(next.data(), now.data(), grid);
    std::swap(now, next);
  }
  const double value = now[grid.at(grid.n / 2, grid.n / 2, grid.n / 2)];
  std::printf("centre %.12f (1 is right)\n", value);
  return value > 1.0 - 1e-9 && value < 1.0 + 1e-9 ? 0 : 1;
}
