// Runs the target a second time under the emulated collector, out of the way of the first run.
#pragma once

#include <analysis/files/descriptor.hpp>
#include <analysis/join/hot_paths.hpp>
#include <analysis/join/join.hpp>
#include <analysis/record/executable.hpp>
#include <analysis/record/executable_functions.hpp>
#include <analysis/record/patience.hpp>
#include <analysis/record/record.hpp>
#include <analysis/record/signal_gate.hpp>
#include <filesystem>
#include <optional>

namespace roofmark {

struct CountedRun {
  const RecordOptions* options = nullptr;
  const TargetFile* target = nullptr;
  const Machine* machine = nullptr;  ///< whose caches are modelled; none: those the kernel reports
  std::filesystem::path directory;   ///< for its files; on no network file system
  const FoundProgram* found = nullptr;           ///< functions of a program without regions
  const ExecutableFunctions* entries = nullptr;  ///< its functions whose calls are regions
  HotPaths hot;                    ///< of the native run: served first where time is short
  Descriptor standard_input;       ///< what the target reads
  double native_cpu_s = 0;         ///< of the native run: the estimate rests on it
  double native_wall_s = 0;        ///< of the native run, its waits included
  std::size_t processes = 1;       ///< each has to start the emulator anew
  unsigned processes_at_once = 1;  ///< that fill the shared caches together
};

struct CountedOutcome {
  CountedPass counts;
  Pass pass;
  std::vector<std::string> notes;
};

Estimate estimate_counted_pass(double native_cpu_s, std::size_t processes, bool full_cache);
/// Whether a pass is more likely than not to be ended before its end.
bool exceeds(const Estimate& estimate, std::optional<double> deadline_s);

/// Why this target can't be counted, or what was counted, perhaps incomplete (`counts.problem`).
Result<CountedOutcome> run_counted_pass(CountedRun& run, const SignalGate& gate);

}  // namespace roofmark
