// One product of matrices in four steps, for docs/tutorial.md: the same region, the same FLOPs,
// each step nearer the roof.
//
//   usage: multiply [--expect] [step = 1] [n = 1200]
//
//   1  the textbook: the innermost loop goes down a column of B
//   2  loops turned: it goes along rows of B and C
//   3  vectors and fused multiply-adds (AVX2 and FMA where the processor has them)
//   4  a block of C in registers, strips of A and B in the caches, all cores
//
// Closed form: 2 n^3 FLOP; in step 4 n^2 more for each strip of 240 beyond the first, which is
// added to C. n is a multiple of 24, so that blocks come out even.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <roofmark/roofmark.hpp>
#include <vector>

#include "../support/expect.h"

namespace {

struct Product {
  const double* a;
  const double* b;
  double* c;
  std::size_t n;
};

#if defined(__GNUC__) && !defined(__clang__)
#define SCALAR __attribute__((optimize("no-tree-vectorize")))
#else
#define SCALAR
#endif
// The build looks whether the processor has them: a program that asked it itself might run other
// instructions where it is emulated.
#ifdef MULTIPLY_AVX2
#define VECTORS __attribute__((target("avx2,fma")))
#else
#define VECTORS
#endif

SCALAR void down_columns(const Product& p) {
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < p.n; ++k) sum += p.a[i * p.n + k] * p.b[k * p.n + j];
      p.c[i * p.n + j] = sum;
    }
}

SCALAR void along_rows(const Product& p) {
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t k = 0; k < p.n; ++k) {
      const double factor = p.a[i * p.n + k];
      for (std::size_t j = 0; j < p.n; ++j) p.c[i * p.n + j] += factor * p.b[k * p.n + j];
    }
}

VECTORS void with_vectors(const Product& p) {
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t k = 0; k < p.n; ++k) {
      const double factor = p.a[i * p.n + k];
      const double* const b = p.b + k * p.n;
      double* const c = p.c + i * p.n;
#pragma omp simd
      for (std::size_t j = 0; j < p.n; ++j) c[j] += factor * b[j];
    }
}

/// Twelve vector registers of four hold a block of C. A panel of B is copied, so that each strip of
/// it lies in one piece: it stays in L2, the strip at hand and six rows of A in L1.
constexpr std::size_t block_rows = 6, block_columns = 8, strip_depth = 240, strips = 12;

struct Strip {
  double b[strip_depth][block_columns];
};

struct Panel {
  std::size_t k, depth, j, count;  ///< where it begins in B, and how many rows and strips it has
  Strip strip[strips];
};

void copy_panel(const Product& p, std::size_t k, std::size_t j, Panel& panel) {
  panel.k = k;
  panel.depth = std::min(strip_depth, p.n - k);
  panel.j = j;
  panel.count = std::min(strips, (p.n - j) / block_columns);
  for (std::size_t d = 0; d < panel.depth; ++d)
    for (std::size_t t = 0; t < panel.count; ++t)
      for (std::size_t s = 0; s < block_columns; ++s)
        panel.strip[t].b[d][s] = p.b[(k + d) * p.n + j + t * block_columns + s];
}

VECTORS void block(const Product& p, const Panel& panel, std::size_t t, std::size_t i) {
  double sum[block_rows][block_columns] = {};
  const Strip& strip = panel.strip[t];
  const double* const a = p.a + i * p.n + panel.k;
  for (std::size_t d = 0; d < panel.depth; ++d)
    for (std::size_t r = 0; r < block_rows; ++r) {
      const double factor = a[r * p.n + d];
#pragma omp simd
      for (std::size_t s = 0; s < block_columns; ++s) sum[r][s] += factor * strip.b[d][s];
    }
  for (std::size_t r = 0; r < block_rows; ++r) {
    double* const c = p.c + (i + r) * p.n + panel.j + t * block_columns;
    if (panel.k == 0)
      for (std::size_t s = 0; s < block_columns; ++s) c[s] = sum[r][s];
    else
      for (std::size_t s = 0; s < block_columns; ++s) c[s] += sum[r][s];
  }
}

void in_blocks(const Product& p) {
#pragma omp parallel
  {
    const auto panel = std::make_unique<Panel>();
    for (std::size_t k = 0; k < p.n; k += strip_depth)
      for (std::size_t j = 0; j < p.n; j += strips * block_columns) {
        copy_panel(p, k, j, *panel);
        // Each thread has rows of its own, so none waits for another.
#pragma omp for schedule(static) nowait
        for (std::size_t i = 0; i < p.n; i += block_rows)
          for (std::size_t t = 0; t < panel->count; ++t) block(p, *panel, t, i);
      }
  }
}

void multiply(std::size_t step, const Product& p) {
  ROOFMARK_SCOPE("multiply");
  if (step == 1)
    down_columns(p);
  else if (step == 2)
    along_rows(p);
  else if (step == 3)
    with_vectors(p);
  else
    in_blocks(p);
}

}  // namespace

int main(int argc, char** argv) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const std::size_t step = std::clamp<std::size_t>(count_argument(argc, argv, 1, 1), 1, 4);
  const std::size_t n = std::max<std::size_t>(count_argument(argc, argv, 2, 1200) / 24, 1) * 24;
  const double square = static_cast<double>(n) * static_cast<double>(n),
               cube = square * static_cast<double>(n);
  if (expect) {
    const double depth_strips = static_cast<double>((n + strip_depth - 1) / strip_depth);
    const double added = step == 4 ? (depth_strips - 1) * square : 0;
    print_expected({"multiply", "f64", 1, 2 * cube + added, NO_CLOSED_FORM, NO_CLOSED_FORM,
                    NO_CLOSED_FORM, NO_CLOSED_FORM});
    return 0;
  }
  // B is a permutation of rows scaled by 2, so that the product is known exactly.
  std::vector<double> a(n * n), b(n * n, 0.0), c(n * n, 0.0);
  for (std::size_t i = 0; i < n * n; ++i) a[i] = static_cast<double>(i % 101);
  for (std::size_t k = 0; k < n; ++k) b[k * n + (k + 1) % n] = 2.0;
  multiply(step, {a.data(), b.data(), c.data(), n});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      if (c[i * n + (k + 1) % n] != 2.0 * a[i * n + k]) {
        std::printf("wrong at row %zu\n", i);
        return 1;
      }
  std::printf("step %zu, %zu x %zu: right\n", step, n, n);
  return 0;
}
