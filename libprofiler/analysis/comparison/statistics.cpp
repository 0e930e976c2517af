#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace roofmark::comparison {
namespace {

/// The continued fraction of the incomplete beta function, DLMF 8.17.22, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  constexpr int most_steps = 1000;
  const auto guarded = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1;
  double d = 1 / guarded(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m <= most_steps; ++m) {
    for (const bool even : {true, false}) {
      const double k = even ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                            : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 / guarded(1 + k * d);
      c = guarded(1 + k / c);
      value *= c * d;
    }
    if (std::abs(c * d - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return value;
}

/// Regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on this side of the mean alone.
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

struct Group {
  double mean = 0;
  double squares = 0;  ///< summed over the deviations from the mean
  double count = 0;
  double variance_of_mean() const { return squares / (count - 1) / count; }
};

std::optional<Group> group_of(const std::vector<double>& values) {
  Group group;
  group.count = static_cast<double>(values.size());
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    group.mean += std::log(value) / group.count;
  }
  for (const double value : values)
    group.squares += (std::log(value) - group.mean) * (std::log(value) - group.mean);
  return group;
}

struct Error {
  double deviation = 0;  ///< of the difference of the means
  double degrees = 1;
};

Error error_of(const Group& a, const Group& b) {
  if (a.count < 2 || b.count < 2) {
    const double degrees = a.count + b.count - 2;
    const double variance = (a.squares + b.squares) / degrees;
    return {std::sqrt(variance * (1 / a.count + 1 / b.count)), degrees};
  }
  const double va = a.variance_of_mean(), vb = b.variance_of_mean();
  const double sum = va + vb;
  // Welch and Satterthwaite.
  const double degrees = sum > 0 ? sum * sum / (va * va / (a.count - 1) + vb * vb / (b.count - 1))
                                 : a.count + b.count - 2;
  return {std::sqrt(sum), degrees};
}

}  // namespace

double student_two_sided(double t, double degrees) {
  return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_quantile(double p, double degrees) {
  double low = 0, high = 1;
  while (student_two_sided(high, degrees) > p && high < 1e12) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (student_two_sided(middle, degrees) > p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

std::optional<RatioTest> test_ratio(const std::vector<double>& before,
                                    const std::vector<double>& after, double alpha) {
  if (before.empty() || after.empty() || before.size() + after.size() < 3) return std::nullopt;
  const auto a = group_of(before), b = group_of(after);
  if (!a || !b) return std::nullopt;
  const Error error = error_of(*a, *b);
  const double difference = b->mean - a->mean;
  RatioTest test;
  test.before = std::exp(a->mean);
  test.after = std::exp(b->mean);
  test.ratio = std::exp(difference);
  const double margin = error.deviation * student_quantile(alpha, error.degrees);
  test.low = std::exp(difference - margin);
  test.high = std::exp(difference + margin);
  // Counts that are the same in every run have no noise: the smallest difference is one. What
  // rounding makes of equal logarithms is none.
  constexpr double rounding = 1e-12;
  if (std::abs(difference) <= rounding)
    test.p = 1;
  else if (error.deviation <= rounding)
    test.p = 0;
  else
    test.p = student_two_sided(difference / error.deviation, error.degrees);
  return test;
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> corrected(p.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double one = p[order[rank]] * static_cast<double>(p.size() - rank);
    largest = std::max(largest, std::min(one, 1.0));
    corrected[order[rank]] = largest;
  }
  return corrected;
}

}  // namespace roofmark::comparison
