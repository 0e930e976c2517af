// Whether two groups of runs differ by more than their noise. Pure functions.
#pragma once

#include <optional>
#include <vector>

namespace roofmark::comparison {

/// P(|T| >= |t|) of Student's distribution; 1 for t = 0. `degrees` may be a fraction.
double student_two_sided(double t, double degrees);

/// The t with P(|T| >= t) = p.
double student_quantile(double p, double degrees);

/// By what factor the second group's values are the first's.
struct RatioTest {
  double before = 0, after = 0;  ///< geometric means
  double ratio = 1;              ///< after / before
  double low = 1, high = 1;      ///< of the ratio, at the confidence asked for
  double p = 1;                  ///< probability of at least this difference without a change
};

/// Student's t test of the logarithms: Welch's where both groups have several values, with a common
/// variance where one has a single value. Assumes that the runs are independent and that their
/// noise is a factor, the logarithm of which is near normal; now and then a slow run makes the test
/// miss changes, not invent them. Nothing where a value is not positive, or with one value a side.
std::optional<RatioTest> test_ratio(const std::vector<double>& before,
                                    const std::vector<double>& after, double alpha);

/// Holm's correction of p values that are looked at together, in their order: the chance that any
/// of them is below a level without a change is at most that level.
std::vector<double> holm(const std::vector<double>& p);

}  // namespace roofmark::comparison
