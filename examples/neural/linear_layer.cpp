// A linear layer, y = x W, for a prompt of many tokens and for one token, with its weights in three
// precisions: what changes is how many bytes come from memory for the same arithmetic.
//
//   usage: linear_layer [--expect] [width = 2048] [tokens = 64] [steps = 4]
//
// Closed forms, with W of k = n = width and m tokens:
//   prefill f64, f32     2 m k n FLOP   every weight is used by all tokens while it is in a cache
//   prefill bf16         2 m k n FLOP   weights of 16 bits, widened by a shift; arithmetic in float
//   decode f64           2 k n FLOP     one token: every weight is used once
//   decode f32, bf16     2 k n FLOP     a step
// DRAM of a decode step: the weights, 8, 4 or 2 k n bytes, where they are not in a cache: 0.25, 0.5
// or 1 FLOP/byte. That is why weights are stored in few bits, and why requests are batched: m
// tokens have m times that intensity.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <roofmark/roofmark.hpp>
#include <string>
#include <vector>

#include "../support/expect.h"

namespace {

struct Shape {
  std::size_t width, tokens;
};

// The upper half of a float; what is cut off is rounded towards zero.
struct Bf16 {
  std::uint16_t bits;
};
double widened(double weight) {
  return weight;
}
float widened(float weight) {
  return weight;
}
float widened(Bf16 weight) {
  const std::uint32_t bits = static_cast<std::uint32_t>(weight.bits) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void set(double& weight, double value) {
  weight = value;
}
void set(float& weight, double value) {
  weight = static_cast<float>(value);
}
void set(Bf16& weight, double value) {
  const auto single = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &single, sizeof bits);
  weight.bits = static_cast<std::uint16_t>(bits >> 16);
}

// Rows of W stay in the innermost cache while all tokens use them.
template <class Real, class Weight>
void multiply(Real* __restrict y, const Real* __restrict x, const Weight* __restrict weights,
              Shape shape) {
  for (std::size_t p = 0; p < shape.width; ++p) {
    const Weight* row = weights + p * shape.width;
    for (std::size_t i = 0; i < shape.tokens; ++i) {
      const Real factor = x[i * shape.width + p];
      Real* out = y + i * shape.width;
      for (std::size_t j = 0; j < shape.width; ++j) out[j] += factor * widened(row[j]);
    }
  }
}

template <class Real, class Weight>
bool layer(const char* prefill, const char* decode, Shape shape, std::size_t steps) {
  const std::size_t width = shape.width;
  std::vector<Weight> weights(width * width);
  for (std::size_t i = 0; i < weights.size(); ++i)
    set(weights[i], static_cast<double>(i % 3) * 0.5 - 0.5);  // exact in all three
  std::vector<Real> x(shape.tokens * width, Real(1)), y(shape.tokens * width, Real(0));
  {
    const roofmark::Scope scope(prefill);
    multiply(y.data(), x.data(), weights.data(), shape);
  }
  std::vector<Real> one(width, Real(0));
  for (std::size_t s = 0; s < steps; ++s) {
    const roofmark::Scope scope(decode);
    multiply(one.data(), x.data(), weights.data(), {width, 1});
  }
  // Small whole multiples of 0.5: exact, in whatever order they are added.
  return std::fabs(static_cast<double>(one[width - 1]) -
                   static_cast<double>(y[width - 1]) * static_cast<double>(steps)) < 0.25;
}

}  // namespace

int main(int argc, char** argv) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const Shape shape{count_argument(argc, argv, 1, 2048), count_argument(argc, argv, 2, 64)};
  const std::size_t steps = count_argument(argc, argv, 3, 4);
  if (expect) {
    const double all = static_cast<double>(shape.width) * static_cast<double>(shape.width);
    const double m = static_cast<double>(shape.tokens), times = static_cast<double>(steps);
    const auto expected = [&](const char* name, const char* precision, double bytes) {
      const auto path = [name](const char* phase) { return std::string(phase) + name; };
      print_expected({path("prefill ").c_str(), precision, 1, 2 * m * all, NO_CLOSED_FORM,
                      NO_CLOSED_FORM, NO_CLOSED_FORM, NO_CLOSED_FORM});
      print_expected({path("decode ").c_str(), precision, times, 2 * all * times, NO_CLOSED_FORM,
                      NO_CLOSED_FORM, bytes * all * times, NO_CLOSED_FORM});
    };
    expected("f64", "f64", 8);
    expected("f32", "f32", 4);
    expected("bf16", "f32", 2);
    return 0;
  }
  const bool right = layer<double, double>("prefill f64", "decode f64", shape, steps) &&
                     layer<float, float>("prefill f32", "decode f32", shape, steps) &&
                     layer<float, Bf16>("prefill bf16", "decode bf16", shape, steps);
  std::puts(right ? "both phases agree" : "WRONG: the phases differ");
  return right ? 0 : 1;
}
