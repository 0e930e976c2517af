// `roofmark chart`: a roofline from given numbers, in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <roofmark/report.hpp>
#include <roofmark/roofline.hpp>

#include "analysis/text/plain_text.hpp"
#include "numbers.hpp"

namespace roofmark {

using namespace report;
using namespace text;

std::string render_text(const GivenNumbers& given, unsigned width) {
  std::string text;
  double top = 0;
  for (const GivenNumber& peak : given.peaks_flop_per_s) top = std::max(top, peak.value);
  const FlopPerSecond peak{top};
  for (const GivenNumber& number : given.peaks_flop_per_s)
    text +=
        indented(fmt::format("{}: {}", printable(number.name), with_prefix(number.value, "FLOP/s")),
                 0, 2, width);
  for (const GivenNumber& number : given.bandwidths_bytes_per_s) {
    const BytesPerSecond bandwidth{number.value};
    text += indented(fmt::format("{}: {}, ridge {} FLOP/byte", printable(number.name),
                                 with_prefix(number.value, "B/s"),
                                 significant(ridge(peak, bandwidth).flop_per_byte, 4)),
                     0, 2, width);
  }
  if (given.kernels.empty()) return text;
  std::size_t name_columns = 0;
  for (const GivenKernel& kernel : given.kernels)
    name_columns =
        std::max(name_columns, std::min<std::size_t>(columns(printable(kernel.name)), 24));
  std::size_t intensity_columns = 0;
  for (const GivenKernel& kernel : given.kernels)
    intensity_columns = std::max(intensity_columns, significant(kernel.intensity, 4).size());
  const bool several = given.bandwidths_bytes_per_s.size() > 1;
  text += '\n';
  for (const GivenKernel& kernel : given.kernels) {
    for (const GivenNumber& number : given.bandwidths_bytes_per_s) {
      const BytesPerSecond bandwidth{number.value};
      const Intensity at{kernel.intensity};
      const Intensity corner = ridge(peak, bandwidth);
      const double limit = roof(peak, bandwidth, at).value;
      const std::string head = left(elided(printable(kernel.name), name_columns), name_columns) +
                               "  " + right(significant(kernel.intensity, 4), intensity_columns) +
                               " FLOP/byte";
      std::string rest =
          fmt::format("{}: {} side, roof {}, ridge {} FLOP/byte",
                      several ? " under " + elided(printable(number.name), 16) : std::string(),
                      spelling(side_of(at, corner)), with_prefix(limit, "FLOP/s"),
                      significant(corner.flop_per_byte, 4));
      if (kernel.flop_per_s)
        rest += fmt::format(", at {} of it", percent_text(*kernel.flop_per_s / limit));
      // What has no room goes below, between words and never within a number.
      std::string line = head;
      for (std::size_t at_word = 0; at_word < rest.size();) {
        const std::size_t end = std::min(rest.find_first_of(",:", at_word), rest.size() - 1) + 1;
        const std::string clause = rest.substr(at_word, end - at_word);
        if (columns(line) + columns(clause) > width) {
          text += line + '\n';
          line = std::string(name_columns + 1, ' ');
        }
        line += clause;
        at_word = end;
      }
      text += line + '\n';
    }
  }
  return text;
}

}  // namespace roofmark
