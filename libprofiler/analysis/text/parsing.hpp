// Text that machines wrote, read without a look at the locale. What is not wholly the number that
// it should be is none.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace roofmark::text {

/// Without blanks and line ends around it.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// "85", or "1f" in base 16.
template <class Number>
std::optional<Number> whole_number(std::string_view text, int base = 10) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, fault] = std::from_chars(text.data(), end, value, base);
  if (fault != std::errc() || stopped != end) return std::nullopt;
  return value;
}

/// "2.5", "1e-3"; "inf" and "nan" too.
inline std::optional<double> real_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc() || stopped != end) return std::nullopt;
  return value;
}

/// "85" or "0xd0c", as the kernel and manuals write identities and codes.
inline std::optional<std::uint64_t> code_number(std::string_view text) {
  if (text.substr(0, 2) == "0x") return whole_number<std::uint64_t>(text.substr(2), 16);
  return whole_number<std::uint64_t>(text);
}

/// ASCII in small letters; other bytes as they are.
inline std::string lowered(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

}  // namespace roofmark::text
