// What the file of a large profile says once instead of in every region (docs/profile.schema.json).
// A small file spells everything out; both are read alike.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <roofmark/profile.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark {

/// From so many regions on a file is compact.
inline constexpr std::size_t compact_above = 1000;
/// So many regions of a compact file, those with the most time of their own, keep their rooflines
/// whole: with levels, ladder, sentence and advice. Those of the others are made again by `judge`.
inline constexpr std::size_t whole_rooflines = 1000;

/// Where a count comes from, without the count.
struct Origin {
  Source source = Source::measured;
  std::string collector;
  Scope scope = Scope::process;
  std::vector<std::string> caveats;
  bool operator==(const Origin&) const = default;
};
Origin origin_of(const Count& count);
Origin origin_of(const Measure& measure);

/// By quantity: "flop.f64", "bytes.L2.read", "operations.loads", "wall_s".
using Origins = std::map<std::string, Origin, std::less<>>;

/// The most frequent origin of each quantity.
Origins common_origins(const Profile& profile);

/// Each once, in the order in which they first occur.
std::vector<Missing> distinct_missing(const Profile& profile);

/// The times of a region's only visit: those of the region. Nothing where it has no time.
std::optional<VisitTimes> single_visit(const Region& region);

/// True for the regions whose rooflines a compact file holds whole.
std::vector<bool> with_whole_rooflines(const Profile& profile);

/// The names of quantities, put together in one buffer.
class QuantityName {
 public:
  std::string_view of(std::string_view group, std::string_view name,
                      std::string_view direction = {}) {
    text_.assign(group);
    for (const std::string_view part : {name, direction})
      if (!part.empty()) (text_ += '.') += part;
    return text_;
  }

 private:
  std::string text_;
};

}  // namespace roofmark
