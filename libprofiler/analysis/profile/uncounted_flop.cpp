#include "uncounted_flop.hpp"

#include <algorithm>
#include <string>

namespace roofmark {
namespace {

constexpr auto is_zero = [](const auto& entry) { return entry.second.value == 0; };

/// f16, bf16 and tensor units are for a processor what few programs use, and what its counters
/// mostly can't tell; for a GPU they are ordinary work.
bool is_usual(const std::string& quantity, bool gpu) {
  for (const char* usual : {"flop", "flop.f64", "flop.f32", "flop.any"})
    if (quantity == usual) return true;
  return gpu && (quantity.starts_with("flop.") || quantity == "tensor");
}

}  // namespace

bool counts_no_flop(const Work& work) {
  return std::all_of(work.flop.begin(), work.flop.end(), is_zero) &&
         std::all_of(work.tensor.begin(), work.tensor.end(), is_zero);
}

std::optional<Missing> uncounted_flop(const Work& work, const std::vector<Missing>& missing) {
  if (work.flop.empty() || work.flop.count(Precision::any) > 0) return std::nullopt;
  const bool gpu = std::any_of(work.flop.begin(), work.flop.end(), [](const auto& entry) {
    return entry.second.scope == Scope::device;
  });
  for (const Missing& one : missing) {
    if (!is_usual(one.quantity, gpu)) continue;
    const auto precision = one.quantity.starts_with("flop.")
                               ? parse_word<Precision>(one.quantity.substr(5))
                               : std::nullopt;
    if (precision && work.flop.count(*precision) > 0) continue;
    return one;
  }
  return std::nullopt;
}

}  // namespace roofmark
