#include <algorithm>
#include <analysis/record/patience.hpp>

namespace roofmark {
namespace {

constexpr double looks_in_patience = 4;

}  // namespace

double patience_s(const Estimate& estimate, double native_wall_s) {
  return std::max(least_patience_s, patience_factor * (estimate.high_s + native_wall_s));
}

double Progress::next_look_s() const {
  return last_look_s_ + patience_s_ / looks_in_patience;
}

bool Progress::is_stuck(double elapsed_s, std::uint64_t steps) {
  last_look_s_ = elapsed_s;
  if (steps != steps_) last_progress_s_ = elapsed_s;
  steps_ = steps;
  return without_progress_s() >= patience_s_;
}

}  // namespace roofmark
