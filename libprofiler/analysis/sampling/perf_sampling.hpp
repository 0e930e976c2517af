// Samples a process and what it starts by perf's software clock, which needs no hardware counter:
// an interrupt whenever a thread has run for another period.
#pragma once

#include <sys/types.h>

#include <analysis/sampling/perf_records.hpp>
#include <analysis/sampling/perf_ring.hpp>
#include <analysis/sampling/sampled_run.hpp>
#include <roofmark/result.hpp>
#include <vector>

namespace roofmark::sampling {

/// Short programs are sampled more often. Neither divides a period that programs have: a steady
/// beat could fall in step with theirs.
inline constexpr double first_period_s = 251e-6;
inline constexpr double first_stretch_s = 1;  ///< of the run, after which the usual period holds
inline constexpr double usual_period_s = 1009e-6;

class PerfSampling {
 public:
  /// Sampling of a child that waits to be executed; begins with its exec.
  static Result<PerfSampling> of_child(pid_t child);

  /// Sampling of a process that runs, and of all that it starts from now on.
  static Result<PerfSampling> of_process(pid_t process);

  /// Takes what there is; to be called at least every `longest_wait_s`.
  void drain(double elapsed_s);
  static constexpr double longest_wait_s = 0.2;
  /// Nothing more is sampled.
  void stop();
  SampledRun take();

 private:
  PerfSampling() = default;
  void set_period(double period_s);

  void enable(bool on) const;

  std::vector<PerfRing> rings_;
  std::vector<Descriptor> others_;  ///< events whose records go to those rings
  PerfRecords records_;
  bool sees_kernel_ = false;
  bool stopped_ = false;
  double period_s_ = first_period_s;
};

}  // namespace roofmark::sampling
