#include <algorithm>
#include <analysis/merge/rank_times.hpp>
#include <cmath>
#include <limits>

namespace roofmark {
namespace {

/// 44 buckets an octave, each 2^(1/44) = 1.6 % wide: its middle is within 0.8 % of what it holds.
constexpr double buckets_per_octave = 44;
constexpr int bucket_of_zero = std::numeric_limits<int>::min();

int bucket_of(double time_s) {
  return time_s > 0 ? static_cast<int>(std::floor(std::log2(time_s) * buckets_per_octave))
                    : bucket_of_zero;
}
double middle_of(int bucket) {
  return bucket == bucket_of_zero ? 0 : std::exp2((bucket + 0.5) / buckets_per_octave);
}

}  // namespace

void RankTimes::add(std::uint64_t rank, double time_s) {
  if (ranks_ == 0 || time_s < min_s_) {
    min_s_ = time_s;
    min_rank_ = rank;
  }
  if (ranks_ == 0 || time_s > max_s_) {
    max_s_ = time_s;
    max_rank_ = rank;
  }
  ++ranks_;
  sum_s_ += time_s;
  if (ranks_ <= kept) {
    values_.push_back(time_s);
    return;
  }
  for (const double value : values_) ++histogram_[bucket_of(value)];
  values_ = {};
  ++histogram_[bucket_of(time_s)];
}

double RankTimes::median_s() const {
  if (!values_.empty()) {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
  std::uint64_t below = 0;
  for (const auto& [bucket, count] : histogram_) {
    below += count;
    if (2 * below >= ranks_) return std::clamp(middle_of(bucket), min_s_, max_s_);
  }
  return max_s_;
}

std::optional<RankSpread> RankTimes::spread() const {
  if (ranks_ < 2) return std::nullopt;
  RankSpread spread;
  spread.ranks = ranks_;
  spread.min_s = min_s_;
  spread.median_s = median_s();
  spread.mean_s = sum_s_ / static_cast<double>(ranks_);
  spread.max_s = max_s_;
  spread.min_rank = min_rank_;
  spread.max_rank = max_rank_;
  spread.median_estimated = values_.empty();
  return spread;
}

}  // namespace roofmark
