// What single ranks of a job did in a region, kept while the ranks' files are read one by one.
#pragma once

#include <cstdint>
#include <roofmark/profile.hpp>
#include <vector>

namespace roofmark {

/// Ranks at even steps, so that what is kept does not grow with their number.
std::uint64_t step_of_ranks(std::uint64_t job_size);

class RankShares {
 public:
  /// `kept`: this region has room for single ranks.
  void add(const Region& region, std::uint64_t rank, std::uint64_t step, bool kept);
  /// Nothing where there is only one rank, or the sum has no FLOPs.
  std::optional<WorkShares> shares(const Region& sum) const;

 private:
  std::uint64_t total_ = 0, not_kept_ = 0, between_ = 0;
  std::vector<WorkShare> each_;
  std::vector<WorkShares::LeftOut> left_out_;
};

}  // namespace roofmark
