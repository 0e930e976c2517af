#include <algorithm>
#include <analysis/functions/tally.hpp>
#include <analysis/join/concurrency.hpp>
#include <cmath>

namespace roofmark::functions {

void Tally::add(const sampling::TimeSample& sample) {
  thread_s_ += sample.period_s;
  squares_ += sample.period_s * sample.period_s;
  threads_[sample.thread] += sample.period_s;
  windows_.push_back({std::llround(sample.period_s * 1e9),
                      static_cast<std::int64_t>(std::floor(sample.time_s / sample.period_s))});
  sorted_ = false;
}

void Tally::add(const Tally& other) {
  thread_s_ += other.thread_s_;
  squares_ += other.squares_;
  for (const auto& [thread, seconds] : other.threads_) threads_[thread] += seconds;
  windows_.insert(windows_.end(), other.windows_.begin(), other.windows_.end());
  sorted_ = false;
}

void Tally::sort() const {
  if (!sorted_) std::sort(windows_.begin(), windows_.end());
  sorted_ = true;
}

double Tally::wall_s() const {
  // A thread's samples are a period of its own time apart, and two may fall into one window: only
  // other threads' are at the same time.
  if (threads_.size() <= 1) return thread_s_;
  sort();
  double wall_s = 0;
  for (std::size_t i = 0; i < windows_.size(); ++i)
    if (i == 0 || windows_[i] != windows_[i - 1])
      wall_s += static_cast<double>(windows_[i].period_ns) * 1e-9;
  double longest_s = 0;
  for (const auto& [thread, seconds] : threads_) longest_s = std::max(longest_s, seconds);
  return std::clamp(wall_s, longest_s, thread_s_);
}

std::uint64_t Tally::threads_at_once() const {
  if (threads_.size() <= 1) return threads_.size();
  sort();
  std::vector<double> time_with(threads_.size() + 1, 0.0);  // by how many were in it
  double wall_s = 0;
  for (std::size_t i = 0; i < windows_.size();) {
    std::size_t next = i + 1;
    while (next < windows_.size() && windows_[next] == windows_[i]) ++next;
    const double period_s = static_cast<double>(windows_[i].period_ns) * 1e-9;
    time_with[std::min(next - i, threads_.size())] += period_s;
    wall_s += period_s;
    i = next;
  }
  return most_that_lasted(time_with, wall_s);
}

double Tally::imbalance() const {
  double longest_s = 0;
  for (const auto& [thread, seconds] : threads_) longest_s = std::max(longest_s, seconds);
  // Threads that follow each other, as a shell's commands do, share nothing out: the mean is that
  // of the threads that were there at once.
  if (thread_s_ <= 0) return 1;
  return std::max(1.0, longest_s / (thread_s_ / static_cast<double>(threads_at_once())));
}

double Tally::effective_samples() const {
  return squares_ > 0 ? thread_s_ * thread_s_ / squares_ : 0;
}

}  // namespace roofmark::functions
