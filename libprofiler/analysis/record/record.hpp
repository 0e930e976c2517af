// Runs a program and says what was measured of it: one native pass for time and, where there are
// hardware counters, for counts; further passes for what that could not count, joined into a
// profile. Whatever fails here, the program runs to its end.
#pragma once

#include <analysis/record/annotations.hpp>
#include <analysis/record/called_functions.hpp>
#include <analysis/record/install_paths.hpp>
#include <analysis/trace/trace.hpp>
#include <functional>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

struct RecordOptions {
  std::vector<std::string> command;  ///< the target and its arguments, any bytes
  std::string counters = "auto";     ///< "auto", "none" or a collector's name ("emulated", "perf")
  bool multiplex = false;            ///< all hardware events in one run, even where they don't fit
  /// Kernels of CUDA programs: "auto" (where the program was seen to use the driver), "on" or
  /// "off".
  std::string gpu = "auto";
  bool replay_kernels = false;     ///< each kernel runs as often as its counts need, in one run
  bool modelled_bytes = false;     ///< what hardware can't count comes from an emulated run
  std::filesystem::path findings;  ///< folder of what `roofmark check` found; empty: none
  bool full_cache = false;         ///< simulate every access, sample nothing
  bool once = false;               ///< the target may run only once
  /// This process is a rank of a parallel job, and the target runs in its place: only once, since
  /// the launcher connects a rank once, and the machine is measured before it, while no rank runs.
  std::optional<JobRanks> rank;
  bool mpi = false;                ///< MPI calls become regions
  std::optional<double> budget_s;  ///< wall time for the counted pass; unset: the default
  /// How long the counted pass may get no further, where no budget was given; unset: many times
  /// what is expected of it.
  std::optional<double> patience_s;
  /// Loads or measures the machine; called once, after the timed run and before the counted one,
  /// whose caches it describes. Gives up when `interrupted` says that the user wants to end.
  /// `gpus`: the program ran kernels on a GPU, so that the ceilings of GPUs may be measured. Unset:
  /// the ceilings stay unknown.
  std::function<Result<Machine>(const std::function<bool()>& interrupted, bool gpus)> measure;
  /// Without `measure`: whose caches the counted pass models; unset: those the kernel reports.
  std::optional<Machine> caches_of;
  /// So many visits of a process are kept by themselves; 0: none.
  std::uint64_t trace_visits = 0;
  /// Gets them when the timed run has ended, and again with the profile, its rooflines still empty,
  /// when all runs have: what a recorder that is killed between the two leaves has no verdicts.
  std::function<void(const Trace&, const Profile* joined)> keep_trace;
  /// Gets what is known while more is to come: the timed run alone, before the machine is measured
  /// and again before the counted run. A recorder that is killed later leaves what was kept here.
  std::function<void(Profile)> keep;
  InstallPaths install;
  /// Library packs that are preloaded beside the runtime, in every run of the program.
  std::vector<std::filesystem::path> packs;
  Annotations annotations;               ///< of other tools, read as regions
  std::vector<FunctionGlob> functions;   ///< of an unmodified program, made regions
  std::vector<std::string> papi_events;  ///< to be counted in the timed run, by PAPI's names
  /// Where the resctrl file system is, for the memory traffic of the whole program. Not looked at
  /// without counters; `resctrl_asked`: what it can't give is missed.
  std::filesystem::path resctrl_root = "/sys/fs/resctrl";
  bool resctrl_asked = false;
  /// Directories that may hold the recording while it is made; empty: the usual ones.
  std::vector<std::filesystem::path> scratch_candidates;
  /// Where a line for the user goes (estimate, what could not be done). Never the target's stdout.
  std::function<void(const std::string&)> tell;
  /// A line that the next one replaces; unset: no progress is shown.
  std::function<void(const std::string&)> progress;
};

/// How the target ended.
struct TargetEnd {
  int exit_code = 0;  ///< as the target gave it; 125, 126, 127 when it was never started
  int signal = 0;     ///< the signal that ended it, 0: it exited
  bool started = false;

  /// As a shell would say it: the exit code, or 128 + signal.
  int shell_status() const { return signal != 0 ? 128 + signal : exit_code; }
};

struct Recording {
  Profile profile;  ///< rooflines are still empty
  TargetEnd end;
  std::optional<Problem> not_started;  ///< why, when the target was never started
  std::optional<Problem> not_joined;   ///< why the profile has no regions, not even the whole
};

/// Nothing where there is a collector of this name.
std::optional<Problem> unknown_counters(const std::string& name);

/// Always returns what could be measured; what could not is in the profile's notes and `missing`.
Recording record(const RecordOptions& options);

/// Ends this process as the target ended: its exit status, or its signal raised again.
[[noreturn]] void end_as(const TargetEnd& end);

}  // namespace roofmark
