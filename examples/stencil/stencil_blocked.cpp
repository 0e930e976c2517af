// The same stencil in strips of rows: three planes of a strip fit in L2 where three whole planes
// don't, so that a plane is still there when it is needed as the one above and the one below.
// The rows stay whole, for the prefetcher's sake.
//
//   usage: stencil_blocked [--expect] [n = 160] [sweeps = 4]
//
// Closed forms of a sweep: FLOP, L1 and DRAM writes as stencil_naive.
//   DRAM    (16 + 16 / 16) n^3 read where a strip's planes fit in the last cache: the input once,
//           the two rows at the edges of each strip of 16 a second time, and the write-allocate
#include <algorithm>
#include <roofmark/roofmark.hpp>

#include "stencil.hpp"

namespace {

constexpr std::size_t strip_rows = 16;

void sweep(double* __restrict out, const double* __restrict in, const Grid& grid) {
  ROOFMARK_SCOPE("stencil_blocked");
  const std::size_t row = grid.row(), plane = grid.plane();
  for (std::size_t first = 1; first <= grid.n; first += strip_rows) {
    const std::size_t last = std::min(first + strip_rows - 1, grid.n);
    for (std::size_t i = 1; i <= grid.n; ++i) {
      for (std::size_t j = first; j <= last; ++j) {
        for (std::size_t k = 1; k <= grid.n; ++k) {
          const std::size_t p = grid.at(i, j, k);
          out[p] = relaxed(in + p, row, plane);
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_stencil(argc, argv, "stencil_blocked", sweep, false);
}
