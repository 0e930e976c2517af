// A 7-point stencil over a cube, swept in memory order.
//
//   usage: stencil_naive [--expect] [n = 160] [sweeps = 4]
//
// Closed forms of a sweep over n^3 points:
//   FLOP    8 n^3
//   L1      56 n^3 read (7 values a point), or 40 n^3 where the compiler keeps the neighbours of a
//           row in registers; 8 n^3 written
//   DRAM    16 n^3 read (the input once, the output's write-allocate) where three planes,
//           24 n^2 bytes, fit in the last cache; 32 n^3 where not even two do, since each plane
//           is then read as the one above, here and below. 8 n^3 written.
#include <roofmark/roofmark.hpp>

#include "stencil.hpp"

namespace {

void sweep(double* __restrict out, const double* __restrict in, const Grid& grid) {
  ROOFMARK_SCOPE("stencil_naive");
  const std::size_t row = grid.row(), plane = grid.plane();
  for (std::size_t i = 1; i <= grid.n; ++i) {
    for (std::size_t j = 1; j <= grid.n; ++j) {
      for (std::size_t k = 1; k <= grid.n; ++k) {
        const std::size_t p = grid.at(i, j, k);
        out[p] = relaxed(in + p, row, plane);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_stencil(argc, argv, "stencil_naive", sweep, true);
}
