// Time of short windows: the time-stamp counter where it runs at one rate, else CLOCK_MONOTONIC.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace roofmark {

double monotonic_s();

class Stopwatch {
 public:
  Stopwatch();

  /// Every load, store and instruction before it has finished.
  std::uint64_t ticks() const {
#if defined(__x86_64__)
    if (tsc_) {
      _mm_lfence();
      const std::uint64_t now = __rdtsc();
      _mm_lfence();
      return now;
    }
#endif
    return clock_ticks();
  }

  /// Seconds of `ticks`, less what reading the clock costs itself.
  double window_s(std::uint64_t ticks) const {
    const double net = static_cast<double>(ticks) - overhead_ticks_;
    return (net > 1 ? net : 1) / hz_;
  }

  /// The rate becomes exact as time passes since construction.
  void recalibrate();
  double hz() const {
    return hz_;
  }
  bool uses_tsc() const {
    return tsc_;
  }

 private:
  static std::uint64_t clock_ticks();
  bool tsc_ = false;
  double hz_ = 1e9;
  double overhead_ticks_ = 0;
  double started_s_ = 0;
  std::uint64_t started_ticks_ = 0;
};

}  // namespace roofmark
