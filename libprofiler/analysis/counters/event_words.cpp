#include <array>
#include <cctype>

#include "event_table.hpp"

namespace roofmark {
namespace {

bool is_name(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
  return true;
}

/// Takes `head` off the front of `text`.
bool take(std::string_view& text, std::string_view head) {
  if (text.substr(0, head.size()) != head) return false;
  text.remove_prefix(head.size());
  return true;
}

}  // namespace

std::string_view spelling(EventType type) {
  constexpr std::array<std::string_view, 5> words = {"raw", "hardware", "software", "breakpoint",
                                                     "tracepoint"};
  return words[static_cast<std::size_t>(type)];
}

std::string_view spelling(Bound bound) {
  constexpr std::array<std::string_view, 4> words = {"exact", "lower", "upper", "estimate"};
  return words[static_cast<std::size_t>(bound)];
}

std::optional<std::string_view> unit_of_quantity(std::string_view quantity) {
  if (take(quantity, "flop."))
    return parse_word<Precision>(quantity) ? std::optional<std::string_view>("FLOP") : std::nullopt;
  if (take(quantity, "op."))
    return is_name(quantity) ? std::optional<std::string_view>("operations") : std::nullopt;
  if (take(quantity, "bytes.")) {
    const std::size_t dot = quantity.find('.');
    if (dot == std::string_view::npos || !is_name(quantity.substr(0, dot))) return std::nullopt;
    const std::string_view direction = quantity.substr(dot + 1);
    // `total`: hardware that can't tell reads from writes.
    if (direction != "read" && direction != "write" && direction != "total") return std::nullopt;
    return "B";
  }
  if (quantity == "cycles" || quantity == "reference_cycles") return "cycles";
  if (quantity == "instructions") return "instructions";
  if (take(quantity, "instructions.") && is_name(quantity)) return "instructions";
  return std::nullopt;
}

}  // namespace roofmark
