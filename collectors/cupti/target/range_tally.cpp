#include "range_tally.hpp"

#include <algorithm>
#include <cmath>

namespace roofmark::cupti {
namespace {

constexpr std::string_view duration = "gpu__time_duration.sum";

}  // namespace

Combination combination_of(std::string_view metric) {
  // "unit__counter.rollup" or "unit__counter.rollup.submetric": only the bare roll-ups add up or
  // are extremes of what was counted; a rate or share of them is an average like any other.
  if (metric.ends_with(".peak_sustained")) return Combination::most;
  if (metric.ends_with(".sum")) return Combination::sum;
  if (metric.ends_with(".max")) return Combination::most;
  if (metric.ends_with(".min")) return Combination::least;
  return Combination::mean;
}

void RangeTally::add(std::string_view kernel, std::uint32_t device, std::uint32_t path,
                     const std::vector<std::string>& metrics, const std::vector<double>& values) {
  std::tuple<std::string, std::uint32_t, std::uint32_t> key{kernel, device, path};
  if (rows_.size() >= limits_.kernels && !rows_.contains(key))
    key = {"(other kernels)", device, rows_.size() < 2 * limits_.kernels ? path : 0};
  Row& row = rows_[key];
  ++row.launches;
  double weight = 1;
  for (std::size_t i = 0; i < metrics.size() && i < values.size(); ++i)
    if (metrics[i] == duration && values[i] > 0) weight = values[i];
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    Sum& sum = row.sums[metrics[i]];
    const double value = i < values.size() ? values[i] : std::nan("");
    if (!std::isfinite(value)) {
      sum.lacking = true;
      continue;
    }
    sum.combination = combination_of(metrics[i]);
    const bool first = sum.weight == 0;
    switch (sum.combination) {
      case Combination::sum:
        sum.value += value;
        break;
      case Combination::most:
        sum.value = first ? value : std::max(sum.value, value);
        break;
      case Combination::least:
        sum.value = first ? value : std::min(sum.value, value);
        break;
      case Combination::mean:
        sum.value += value * weight;
        break;
    }
    sum.weight += weight;
  }
}

void RangeTally::write(Snapshot& snapshot) const {
  for (const auto& [key, row] : rows_) {
    RangeRow out;
    std::tie(out.name, out.device, out.path) = key;
    out.launches = row.launches;
    for (const auto& [metric, sum] : row.sums) {
      // A sum that lacks a launch's part would be no sum.
      if (sum.lacking)
        out.lacking.push_back(metric);
      else
        out.metrics.emplace(
            metric, sum.combination == Combination::mean ? sum.value / sum.weight : sum.value);
    }
    snapshot.ranges.push_back(std::move(out));
  }
}

}  // namespace roofmark::cupti
