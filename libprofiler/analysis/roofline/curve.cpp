#include "analysis/roofline/curve.hpp"

#include <iterator>

namespace roofmark::model {
namespace {

double between(double low, double high, double share) {
  return low + (high - low) * share;
}

Ceiling for_cores(Ceiling ceiling, double cores, double factor) {
  ceiling = scaled(ceiling, factor);
  ceiling.threads = cores;
  if (factor != 1) ceiling.source = Source::theoretical;
  return ceiling;
}

}  // namespace

Ceiling scaled(Ceiling ceiling, double factor) {
  ceiling.per_s *= factor;
  ceiling.low *= factor;
  ceiling.high *= factor;
  return ceiling;
}

void Curve::add(const Ceiling& ceiling) {
  const auto [point, is_new] = points_.try_emplace(ceiling.threads, ceiling);
  if (!is_new && ceiling.per_s > point->second.per_s) point->second = ceiling;
}

std::optional<Ceiling> Curve::at(double cores, Beyond beyond) const {
  if (points_.empty()) return std::nullopt;
  const auto above = points_.lower_bound(cores);
  if (above != points_.end() && above->first == cores) return above->second;
  const bool outside = above == points_.end() || above == points_.begin();
  if (outside) {
    const Ceiling& nearest =
        above == points_.end() ? points_.rbegin()->second : points_.begin()->second;
    if (beyond == Beyond::hold) return for_cores(nearest, cores, 1);
    return for_cores(nearest, cores, cores / nearest.threads);
  }
  const Ceiling& low = std::prev(above)->second;
  const Ceiling& high = above->second;
  const double share = (cores - low.threads) / (high.threads - low.threads);
  Ceiling middle = share < 0.5 ? low : high;
  middle.threads = cores;
  middle.per_s = between(low.per_s, high.per_s, share);
  middle.low = between(low.low, high.low, share);
  middle.high = between(low.high, high.high, share);
  return middle;
}

}  // namespace roofmark::model
