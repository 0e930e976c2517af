// Measures of several ranks together, with their ranges: a sum, or the largest.
#pragma once

#include <algorithm>
#include <optional>
#include <roofmark/profile.hpp>

namespace roofmark {

/// The ends of a range that several make together, and the weakest of their sources.
class MeasureEnds {
 public:
  /// With the ends that are there once this one has been added to them.
  template <class Combine>
  void add(const Measure& one, const Combine& combine) {
    low_ = combine(low_, one.low.value_or(one.value));
    high_ = combine(high_, one.high.value_or(one.value));
    is_range_ = is_range_ || one.low || one.high;
    source_ = std::max(source_, one.source);
  }
  Source source() const { return source_; }
  /// Around a value that may lie beyond them.
  Measure around(double value, Source source, double divisor = 1) const {
    Measure measure{value, source, {}, {}};
    if (is_range_) {
      measure.low = std::min(low_ / divisor, value);
      measure.high = std::max(high_ / divisor, value);
    }
    return measure;
  }

 private:
  double low_ = 0, high_ = 0;
  bool is_range_ = false;
  Source source_ = Source::measured;
};

/// Nothing, until one has been added. Who has none adds nothing.
class MeasureSum {
 public:
  void add(const std::optional<Measure>& one) {
    if (!one) return;
    value_ += one->value;
    ends_.add(*one, [](double sum, double end) { return sum + end; });
    any_ = true;
  }
  std::optional<Measure> over(double divisor) const {
    if (!any_) return std::nullopt;
    return ends_.around(value_ / divisor, ends_.source(), divisor);
  }

 private:
  double value_ = 0;
  bool any_ = false;
  MeasureEnds ends_;
};

}  // namespace roofmark
