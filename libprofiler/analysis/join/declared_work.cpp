#include <analysis/join/declared_work.hpp>
#include <cmath>
#include <cstdint>

namespace roofmark {

std::vector<Declared> declared_work(const RegionTree& tree) {
  std::vector<Declared> result(tree.regions().size());
  for (std::size_t i = result.size(); i-- > 0;) {
    const MergedRegion& region = tree[i];
    for (const std::size_t child : region.children) {
      result[i].flop += result[child].flop;
      result[i].bytes += result[child].bytes;
    }
    if (region.declared_flop > 0) result[i].flop = region.declared_flop;
    if (region.declared_bytes > 0) result[i].bytes = region.declared_bytes;
  }
  return result;
}

std::optional<Count> declared_count(double value) {
  if (!(value > 0) || value >= 1.8e19) return std::nullopt;
  Count count;
  count.value = static_cast<std::uint64_t>(std::llround(static_cast<long double>(value)));
  count.source = Source::declared;
  return count;
}

}  // namespace roofmark
