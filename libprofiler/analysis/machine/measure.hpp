// This machine's ceilings: from the cache of an earlier calibration, or measured now.
//
// What a reader of the result may rely on:
// - compute ceilings: per precision x `width_bits` x operation, at scope "core" (threads 1) and at
// scope
//   "machine" (every allowed core; smaller scopes and a curve over the cores in between). `isa`
//   names the encoding: "scalar" (width 0; "gpr" where it moves through general registers), "sse"
//   (128, legacy encoding, no FMA), "avx128" (128, VEX, with FMA3), "avx" or "avx2" (256), "avx512"
//   (512), "neon" (128), "sve", "rvv" (the length the machine has). `sustained` marks those
//   measured over >= 1 s on all cores; the others are bursts.
// - bandwidth ceilings: level x pattern at the same scopes. L1 exists per isa; the other levels
// only with the
//   widest one. A level that the machine lacks has none. `low` and `high` are p10 and p90 of the
//   windows, the value itself is the p90; it always lies within the two.
#pragma once

#include <functional>
#include <optional>
#include <roofmark/machine.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>

namespace roofmark {

struct MeasureOptions {
  bool quick = false;    ///< fewer windows, one placement: for tests and impatient people
  bool refresh = false;  ///< measure again whatever the cache holds
  bool probe = true;     ///< re-check three ceilings of a cached machine (0.3 s)
  double budget_s = 20;  ///< the whole calibration, page faults included
  std::optional<std::string> file;  ///< use this machine file, measure nothing
  std::optional<std::string>
      cache_dir;  ///< instead of $XDG_CACHE_HOME/roofmark or ~/.cache/roofmark
  /// Several processes of this node ask at the same time, each perhaps bound to cores of its own:
  /// the whole node is meant, one of them measures it, and the others take what that one has found,
  /// without probes that would disturb one another.
  bool for_ranks = false;
  /// Measure GPUs whose ceilings are not kept: that takes a context and gigabytes of each for some
  /// seconds, and disturbs whatever runs there. Without it kept ones are read.
  bool gpus = false;
  /// Asked now and then while measuring: true ends it early, and nothing is kept.
  std::function<bool()> interrupted;
};

/// Told now and then: the share that is done, 0 to 1, and what is being measured.
using MeasureProgress = std::function<void(double done, std::string_view what)>;

/// `options.file`, else $ROOFMARK_MACHINE_FILE, else the cache, else a measurement, which is then
/// cached. What went wrong on the way without preventing an answer is in Machine::notes.
Result<Machine> load_or_measure(const MeasureOptions& options,
                                const MeasureProgress& progress = {});

/// What load_or_measure would find without measuring; nothing where it would measure. A hurried
/// calibration will do where no full one is kept.
Result<std::optional<Machine>> kept_machine(const MeasureOptions& options);

}  // namespace roofmark
