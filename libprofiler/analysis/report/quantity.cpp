#include "quantity.hpp"

#include <charconv>
#include <cmath>

namespace roofmark {

Result<double> parse_quantity(std::string_view text, std::string_view unit) {
  const auto fail = [&](const char* reason) {
    return tl::unexpected(
        Problem{reason, "`" + std::string(text) + "`", "write a number such as 2e11 or 200G"});
  };
  double value = 0;
  // from_chars knows no locale: "1,5" is an error everywhere, and not 1.5 somewhere.
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return fail("beyond the range of numbers");
  if (error != std::errc()) return fail("not a number");
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (!rest.empty() && rest != unit) {
    constexpr std::string_view prefixes = "kMGTPE";
    const std::size_t place = prefixes.find(rest.front());
    if (place == std::string_view::npos) return fail("has an unknown unit");
    value *= std::pow(1000.0, static_cast<double>(place + 1));
    rest.remove_prefix(1);
    if (!rest.empty() && rest != unit) return fail("has an unknown unit");
  }
  if (!std::isfinite(value) || value <= 0) return fail("not a positive number");
  // Ratios and products of two such numbers stay within a double's range.
  if (value < 1e-100 || value > 1e100) return fail("beyond the range of numbers");
  return value;
}

}  // namespace roofmark
