// Texts with bytes changed, cut, doubled and swapped, and numbers that no sane writer writes.
#pragma once

#include <array>
#include <random>
#include <string>

namespace roofmark::fuzz {

inline std::string mutated(std::string text, std::mt19937_64& random) {
  static constexpr std::array numbers = {
      "0",   "-1",  "1e999", "-0.0",  "1e-320", "18446744073709551616", "9223372036854775807",
      "NaN", "nan", "inf",   "1e308", "\"\""};
  for (auto edits = random() % 6; edits != 0 && !text.empty(); --edits) {
    const std::size_t at = random() % text.size();
    const std::size_t length = random() % 40;
    switch (random() % 7) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(random() % text.size(), length));
        break;
      case 3:
        if (random() % 4 == 0) text.resize(at);
        break;
      case 4: {
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        const std::size_t end = text.find_first_not_of("0123456789.eE+-", digit);
        text.replace(digit, end == std::string::npos ? end : end - digit,
                     numbers[random() % numbers.size()]);
        break;
      }
      case 5: {  // a line or a value twice
        const std::size_t end = text.find_first_of(",\n", at);
        if (end != std::string::npos) text.insert(at, text.substr(at, end - at + 1));
        break;
      }
      default:
        text[at] = "{}[],:\"-.0123456789eE\\u"[random() % 23];
        break;
    }
  }
  return text;
}

}  // namespace roofmark::fuzz
