// What the benches share: a clock and medians.
#pragma once

#include <time.h>

#include <algorithm>
#include <vector>

namespace roofmark::bench {

inline double now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Of one or more values.
inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Nanoseconds of one `work` in a window of so many.
template <class Work>
double each_ns(int times, Work work) {
  const double before = now_ns();
  for (int i = 0; i < times; ++i) work();
  return (now_ns() - before) / times;
}

}  // namespace roofmark::bench
