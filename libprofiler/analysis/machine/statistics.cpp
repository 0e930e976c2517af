#include "statistics.hpp"

#include <algorithm>
#include <cmath>

#include "within_range.hpp"

namespace roofmark {
namespace {

double sorted_quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> copy(samples.begin(), samples.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

constexpr double noisy_share = 0.05;
constexpr std::size_t enough_samples = 20;

}  // namespace

double quantile(std::span<const double> samples, double q) {
  return sorted_quantile(sorted(samples), q);
}

Spread spread_of(std::span<const double> samples, double rank) {
  const std::vector<double> all = sorted(samples);
  Spread spread;
  spread.value = sorted_quantile(all, rank);
  spread.high = sorted_quantile(all, 0.9);
  spread.low = sorted_quantile(all, 0.1);
  hold_within_range(spread.value, spread.low, spread.high);  // for any rank
  spread.noisy =
      all.size() < enough_samples ||
      sorted_quantile(all, 0.97) - sorted_quantile(all, 0.8) > noisy_share * spread.value;
  return spread;
}

}  // namespace roofmark
