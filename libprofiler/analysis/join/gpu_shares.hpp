// What each region of the host had done on each GPU: the counts of its kernels together, the time
// in which any of them ran, copies, and what the host spent on launching and waiting.
#pragma once

#include <analysis/join/gpu_collect.hpp>

namespace roofmark {

class GpuShares {
 public:
  GpuShares(const GpuSums& sums, const GpuInput& input, Profile& profile)
      : sums_(sums), input_(input), profile_(profile) {}

  /// To be called when the kernels are in the profile.
  void put();

 private:
  GpuShare share_of(const Region& region, const std::string& device) const;
  void add_counts(const RegionPath& path, GpuShare& share) const;
  std::optional<Measure> overlap_of(const Region& region, const GpuShare& share,
                                    const GpuCalls& calls) const;
  GpuCalls calls_below(const RegionPath& path) const;

  const GpuSums& sums_;
  const GpuInput& input_;
  Profile& profile_;
};

}  // namespace roofmark
