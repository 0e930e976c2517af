// When a counted run that takes far longer than expected is given up: it may wait for something
// that only the timed run met, such as a peer, a clock or a file, and would never end.
#pragma once

#include <cstdint>

namespace roofmark {

/// How long a counted pass takes, from measured slowdowns of programs of many kinds.
struct Estimate {
  double low_s = 0;
  double high_s = 0;
};

/// So many times the longest time that was expected, waits of the timed run included, may pass
/// without progress; and so many seconds at least, for machines that others use as well.
inline constexpr double patience_factor = 10;
inline constexpr double least_patience_s = 60;
double patience_s(const Estimate& estimate, double native_wall_s);

/// Whether a run gets anywhere. `steps` is any number that grows as it does: visits that began,
/// processes that were started.
class Progress {
 public:
  explicit Progress(double patience_s) : patience_s_(patience_s) {}

  /// Whether it is time to look at the steps: seldom, and not before a good part of the patience
  /// has passed, since a look costs time.
  bool due(double elapsed_s) const { return elapsed_s >= next_look_s(); }
  /// What a look saw; whether the run is to be given up.
  bool is_stuck(double elapsed_s, std::uint64_t steps);
  /// How long it has got no further, as of the last look.
  double without_progress_s() const { return last_look_s_ - last_progress_s_; }

 private:
  double next_look_s() const;

  double patience_s_;
  double last_look_s_ = 0;
  double last_progress_s_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace roofmark
