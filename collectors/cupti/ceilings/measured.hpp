// From timed launches to a ceiling. What launches is behind an interface: a card, or a test.
#pragma once

#include <cstdint>
#include <functional>
#include <roofmark/machine.hpp>
#include <roofmark/result.hpp>

#include "microkernels.hpp"

namespace roofmark::cupti {

struct TimedLaunch {
  double time_s = 0;       ///< between events before and behind it
  double work = 0;         ///< that it did
  double sm_clock_hz = 0;  ///< seen by the kernel itself; 0: not known
};

/// Launches the kernel with so many iterations and waits for it.
using Launch = std::function<Result<TimedLaunch>(const Microkernel&, std::uint64_t iterations)>;

struct MeasureWindows {
  double window_s = 0.004;  ///< one launch takes about this long
  double warm_up_s = 0.05;
  unsigned windows = 24;  ///< 20 at least, or the spread is not believed
};

/// The p90 of the windows, with p10 and p90, and the work per cycle of the clock that was seen.
/// Flag `noisy` where the windows disagree.
struct MeasuredCeiling {
  GpuCeiling ceiling;
  double sm_clock_hz = 0;
};
Result<MeasuredCeiling> measure_ceiling(const Microkernel& kernel, const Launch& launch,
                                        const MeasureWindows& windows = {});

}  // namespace roofmark::cupti
