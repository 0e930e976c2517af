#include "measured.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/machine/statistics.hpp"

namespace roofmark::cupti {
namespace {

/// Iterations that fill a window, found by doubling; bounded, so that a clock that stands still
/// ends it.
Result<std::uint64_t> iterations_for(const Microkernel& kernel, const Launch& launch,
                                     double window_s) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  std::uint64_t iterations = 1;
  while (true) {
    const auto timed = launch(kernel, iterations);
    if (!timed) return tl::unexpected(timed.error());
    if (timed->time_s >= window_s) return iterations;
    if (iterations >= most)
      return tl::unexpected(Problem{"its launches take no time", kernel.name, ""});
    // Up to 8-fold: the first launches are those of a device that slept.
    const double wanted = timed->time_s > 0 ? 1.2 * window_s / timed->time_s : 8;
    iterations = static_cast<std::uint64_t>(
        std::ceil(static_cast<double>(iterations) * std::clamp(wanted, 1.2, 8.0)));
  }
}

}  // namespace

Result<MeasuredCeiling> measure_ceiling(const Microkernel& kernel, const Launch& launch,
                                        const MeasureWindows& windows) {
  auto iterations = iterations_for(kernel, launch, windows.window_s);
  if (!iterations) return tl::unexpected(iterations.error());
  for (double warm_s = 0; warm_s < windows.warm_up_s;) {
    const auto timed = launch(kernel, *iterations);
    if (!timed) return tl::unexpected(timed.error());
    warm_s += std::max(timed->time_s, windows.window_s / 4);
  }
  std::vector<double> rates, clocks;
  for (unsigned i = 0; i < windows.windows; ++i) {
    const auto timed = launch(kernel, *iterations);
    if (!timed) return tl::unexpected(timed.error());
    if (!(timed->time_s > 0) || !(timed->work > 0))
      return tl::unexpected(Problem{"a launch took no time or did no work", kernel.name, ""});
    rates.push_back(timed->work / timed->time_s);
    if (timed->sm_clock_hz > 0) clocks.push_back(timed->sm_clock_hz);
  }
  const Spread spread = spread_of(rates);
  MeasuredCeiling measured;
  measured.ceiling.quantity = kernel.quantity;
  measured.ceiling.pattern = kernel.pattern;
  measured.ceiling.per_s = spread.value;
  measured.ceiling.low = spread.low;
  measured.ceiling.high = spread.high;
  measured.ceiling.source = Source::measured;
  if (spread.noisy) measured.ceiling.flags.emplace_back("noisy");
  measured.sm_clock_hz = quantile(clocks, 0.5);
  // Memory has a clock of its own, which a kernel does not see.
  if (measured.sm_clock_hz > 0 && kernel.bound != Bound::memory)
    measured.ceiling.per_cycle = measured.ceiling.per_s / measured.sm_clock_hz;
  return measured;
}

}  // namespace roofmark::cupti
