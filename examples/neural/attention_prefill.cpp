// Attention over a prompt, in float: every token looks at itself and at all before it. The same
// arithmetic as attention_decode, but the keys and values of a head stay in a cache while all
// queries use them.
//
//   usage: attention_prefill [--expect] [tokens = 512] [heads = 8]
//
// Closed forms, with h heads of size d = 64 and t tokens, p = t (t + 1) / 2 pairs of a query and a
// key:
//   scores   (2 d + 1) h p FLOP   a dot product for each pair, one scaling
//   softmax  17 h p FLOP          as in attention_decode
//   mix      2 d h p FLOP         the values, weighted
// DRAM: keys, values, queries and results once, 16 d h t bytes, where a head's keys and values fit
// in a cache: (2 d + 9) t / (16 d) FLOP/byte, which grows with the prompt. Prefill is bound by
// computing.
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
constexpr std::size_t block = 64;  // queries whose scores are kept at a time

struct Rows {
  std::size_t first, end, tokens;
};

void score(float* __restrict scores, const float* __restrict queries, const float* __restrict keys,
           Rows rows) {
  ROOFMARK_SCOPE("scores");
  const float scale = 0.125f;  // 1 / sqrt(head_size)
  for (std::size_t q = rows.first; q < rows.end; ++q) {
    const float* query = queries + q * head_size;
    for (std::size_t t = 0; t <= q; ++t) {
      const float* key = keys + t * head_size;
      float sum = 0;
      for (std::size_t i = 0; i < head_size; ++i) sum += query[i] * key[i];
      scores[(q - rows.first) * rows.tokens + t] = sum * scale;
    }
  }
}

void softmax(float* scores, Rows rows) {
  ROOFMARK_SCOPE("softmax");
  for (std::size_t q = rows.first; q < rows.end; ++q)
    softmax_row(scores + (q - rows.first) * rows.tokens, q + 1);
}

void mix(float* __restrict out, const float* __restrict weights, const float* __restrict values,
         Rows rows) {
  ROOFMARK_SCOPE("mix");
  for (std::size_t q = rows.first; q < rows.end; ++q) {
    float* o = out + q * head_size;
    std::fill(o, o + head_size, 0.0f);
    for (std::size_t t = 0; t <= q; ++t) {
      const float* value = values + t * head_size;
      const float weight = weights[(q - rows.first) * rows.tokens + t];
      for (std::size_t i = 0; i < head_size; ++i) o[i] += weight * value[i];
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const std::size_t tokens = count_argument(argc, argv, 1, 512);
  const std::size_t heads = count_argument(argc, argv, 2, 8);
  if (expect) {
    const double h = static_cast<double>(heads), t = static_cast<double>(tokens);
    const double pairs = h * t * (t + 1) / 2, d = static_cast<double>(head_size);
    const double visits = h * static_cast<double>((tokens + block - 1) / block);
    const auto expected = [visits](const char* path, double flop) {
      print_expected({path, "f32", visits, flop, NO_CLOSED_FORM, NO_CLOSED_FORM, NO_CLOSED_FORM,
                      NO_CLOSED_FORM});
    };
    expected("prefill/scores", pairs * (2 * d + 1));
    expected("prefill/softmax", pairs * 17);
    expected("prefill/mix", pairs * 2 * d);
    return 0;
  }

  const std::size_t all = heads * tokens * head_size;
  std::vector<float> keys(all), values(all, 0.25f), queries(all, 0.1f), out(all);
  std::vector<float> scores(block * tokens);
  for (std::size_t i = 0; i < all; ++i) keys[i] = static_cast<float>(i % 7) * 0.1f;
  {
    ROOFMARK_SCOPE("prefill");
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t at = h * tokens * head_size;
      for (std::size_t first = 0; first < tokens; first += block) {
        const Rows rows{first, std::min(first + block, tokens), tokens};
        score(scores.data(), queries.data() + at, keys.data() + at, rows);
        softmax(scores.data(), rows);
        mix(out.data() + at, scores.data(), values.data() + at, rows);
      }
    }
  }
  // Weights that sum to 1 over equal values give that value.
  const float last = out[all - 1];
  std::printf("last out = %.5f (0.25 is right)\n", static_cast<double>(last));
  return std::fabs(last - 0.25f) < 1e-4f ? 0 : 1;
}
