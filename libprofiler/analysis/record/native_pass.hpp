// The run that is timed: the target as the user would run it, with the runtime preloaded.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/record/executable.hpp>
#include <analysis/record/executable_functions.hpp>
#include <analysis/record/record.hpp>
#include <analysis/record/signal_gate.hpp>
#include <analysis/record/stdin_capture.hpp>
#include <analysis/record/uprobes.hpp>
#include <analysis/sampling/sampled_run.hpp>
#include <collectors/resctrl/program_traffic.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace roofmark {

struct NativeRun {
  TargetEnd end;
  std::optional<Problem> not_started;
  WholeProgram whole;
  std::vector<RawProcess> processes;
  std::vector<PlacementSample> samples;
  /// Functions of the executable that are probed, and why they are not. Their calls are among
  /// `processes` where nothing else is.
  std::optional<Result<Uprobes::Outcome>> probed;
  std::optional<Problem> no_functions;  ///< why calls of functions are no regions
  std::optional<Problem> no_markers;
  /// Nothing where the program has regions; of one without, or why there are no samples.
  std::optional<Result<sampling::SampledRun>> sampled;
  std::optional<double> ticks_per_second;
  std::size_t processes_seen = 1;
  bool cuda_seen = false;  ///< a process of it had CUDA's driver loaded; where that was looked for
  int asked_to_end = 0;    ///< SIGINT, SIGTERM, ... arrived while it ran
  /// Nothing where it was not asked for and can't be counted here.
  std::optional<Result<resctrl::Traffic>> traffic;
  std::vector<std::string> notes;
};

/// What the native pass does about GPUs.
struct GpuWatch {
  std::optional<std::filesystem::path> plan;  ///< times kernels in this very run
  bool look_for_driver = false;
};

/// `functions`: of the executable, to be timed. `counters`: a file with what the runtime is to
/// count. `recording`: an empty directory for the arenas; nothing, with the reason in
/// `no_recording`: the target runs without the runtime and is timed as a whole.
NativeRun run_native_pass(const RecordOptions& options, const TargetFile& target,
                          const ExecutableFunctions& functions,
                          const std::optional<std::filesystem::path>& recording,
                          const std::optional<Problem>& no_recording,
                          const std::optional<std::filesystem::path>& counters, const GpuWatch& gpu,
                          const SignalGate& gate, StdinCapture& standard_input);

}  // namespace roofmark
