#include "analysis/roofline/pattern_mix.hpp"

namespace roofmark::model {
namespace {

struct Point {
  double read_share;
  Ceiling ceiling;
};

}  // namespace

Ceiling in_turn(const Ceiling& first, const Ceiling& second, double share_of_second) {
  const auto blend = [&](double x, double y) {
    return x > 0 && y > 0 ? 1 / ((1 - share_of_second) / x + share_of_second / y) : 0;
  };
  Ceiling ceiling = share_of_second < 0.5 ? first : second;
  ceiling.per_s = blend(first.per_s, second.per_s);
  ceiling.low = blend(first.low, second.low);
  ceiling.high = blend(first.high, second.high);
  return ceiling;
}

std::optional<Ceiling> between_patterns(
    std::span<const Pattern> patterns, double read_share,
    const std::function<std::optional<Ceiling>(const Pattern&)>& ceiling_of) {
  std::optional<Point> above, below;
  for (auto pattern = patterns.rbegin(); pattern != patterns.rend() && !above; ++pattern)
    if (pattern->read_share >= read_share)
      if (const auto found = ceiling_of(*pattern)) above = Point{pattern->read_share, *found};
  if (above && above->read_share == read_share) return above->ceiling;
  for (auto pattern = patterns.begin(); pattern != patterns.end() && !below; ++pattern)
    if (pattern->read_share <= read_share)
      if (const auto found = ceiling_of(*pattern)) below = Point{pattern->read_share, *found};
  if (!above && !below) return std::nullopt;
  if (!above) return below->ceiling;
  if (!below || below->read_share == above->read_share) return above->ceiling;
  return in_turn(below->ceiling, above->ceiling,
                 (read_share - below->read_share) / (above->read_share - below->read_share));
}

}  // namespace roofmark::model
