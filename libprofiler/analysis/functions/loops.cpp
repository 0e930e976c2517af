#include <algorithm>
#include <analysis/functions/loops.hpp>
#include <analysis/functions/x86_jumps.hpp>
#include <map>

namespace roofmark::functions {

std::vector<symbols::Extent> loops_in(std::span<const std::uint8_t> code, std::uint64_t first) {
  std::map<std::size_t, std::size_t> end_of;  // by head
  for (std::size_t at = 0; at < code.size();) {
    const auto step = x86_step(code.subspan(at));
    if (!step) return {};
    at += step->bytes;
    if (!step->jump || *step->jump >= 0) continue;
    const std::size_t back = static_cast<std::size_t>(-static_cast<std::int64_t>(*step->jump));
    if (back <= at) end_of[at - back] = at;  // a later jump to the same head is a longer way round
  }
  std::vector<symbols::Extent> loops;
  for (const auto& [head, end] : end_of) loops.push_back({first + head, first + end});
  std::stable_sort(loops.begin(), loops.end(),
                   [](const symbols::Extent& a, const symbols::Extent& b) {
                     return a.end - a.first < b.end - b.first;
                   });
  return loops;
}

}  // namespace roofmark::functions
