#include "stopwatch.hpp"

#include <algorithm>
#include <ctime>
#include <limits>

#include "cpu_features.hpp"

namespace roofmark {
namespace {

/// A counter reading and the clock's at the same moment: the closest of a few tries.
template <class Read>
void read_together(Read read, double& seconds, std::uint64_t& ticks) {
  double closest = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < 20; ++attempt) {
    const double before = monotonic_s();
    const std::uint64_t now = read();
    const double after = monotonic_s();
    if (after - before >= closest) continue;
    closest = after - before;
    seconds = (before + after) / 2;
    ticks = now;
  }
}

}  // namespace

double monotonic_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::uint64_t Stopwatch::clock_ticks() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

Stopwatch::Stopwatch() {
  tsc_ = tsc_is_invariant(read_x86_registers());
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t start = ticks();
    least = std::min(least, ticks() - start);
  }
  overhead_ticks_ = static_cast<double>(least);
  read_together([this] { return ticks(); }, started_s_, started_ticks_);
  if (!tsc_) return;
  timespec nap{0, 20'000'000};
  nanosleep(&nap, nullptr);
  recalibrate();
}

void Stopwatch::recalibrate() {
  if (!tsc_) return;
  double seconds = 0;
  std::uint64_t now = 0;
  read_together([this] { return ticks(); }, seconds, now);
  hz_ = static_cast<double>(now - started_ticks_) / (seconds - started_s_);
}

}  // namespace roofmark
