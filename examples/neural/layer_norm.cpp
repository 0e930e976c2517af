// Layer normalisation in float: every row of an activation matrix is brought to mean 0 and
// variance 1, then scaled and shifted.
//
//   usage: layer_norm [--expect] [rows = 2048] [columns = 1024] [repetitions = 4]
//
// Closed forms of a row of d columns:
//   FLOP    8 d + 5: the mean's d additions and division; the variance's d subtractions,
//           multiplies and additions, its division, addition, square root and reciprocal;
//           the output's subtraction, two multiplies and addition for each column
//   L1      20 d read (the row three times, gain and shift once), 4 d written
//   DRAM    8 d read (the row once, the output's write-allocate), 4 d written,
//           where a row fits in a cache and all rows are much more than the last cache holds
// Intensity at DRAM: 8 / 12 = 0.67 FLOP/byte.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <roofmark/roofmark.hpp>
#include <vector>

#include "../support/expect.h"

namespace {

void layer_norm(float* __restrict out, const float* __restrict in, const float* __restrict gain,
                const float* __restrict shift, std::size_t rows, std::size_t columns) {
  ROOFMARK_SCOPE("layer_norm");
  const float d = static_cast<float>(columns);
  for (std::size_t r = 0; r < rows; ++r, in += columns, out += columns) {
    float sum = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += in[c];
    const float mean = sum / d;
    float squares = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const float deviation = in[c] - mean;
      squares += deviation * deviation;
    }
    const float inverse = 1.0f / std::sqrt(squares / d + 1e-5f);
    for (std::size_t c = 0; c < columns; ++c)
      out[c] = (in[c] - mean) * inverse * gain[c] + shift[c];
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const std::size_t rows = count_argument(argc, argv, 1, 2048);
  const std::size_t columns = count_argument(argc, argv, 2, 1024);
  const std::size_t repetitions = count_argument(argc, argv, 3, 4);
  if (expect) {
    const double times = static_cast<double>(repetitions),
                 all_rows = times * static_cast<double>(rows);
    const double elements = all_rows * static_cast<double>(columns);
    print_expected({"layer_norm", "f32", times, 8 * elements + 5 * all_rows, 20 * elements,
                    4 * elements, 8 * elements, 4 * elements});
    return 0;
  }

  std::vector<float> in(rows * columns), out(rows * columns, 0.0f), gain(columns, 1.0f),
      shift(columns, 0.5f);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 17);
  for (std::size_t r = 0; r < repetitions; ++r)
    layer_norm(out.data(), in.data(), gain.data(), shift.data(), rows, columns);

  double mean = 0;
  for (std::size_t c = 0; c < columns; ++c) mean += static_cast<double>(out[c]);
  mean /= static_cast<double>(columns);
  std::printf("mean of a row %.4f (0.5 is right)\n", mean);
  return std::fabs(mean - 0.5) < 1e-3 ? 0 : 1;
}
