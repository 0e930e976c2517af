// What many short windows say about a ceiling.
#pragma once

#include <span>
#include <vector>

namespace roofmark {

/// The value below which the share `q` (0 to 1) of the samples lies, interpolated; 0 without
/// samples.
double quantile(std::span<const double> samples, double q);

/// A ceiling's value is the p90 of its windows, unless `rank` says otherwise (see Task::rank). Not
/// the maximum: one spell of a higher clock would set it. Not the median: on a shared host most
/// windows may be disturbed, and those only ever read low.
struct Spread {
  double value = 0;  ///< the quantile `rank`
  double low = 0;    ///< p10
  double high = 0;   ///< p90
  bool noisy =
      false;  ///< the upper windows themselves disagree: p80 to p97 exceeds 5 % of the value
};
Spread spread_of(std::span<const double> samples, double rank = 0.9);

}  // namespace roofmark
