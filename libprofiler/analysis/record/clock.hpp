// The clock of recordings, read by the recorder: runs that are too short to calibrate it themselves
// borrow this calibration.
#pragma once

#include <cstdint>
#include <optional>

namespace roofmark {

/// CLOCK_MONOTONIC_RAW in seconds.
double raw_s();

/// Counts the ticks of the processor's time stamp counter against CLOCK_MONOTONIC_RAW.
class TickRate {
 public:
  TickRate();
  /// Ticks per second since construction, at least 10 ms ago (it waits for the rest). Nothing where
  /// the processor has no counter that a recording would use.
  std::optional<double> per_second() const;

 private:
  std::uint64_t ticks_;
  double raw_s_;
};

}  // namespace roofmark
