// Keeps samples in bounded memory: when it is full, every second stretch of time goes, and each
// sample that stays stands for twice as long.
#pragma once

#include <analysis/sampling/sampled_run.hpp>
#include <cstddef>

namespace roofmark::sampling {

class SampleStore {
 public:
  explicit SampleStore(std::size_t most = std::size_t{1} << 20) : most_(most) {}

  /// True: it was full, and half as many from now on will do.
  bool add(const TimeSample& sample);
  std::vector<TimeSample> take() { return std::move(samples_); }
  std::size_t size() const { return samples_.size(); }

 private:
  std::size_t most_;
  std::vector<TimeSample> samples_;
};

}  // namespace roofmark::sampling
