#include <algorithm>
#include <analysis/functions/share.hpp>
#include <cmath>

namespace roofmark::functions {

Share share_of(double part, double all, double samples) {
  if (!(all > 0) || !(samples > 0)) return {0, 0, 1};
  constexpr double z = 2;
  const double p = std::clamp(part / all, 0.0, 1.0);
  const double n = samples;
  const double middle = p + z * z / (2 * n);
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  const double scale = 1 + z * z / n;
  // Rounding must not put the share outside of its own interval: of none the lower end is 0.
  return {p, std::clamp((middle - half) / scale, 0.0, p),
          std::clamp((middle + half) / scale, p, 1.0)};
}

}  // namespace roofmark::functions
