// How far counts of a sample of cache sets may be off.
#pragma once

#include <collectors/emulated/counts.hpp>
#include <map>
#include <string>

namespace roofmark {

/// Relative, two standard errors; 0 where nothing was sampled, or where it is below what a third
/// digit tells.
struct SamplingError {
  double read = 0, write = 0;
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
