#include <algorithm>
#include <analysis/sampling/sample_store.hpp>
#include <cmath>

namespace roofmark::sampling {
namespace {

/// Halves those that stand for the shortest time. Stretches are as long as a period: those of
/// threads that ran at once go or stay together.
void thin_shortest(std::vector<TimeSample>& samples) {
  double shortest_s = samples.front().period_s;
  for (const TimeSample& each : samples) shortest_s = std::min(shortest_s, each.period_s);
  const auto is_short = [&](const TimeSample& each) { return each.period_s <= 1.5 * shortest_s; };
  std::erase_if(samples, [&](const TimeSample& each) {
    return is_short(each) && std::fmod(std::floor(each.time_s / each.period_s), 2.0) != 0;
  });
  for (TimeSample& each : samples)
    if (is_short(each)) each.period_s *= 2;
}

}  // namespace

bool SampleStore::add(const TimeSample& sample) {
  samples_.push_back(sample);
  if (samples_.size() < most_) return false;
  while (samples_.size() > most_ / 4 * 3) thin_shortest(samples_);
  return true;
}

}  // namespace roofmark::sampling
