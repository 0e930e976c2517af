// Measures many ceilings at once on a set of cores: short windows, round-robin over all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "kernel.hpp"
#include "stopwatch.hpp"

namespace roofmark {

/// One kernel on one working set. Several tasks may compete for one ceiling: the best is kept.
struct Task {
  const Kernel* kernel = nullptr;
  std::size_t ceiling = 0;  ///< which of the caller's ceilings it is a candidate for
  std::string level;        ///< empty: compute or clock
  unsigned arrays = 1;
  std::size_t set_bytes = 0;   ///< all arrays of one thread
  std::size_t warm_bytes = 0;  ///< walked before the timed windows, untimed; all arrays
  unsigned windows = 1;        ///< timed windows after one warming
  bool seldom = false;  ///< dear: takes part only while such tasks have had their share of the time
  bool in_place = false;  ///< streams on through the set instead of moving the set each round
  /// Which quantile of its rates is the ceiling. Disturbances only ever lower a rate.
  double rank = 0.9;
  double window_factor = 1;  ///< its windows are so many times as long as StageLimits says
  bool flushed = false;      ///< the set is evicted from all caches instead of being walked before
  /// Takes part in every second round: what comes after it is measured at a lower clock.
  bool lowers_clock = false;

  // Adapted while running, so that a window lasts window_s:
  std::uint64_t repeats = 1;    ///< iterations or passes
  std::size_t slice_bytes = 0;  ///< per array and window; 0: the whole set, `repeats` times

  std::vector<double> rates;  ///< FLOP/s, cycles/s or program bytes/s of all threads together
};

struct StageLimits {
  double window_s = 30e-6;
  double least_s = 1.0;  ///< spread over at least this time
  double most_s = 3.0;
  std::size_t samples = 60;           ///< per task; of long windows a third is enough
  unsigned trial_rounds = 4;          ///< then each ceiling keeps its two best candidates
  std::function<bool()> interrupted;  ///< asked once a round by one thread: true ends the stage
};

/// Each thread's memory, indexed as `cpus` is; touched by that thread.
using StageMemory = std::span<Buffer* const>;

/// Runs the tasks on these CPUs in step. Returns false when a thread could not be bound.
/// `progress` is told the share that is done.
bool run_stage(std::vector<Task>& tasks, std::span<const unsigned> cpus, StageMemory memory,
               const StageLimits& limits, const Stopwatch& watch,
               const std::function<void(double)>& progress);

/// Program bytes or FLOP or links of one window of one thread.
double work_of(const Task& task);

/// The better of a ceiling's surviving candidates, or nothing.
const Task* best_task(std::span<const Task> tasks, std::size_t ceiling);

}  // namespace roofmark
