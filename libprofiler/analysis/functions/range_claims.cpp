#include <algorithm>
#include <analysis/functions/range_claims.hpp>
#include <limits>

namespace roofmark::functions {

std::vector<CodeRange> RangeClaims::claim(const std::string& object, symbols::Extent extent) {
  std::map<std::uint64_t, std::uint64_t>& taken = taken_[object];
  std::vector<CodeRange> free;
  std::uint64_t at = extent.first;
  auto next = taken.upper_bound(at);
  if (next != taken.begin()) at = std::max(at, std::prev(next)->second);
  while (at < extent.end) {
    const std::uint64_t end = next == taken.end() ? extent.end : std::min(extent.end, next->first);
    if (at < end) free.push_back({object, at, end});
    if (next == taken.end()) break;
    at = std::max(at, next->second);
    ++next;
  }
  for (const CodeRange& range : free) taken[range.first] = range.end;
  return free;
}

std::vector<CodeRange> RangeClaims::claim_rest(const std::string& object) {
  return claim(object, {0, std::numeric_limits<std::uint64_t>::max()});
}

}  // namespace roofmark::functions
