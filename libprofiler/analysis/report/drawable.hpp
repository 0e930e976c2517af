// What has a place on a logarithmic axis.
#pragma once

#include <cmath>

namespace roofmark {

inline bool drawable(double value) {
  return std::isfinite(value) && value > 0;
}

}  // namespace roofmark
