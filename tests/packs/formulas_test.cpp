// The formulas of the packs against algorithms that count what they do.
#include "libprofiler/target/attach/packs/formulas.h"

#include <analysis/record/packs.hpp>
#include <cmath>

#include "catch.hpp"

namespace {

struct Operations {
  double muls = 0, adds = 0;  // divisions and square roots are among the products, as in LAWN 41
};

/// Elements of a band matrix, one by one.
double counted_band(int m, int n, int kl, int ku) {
  double count = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      if (i - j <= kl && j - i <= ku) ++count;
  return count;
}

Operations counted_potrf(int n) {
  Operations done;
  for (int j = 0; j < n; ++j) {
    done.muls += j + 1;  // the diagonal: squares and the root
    done.adds += j;
    for (int i = j + 1; i < n; ++i) {
      done.muls += j + 1;  // products and the division
      done.adds += j;
    }
  }
  return done;
}

/// With the reciprocal of each pivot, as LAWN 41 has it.
Operations counted_getrf(int m, int n) {
  Operations done;
  for (int k = 0; k < std::min(m, n); ++k) {
    done.muls += 1 + (m - k - 1);
    done.muls += double(m - k - 1) * (n - k - 1);
    done.adds += double(m - k - 1) * (n - k - 1);
  }
  return done;
}

}  // namespace

TEST_CASE("Packs: elements of a band matrix") {
  for (const int m : {1, 5, 9})
    for (const int n : {1, 5, 9})
      for (const int k : {0, 2, 8, 20}) {
        CAPTURE(m, n, k);
        // The closed form holds where the band reaches the last row and column.
        if (m != n) continue;
        REQUIRE(band(m, n, k, 0) == counted_band(m, n, k, 0));
        REQUIRE(band(m, n, k, 3) == counted_band(m, n, k, 3));
        REQUIRE(band(m, n, 1, k) == counted_band(m, n, 1, k));
      }
  REQUIRE(band(0, 0, 2, 2) == 0);
}

TEST_CASE("Packs: Cholesky and LU as LAWN 41 counts them") {
  for (const int n : {0, 1, 2, 7, 40}) {
    CAPTURE(n);
    REQUIRE(potrf_muls(n) == Approx(counted_potrf(n).muls));
    REQUIRE(potrf_adds(n) == Approx(counted_potrf(n).adds));
  }
  // Its lower terms count a reciprocal more or less: the same to one operation a column.
  for (const int m : {1, 2, 7, 40})
    for (const int n : {1, 2, 7, 40}) {
      CAPTURE(m, n);
      const Operations counted = counted_getrf(m, n);
      REQUIRE(getrf_adds(m, n) == Approx(counted.adds).margin(1e-9));
      // Of wide matrices it counts the scaling of rows, where LAPACK scales columns.
      REQUIRE(getrf_muls(m, n) == Approx(counted.muls).margin(m >= n ? n : m * (n - m) + m));
    }
}

TEST_CASE("Packs: QR and least squares have the leading terms of Golub and Van Loan") {
  const double m = 4000, n = 1000;
  REQUIRE(geqrf_muls(m, n) + geqrf_adds(m, n) == Approx(2 * n * n * (m - n / 3)).epsilon(0.001));
  REQUIRE(geqrf_muls(n, m) + geqrf_adds(n, m) == Approx(2 * n * n * (m - n / 3)).epsilon(0.005));
  const double sides = 10;
  REQUIRE(gels_muls(m, n, sides) - geqrf_muls(m, n) + gels_adds(m, n, sides) - geqrf_adds(m, n) ==
          Approx(sides * (4 * m * n - 2 * n * n + n * n)));
  REQUIRE(svd_flop(m, n, 0) == svd_flop(n, m, 0));
}

TEST_CASE("Packs: the transforms of a plan") {
  REQUIRE(half(6) == 8);
  REQUIRE(half(7) == 8);
  const int sizes[] = {4, 6};
  REQUIRE(array(2, sizes, 5).points == 24);
  REQUIRE(array(2, sizes, 5).howmany == 5);
  REQUIRE(array(2, sizes, 5).last == 6);
  REQUIRE(box(4, 1, 1).last == 4);
  REQUIRE(box(4, 6, 1).last == 6);
  REQUIRE(box(4, 6, 8).points == 192);
  const int dims[] = {4, 100, 100, 6, 1, 1}, many[] = {7, 1, 1};
  const std::int64_t wide[] = {4, 100, 100, 6, 1, 1}, wide_many[] = {7, 1, 1};
  for (const transforms& t : {dims32(2, dims, 1, many), dims64(2, wide, 1, wide_many)}) {
    REQUIRE(t.points == 24);
    REQUIRE(t.last == 6);
    REQUIRE(t.howmany == 7);
  }
}

TEST_CASE("Packs: a logarithm without libm") {
  for (const double number : {1.0, 2.0, 3.0, 1000.0, 1024.0, 123456789.0})
    REQUIRE(log2_of(number) == Approx(std::log2(number)));
  REQUIRE(log2_of(0) == 0);
}

TEST_CASE("Packs: what --packs may say") {
  using roofmark::pack_choice;
  REQUIRE(pack_choice("none")->names.empty());
  REQUIRE(pack_choice("auto")->names == std::vector<std::string>{"blas", "lapack", "fftw"});
  REQUIRE_FALSE(pack_choice("auto")->asked);
  REQUIRE(pack_choice("fftw,blas,fftw")->names == std::vector<std::string>{"fftw", "blas"});
  for (const char* wrong : {"", "blas,", "mpi", "BLAS", "blas lapack"}) {
    CAPTURE(wrong);
    const auto choice = pack_choice(wrong);
    REQUIRE_FALSE(choice);
    REQUIRE_FALSE(choice.error().remedy.empty());
  }
}

TEST_CASE("Packs: one that was asked for and is not there is missed, the others are not") {
  roofmark::InstallPaths install;
  install.lib = "/nowhere";
  REQUIRE(
      roofmark::find_packs(install, *roofmark::pack_choice("auto"), {"/bin/true"}).missing.empty());
  const auto packs = roofmark::find_packs(install, *roofmark::pack_choice("blas"), {"/bin/true"});
  REQUIRE(packs.libraries.empty());
  REQUIRE(packs.missing.size() == 1);
  REQUIRE(roofmark::preload_text("/r.so", {"/a.so", "/b.so"}) == "/r.so:/a.so:/b.so");
}
