#include <unistd.h>

#include <algorithm>
#include <analysis/record/clock.hpp>
#include <analysis/record/executable.hpp>
#include <analysis/record/launch.hpp>
#include <analysis/record/native_pass.hpp>
#include <analysis/record/sampler.hpp>
#include <analysis/record/shortage.hpp>
#include <analysis/record/supervise.hpp>
#include <cerrno>
#include <csignal>
#include <exception>
#include <limits>

#include "collectors/emulated/inspect.hpp"

namespace roofmark {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// The runtime to preload, or why none is.
Result<std::filesystem::path> preload(const RecordOptions& options,
                                      const std::optional<std::filesystem::path>& recording,
                                      const std::optional<Problem>& no_recording) {
  if (!recording)
    return tl::unexpected(no_recording.value_or(Problem{"no recording was asked for", "", ""}));
  return options.install.runtime();
}

/// Why no region was seen although the target ran with the runtime.
Problem why_no_markers(const RecordOptions& options) {
  Problem problem{"the program entered no region", "", "annotate it: ROOFMARK_SCOPE(\"name\")"};
  const auto file = find_executable(options.command.front());
  if (!file) return problem;
  std::string remedy;
  if (auto reason = why_not_preloadable(*file, remedy)) return {*reason, file->string(), remedy};
  return problem;
}

/// GCC's AddressSanitizer refuses to start where a library was loaded before its own. The runtime
/// stands in front of nothing that it needs; what the user has set comes later and wins.
void let_sanitizer_start(const std::vector<std::string>& command,
                         std::vector<std::string>& environment) {
  if (command.empty()) return;
  const auto file = find_executable(command.front());
  if (!file) return;
  const auto executable = emulated::inspect(*file);
  if (!executable) return;
  const auto& sanitizers = executable->sanitizers;
  if (std::find(sanitizers.begin(), sanitizers.end(), "address") != sanitizers.end())
    set_variable(environment, "ASAN_OPTIONS", "verify_asan_link_order=0", ':');
}

/// Where there is no memory for a sample, the program goes on without being looked at.
double look(Sampler& sampler, double elapsed_s) {
  try {
    return sampler.look(elapsed_s);
  } catch (const std::exception&) {
    return std::numeric_limits<double>::infinity();
  }
}

void note_background(NativeRun& run) {
  for (const RawProcess& process : run.processes)
    if (process.pid != run.whole.pid && !process.ended && kill(process.pid, 0) == 0)
      run.notes.push_back(
          "Process " + std::to_string(process.pid) + " (" + process.executable +
          ") was still running when the program ended: its regions are complete only up to then.");
}

}  // namespace

NativeRun run_native_pass(const RecordOptions& options,
                          const std::optional<std::filesystem::path>& recording,
                          const std::optional<Problem>& no_recording, const SignalGate& gate,
                          StdinCapture& standard_input) {
  NativeRun run;
  const TickRate rate;
  const auto runtime = preload(options, recording, no_recording);

  Launch launch;
  launch.command = options.command;
  launch.environment = current_environment();
  launch.signal_mask = gate.original_mask();
  if (runtime) {
    launch.smaller_environment = launch.environment;
    set_variable(launch.environment, "LD_PRELOAD", runtime->string(), ':');
    set_variable(launch.environment, "ROOFMARK_RECORDING", recording->string());
    let_sanitizer_start(options.command, launch.environment);
  } else {
    run.no_markers = runtime.error();
  }
  const int replacement = standard_input.target_descriptor();
  if (replacement >= 0)
    launch.prepare = [replacement] { return dup2(replacement, STDIN_FILENO) < 0 ? errno : 0; };

  const std::string directory = runtime ? recording->string() : "";
  const auto launched = roofmark::launch(launch);
  if (!launched) {
    run.end.exit_code = launched.error().exit_code;
    run.not_started = launched.error().problem;
    return run;
  }
  standard_input.target_started();
  const bool recorded = runtime && !launched->smaller_environment;
  Sampler sampler(launched->pid, recorded ? directory : "");
  const Supervision supervision =
      supervise(*launched, gate, [&](double elapsed_s) { return look(sampler, elapsed_s); });
  run.whole.ended_raw_s = raw_s() - (monotonic_s() - supervision.ended_s);
  standard_input.stop();

  run.end = supervision.end;
  run.asked_to_end = supervision.asked_to_end;
  run.whole.pid = launched->pid;
  run.whole.wall_s = supervision.wall_s;
  run.whole.user_s = seconds(supervision.usage.ru_utime);
  run.whole.system_s = seconds(supervision.usage.ru_stime);
  run.processes_seen = sampler.processes();
  run.whole.waited_s = sampler.waited_for_core_s();
  run.samples = sampler.take();
  run.ticks_per_second = rate.per_second();
  if (launched->smaller_environment)
    run.no_markers = Problem{"the environment is so large that the runtime did not fit beside it",
                             "", "start it with a smaller environment or fewer arguments"};
  if (!recorded) return run;

  try {
    std::vector<Problem> problems;
    run.processes = read_arenas(directory, problems);
    for (const Problem& problem : problems)
      run.notes.push_back("Recording: " + to_line(problem) + ".");
    if (run.processes.empty()) run.no_markers = why_no_markers(options);
    note_background(run);
  } catch (const std::exception& error) {
    run.processes.clear();
    run.no_markers = shortage(error);
  }
  return run;
}

}  // namespace roofmark
