// A radix-2 fast Fourier transform, in place, of complex doubles.
//
//   usage: fft [--expect] [log2n = 18] [repetitions = 4]
//
// Closed forms for n = 2^log2n points, one repetition:
//   butterflies  5 n log2n FLOP: n/2 log2n butterflies of a complex multiply (6) and two complex
//                additions (4); L1 24 n log2n read (two points and a twiddle factor of 16 bytes
//                each), 16 n log2n written
//   reorder      0 FLOP: it only moves, and is placed by bytes per second
// Each of the log2n sweeps passes over 16 n bytes: bound by memory once no cache holds them.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numbers>
#include <roofmark/roofmark.hpp>
#include <utility>
#include <vector>

#include "../support/expect.h"

namespace {

struct Complex {
  double re, im;
};

std::vector<Complex> twiddle_factors(std::size_t n) {
  std::vector<Complex> factors(n / 2);
  for (std::size_t k = 0; k < n / 2; ++k) {
    const double angle = -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    factors[k] = {std::cos(angle), std::sin(angle)};
  }
  return factors;
}

void reorder(std::vector<Complex>& x) {
  ROOFMARK_SCOPE("reorder");
  const std::size_t n = x.size();
  for (std::size_t i = 1, reversed = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (reversed & bit) != 0; bit >>= 1) reversed ^= bit;
    reversed |= bit;
    if (i < reversed) std::swap(x[i], x[reversed]);
  }
}

void butterflies(std::vector<Complex>& x, const std::vector<Complex>& factors) {
  ROOFMARK_SCOPE("butterflies");
  const std::size_t n = x.size();
  for (std::size_t half = 1; half < n; half *= 2) {
    const std::size_t stride = n / (2 * half);
    for (std::size_t block = 0; block < n; block += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const Complex w = factors[k * stride];
        const Complex even = x[block + k], odd = x[block + k + half];
        const Complex turned{w.re * odd.re - w.im * odd.im, w.re * odd.im + w.im * odd.re};
        x[block + k] = {even.re + turned.re, even.im + turned.im};
        x[block + k + half] = {even.re - turned.re, even.im - turned.im};
      }
    }
  }
}

void transform(std::vector<Complex>& x, const std::vector<Complex>& factors) {
  ROOFMARK_SCOPE("fft");
  reorder(x);
  butterflies(x, factors);
}

}  // namespace

int main(int argc, char** argv) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const std::size_t log2n = count_argument(argc, argv, 1, 18);
  const std::size_t repetitions = count_argument(argc, argv, 2, 4);
  const std::size_t n = std::size_t{1} << log2n;
  if (expect) {
    const double times = static_cast<double>(repetitions);
    const double points = times * static_cast<double>(n) * static_cast<double>(log2n);
    print_expected({"fft/butterflies", "f64", times, 5 * points, 24 * points, 16 * points,
                    NO_CLOSED_FORM, NO_CLOSED_FORM});
    print_expected({"fft/reorder", "f64", times, 0, NO_CLOSED_FORM, NO_CLOSED_FORM, NO_CLOSED_FORM,
                    NO_CLOSED_FORM});
    return 0;
  }

  const std::vector<Complex> factors = twiddle_factors(n);
  bool right = true;
  for (std::size_t r = 0; r < repetitions; ++r) {
    // A pure tone of frequency f: all of it must land in one point of the spectrum.
    const std::size_t f = (r + 3) % n;
    std::vector<Complex> x(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double angle =
          2.0 * std::numbers::pi * static_cast<double>((f * i) % n) / static_cast<double>(n);
      x[i] = {std::cos(angle), std::sin(angle)};
    }
    transform(x, factors);
    right = right && std::fabs(x[f].re / static_cast<double>(n) - 1.0) < 1e-9;
  }
  std::printf("spectrum %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
