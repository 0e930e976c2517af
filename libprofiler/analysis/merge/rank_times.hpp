// One time of many ranks, in bounded memory: the extremes and who they are, the mean, and the
// median.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <roofmark/profile.hpp>
#include <vector>

namespace roofmark {

class RankTimes {
 public:
  /// Up to here the median is exact.
  static constexpr std::size_t kept = 64;

  void add(std::uint64_t rank, double time_s);
  std::uint64_t ranks() const { return ranks_; }
  double sum_s() const { return sum_s_; }
  double max_s() const { return max_s_; }
  /// Nothing for fewer than two ranks.
  std::optional<RankSpread> spread() const;

 private:
  double median_s() const;

  std::uint64_t ranks_ = 0, min_rank_ = 0, max_rank_ = 0;
  double sum_s_ = 0, min_s_ = 0, max_s_ = 0;
  std::vector<double> values_;                   ///< while there are few
  std::map<int, std::uint32_t> histogram_ = {};  ///< after that: buckets of 1.6 %
};

}  // namespace roofmark
