// How far counts of a sample of cache sets may be off.
#pragma once

#include <collectors/emulated/counts.hpp>
#include <cstdint>
#include <map>
#include <string>

namespace roofmark {

struct DirectionError {
  /// Two standard errors; 0 where nothing was sampled, or where it is below what a third digit
  /// tells.
  double relative = 0;
  /// What may have passed although the sample saw few lines or none: no upper end lies below it. It
  /// is the exact upper end of a Poisson count with 95 % confidence (of none by the rule of three:
  /// e^-3 is 0.05), whose distribution is lopsided, so that two standard errors above 1 line reach
  /// no further than none do. Each line stands for one in every set that the sampled one was chosen
  /// from; and no more passed than came up to the level.
  std::uint64_t least_high_bytes = 0;
};

struct SamplingError {
  DirectionError read, write;
};

/// By interface. `sampling` is the label of the pass: "sets 1/8".
///
/// Lines are taken to fall into sets independently of one another, so that the number in the sample
/// scatters by its root. Where nearly all that come to a level also pass it, the model takes that
/// share of all that came (cache/traffic.hpp), and only those that do not pass scatter. What all
/// goes through few sets is off by more.
std::map<std::string, SamplingError> sampling_errors(
    const std::map<std::string, CountedTraffic>& bytes, const std::string& sampling);

}  // namespace roofmark
