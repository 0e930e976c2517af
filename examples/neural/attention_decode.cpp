// One step of attention while a language model writes a token: the new query against all cached
// keys and values, in float.
//
//   usage: attention_decode [--expect] [cached tokens = 4096] [heads = 16] [steps = 2]
//
// Closed forms of a step, with h heads of size d = 64 and t cached tokens:
//   scores   (2 d + 1) h t FLOP   a dot product with each key, one scaling
//   softmax  17 h t FLOP          maximum, exponential (14), sum and scaling; each head has one
//                                 maximum less, and one division
//   mix      2 d h t FLOP         the values, weighted
// DRAM: 4 d h t read by scores and by mix, where keys and values are not in a cache.
// Two FLOP for four bytes: 0.5 FLOP/byte. Decoding is bound by memory on every machine, which is
// why serving systems work on several requests at a time, or keep a smaller cache.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <roofmark/roofmark.hpp>
#include <vector>

#include "../support/expect.h"
#include "softmax.hpp"

namespace {

constexpr std::size_t head_size = 64;

struct Shape {
  std::size_t tokens, heads;
};

void score(float* __restrict scores, const float* __restrict query, const float* __restrict keys,
           Shape shape) {
  ROOFMARK_SCOPE_AS(scope, "scores");
  const auto scores_made = static_cast<std::ptrdiff_t>(shape.heads * shape.tokens);
  const std::ptrdiff_t keys_read = scores_made * static_cast<std::ptrdiff_t>(head_size);
  scope.declare(roofmark::Flop{static_cast<double>(2 * keys_read + scores_made)},
                roofmark::Bytes{static_cast<double>(4 * keys_read)});
  const float scale = 0.125f;  // 1 / sqrt(head_size)
  for (std::size_t h = 0; h < shape.heads; ++h) {
    const float* q = query + h * head_size;
    for (std::size_t t = 0; t < shape.tokens; ++t) {
      const float* key = keys + (h * shape.tokens + t) * head_size;
      float sum = 0;
      for (std::size_t i = 0; i < head_size; ++i) sum += q[i] * key[i];
      scores[h * shape.tokens + t] = sum * scale;
    }
  }
}

void softmax(float* scores, Shape shape) {
  ROOFMARK_SCOPE("softmax");
  for (std::size_t h = 0; h < shape.heads; ++h, scores += shape.tokens)
    softmax_row(scores, shape.tokens);
}

void mix(float* __restrict out, const float* __restrict weights, const float* __restrict values,
         Shape shape) {
  ROOFMARK_SCOPE_AS(scope, "mix");
  const auto values_read = static_cast<std::ptrdiff_t>(shape.heads * shape.tokens * head_size);
  scope.declare(roofmark::Flop{static_cast<double>(2 * values_read)},
                roofmark::Bytes{static_cast<double>(4 * values_read)});
  for (std::size_t h = 0; h < shape.heads; ++h) {
    float* o = out + h * head_size;
    std::fill(o, o + head_size, 0.0f);
    for (std::size_t t = 0; t < shape.tokens; ++t) {
      const float* value = values + (h * shape.tokens + t) * head_size;
      const float weight = weights[h * shape.tokens + t];
      for (std::size_t i = 0; i < head_size; ++i) o[i] += weight * value[i];
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const Shape shape{count_argument(argc, argv, 1, 4096), count_argument(argc, argv, 2, 16)};
  const std::size_t steps = count_argument(argc, argv, 3, 2);
  if (expect) {
    const double times = static_cast<double>(steps), h = times * static_cast<double>(shape.heads);
    const double ht = h * static_cast<double>(shape.tokens), d = static_cast<double>(head_size);
    print_expected({"decode/scores", "f32", times, ht * (2 * d + 1), NO_CLOSED_FORM, 4 * ht,
                    NO_CLOSED_FORM, NO_CLOSED_FORM});
    print_expected({"decode/softmax", "f32", times, 17 * ht, NO_CLOSED_FORM, NO_CLOSED_FORM,
                    NO_CLOSED_FORM, NO_CLOSED_FORM});
    print_expected({"decode/mix", "f32", times, ht * 2 * d, NO_CLOSED_FORM, NO_CLOSED_FORM,
                    NO_CLOSED_FORM, NO_CLOSED_FORM});
    return 0;
  }

  const std::size_t cached = shape.heads * shape.tokens * head_size;
  std::vector<float> keys(cached), values(cached, 0.25f), query(shape.heads * head_size, 0.1f);
  std::vector<float> scores(shape.heads * shape.tokens), out(shape.heads * head_size);
  for (std::size_t i = 0; i < cached; ++i) keys[i] = static_cast<float>(i % 7) * 0.1f;
  for (std::size_t s = 0; s < steps; ++s) {
    ROOFMARK_SCOPE("decode");
    score(scores.data(), query.data(), keys.data(), shape);
    softmax(scores.data(), shape);
    mix(out.data(), scores.data(), values.data(), shape);
  }
  // Weights that sum to 1 over equal values give that value.
  std::printf("out[0] = %.5f (0.25 is right)\n", static_cast<double>(out[0]));
  return std::fabs(out[0] - 0.25f) < 1e-4f ? 0 : 1;
}
