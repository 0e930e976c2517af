#include "sysfs_terms.hpp"

#include <algorithm>
#include <optional>

#include "analysis/text/parsing.hpp"

namespace roofmark {
namespace {

using text::code_number;

std::string_view next(std::string_view& list, char separator) {
  const std::size_t end = std::min(list.find(separator), list.size());
  const std::string_view item = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return item;
}

std::uint64_t* field_of(AttributeNumbers& numbers, std::string_view name) {
  if (name == "config") return &numbers.config;
  if (name == "config1") return &numbers.config1;
  if (name == "config2") return &numbers.config2;
  return nullptr;
}

/// Lays the low bits of `value` into the bits that `layout` names, in its order. What is left of
/// the value did not fit; nothing where the layout can't be read.
std::optional<std::uint64_t> lay(std::uint64_t value, std::string_view layout,
                                 AttributeNumbers& numbers) {
  std::uint64_t* const field = field_of(numbers, next(layout, ':'));
  if (field == nullptr || layout.empty()) return std::nullopt;
  while (!layout.empty()) {
    std::string_view range = next(layout, ',');
    const auto low = code_number(next(range, '-'));
    const auto high = range.empty() ? low : code_number(range);
    if (!low || !high || *low > *high || *high > 63) return std::nullopt;
    const std::uint64_t bits = *high - *low + 1;
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    *field |= (value & mask) << *low;
    value = bits == 64 ? 0 : value >> bits;
  }
  return value;
}

}  // namespace

Result<AttributeNumbers> encode_terms(std::string_view terms, const PmuFormat& format,
                                      const std::string& where) {
  const auto refused = [&](const std::string& reason) {
    return tl::unexpected(Problem{reason, where, "compare it with the PMU's `format` in sysfs"});
  };
  if (terms.empty()) return refused("there are no terms");
  AttributeNumbers numbers;
  while (!terms.empty()) {
    std::string_view term = next(terms, ',');
    const bool bare = term.find('=') == std::string_view::npos;
    const std::string name(next(term, '='));
    const auto value = bare ? std::optional<std::uint64_t>(1) : code_number(term);
    if (!value) return refused("the value of `" + name + "` is no number");
    const auto layout = format.find(name);
    if (layout == format.end()) return refused("this PMU has no term `" + name + "`");
    const auto rest = lay(*value, layout->second, numbers);
    if (!rest) return refused("the format `" + layout->second + "` can't be read");
    if (*rest != 0) return refused("the value of `" + name + "` has more bits than the PMU's");
  }
  return numbers;
}

}  // namespace roofmark
