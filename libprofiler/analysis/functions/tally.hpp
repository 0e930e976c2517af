// Samples that fell into one piece of code: how much processor time they stand for, and how much
// time passed while threads were in it.
#pragma once

#include <analysis/sampling/sampled_run.hpp>
#include <cstdint>
#include <map>
#include <vector>

namespace roofmark::functions {

class Tally {
 public:
  void add(const sampling::TimeSample& sample);
  void add(const Tally& other);

  std::size_t samples() const { return windows_.size(); }
  /// Processor time, summed over threads.
  double thread_s() const { return thread_s_; }
  /// Threads that were in it in one period were in it at once: each period is counted once.
  double wall_s() const;
  /// So many were in it at once for a share of that time that is no accident.
  std::uint64_t threads_at_once() const;
  /// Longest / mean over the threads that were in it at once; at least 1.
  double imbalance() const;
  /// So many samples of equal weight would tell as much.
  double effective_samples() const;

 private:
  struct Window {
    std::int64_t period_ns, index;
    auto operator<=>(const Window&) const = default;
  };
  void sort() const;

  double thread_s_ = 0, squares_ = 0;
  std::map<std::int32_t, double> threads_;
  mutable std::vector<Window> windows_;  ///< of each sample
  mutable bool sorted_ = true;
};

}  // namespace roofmark::functions
