#include <unistd.h>

#include <algorithm>
#include <analysis/record/clock.hpp>
#include <analysis/record/executable.hpp>
#include <analysis/record/file_words.hpp>
#include <analysis/record/gpu_run.hpp>
#include <analysis/record/launch.hpp>
#include <analysis/record/native_pass.hpp>
#include <analysis/record/own_rank.hpp>
#include <analysis/record/packs.hpp>
#include <analysis/record/processes.hpp>
#include <analysis/record/program_probes.hpp>
#include <analysis/record/program_sampling.hpp>
#include <analysis/record/run_facts.hpp>
#include <analysis/record/sampler.hpp>
#include <analysis/record/scratch.hpp>
#include <analysis/record/shortage.hpp>
#include <analysis/record/supervise.hpp>
#include <cerrno>
#include <csignal>
#include <exception>
#include <limits>
#include <map>
#include <set>

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
Problem why_no_markers(const TargetFile& target, const Annotations& annotations) {
  if (auto why = why_not_preloadable(target)) return *why;
  const auto& tools = annotations.tools;
  if (target.executable && target.executable->function_hooks &&
      std::find(tools.begin(), tools.end(), "cyg") == tools.end())
    return {"the program entered no region; it was compiled with -finstrument-functions", "",
            "--annotations cyg makes each of its functions a region, at the price of one for each "
            "call"};
  return {"the program entered no region", "", "annotate it: ROOFMARK_SCOPE(\"name\")"};
}

/// Markers in a program into which no runtime could come: nothing else would tell that they are
/// there.
void note_unseen_markers(const RecordOptions& options, const TargetFile& target, NativeRun& run) {
  const auto why = why_not_preloadable(target);
  if (!why || !run.processes.empty() || !holds_word(target.executable->path, "roofmark_api_v1"))
    return;
  run.notes.push_back("The program holds markers that were not seen: " + to_line(*why) + ".");
  if (options.tell) options.tell(run.notes.back());
}

/// GCC's AddressSanitizer refuses to start where a library was loaded before its own. The runtime
/// stands in front of nothing that it needs; what the user has set comes later and wins.
void let_sanitizer_start(const TargetFile& target, std::vector<std::string>& environment) {
  if (!target.executable) return;
  const auto& sanitizers = target.executable->sanitizers;
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

/// Daemons and other processes that went on when the program had ended.
void note_background(NativeRun& run, const std::set<pid_t>& seen) {
  std::map<pid_t, std::string> left;
  for (const RawProcess& process : run.processes)
    if (!process.ended) left.emplace(process.pid, process.executable);
  for (const pid_t pid : seen) left.emplace(pid, executable_of(pid));
  std::erase_if(left, [&](const auto& entry) {
    return entry.first == run.whole.pid || !is_alive(entry.first);
  });
  if (left.empty()) return;
  constexpr std::size_t named = 3;
  std::string list;
  std::size_t count = 0;
  for (const auto& [pid, executable] : left) {
    if (++count > named) break;
    list += (list.empty() ? "" : ", ") + std::to_string(pid) +
            (executable.empty() ? "" : " " + executable);
  }
  if (left.size() > named) list += " and " + std::to_string(left.size() - named) + " more";
  run.notes.push_back((left.size() == 1
                           ? "A process that the program left running (" + list + ") is"
                           : "Processes that the program left running (" + list + ") are") +
                      " recorded only up to the program's end; kept in the foreground, as many "
                      "daemons can be told, all of it is recorded.");
}

/// The program's monitor group; nothing where none is to be made, with the reason in `run` where
/// one was asked for.
std::optional<resctrl::ProgramTraffic> monitor_traffic(const RecordOptions& options,
                                                       NativeRun& run) {
  if (options.counters == "none" && !options.resctrl_asked) return std::nullopt;
  const auto monitor = resctrl::look(options.resctrl_root);
  if (!monitor) {
    if (options.resctrl_asked) run.traffic = tl::unexpected(monitor.error());
    return std::nullopt;
  }
  auto begun = resctrl::ProgramTraffic::begin(*monitor);
  if (begun) return std::move(*begun);
  // What is there and refuses is worth a word.
  run.traffic = tl::unexpected(begun.error());
  return std::nullopt;
}

}  // namespace

NativeRun run_native_pass(const RecordOptions& options, const TargetFile& target,
                          const ExecutableFunctions& functions,
                          const std::optional<std::filesystem::path>& recording,
                          const std::optional<Problem>& no_recording,
                          const std::optional<std::filesystem::path>& counters, const GpuWatch& gpu,
                          const SignalGate& gate, StdinCapture& standard_input) {
  NativeRun run;
  const TickRate rate;
  const auto runtime = preload(options, recording, no_recording);
  ProgramSampling sampling(options.install.lib, runtime ? recording : std::nullopt);

  Launch launch;
  launch.command = options.command;
  launch.environment = current_environment();
  launch.signal_mask = gate.original_mask();
  if (runtime) {
    launch.smaller_environment = launch.environment;
    std::string preloaded = preload_text(*runtime, options.packs);
    // Named first, begun last: in fork() the runtime's handlers stand around the timers' then.
    if (const auto timer = sampling.library())
      preloaded = preload_text(*timer, {}) + ':' + preloaded;
    set_variable(launch.environment, "LD_PRELOAD", preloaded, ':');
    set_variable(launch.environment, "ROOFMARK_RECORDING", recording->string());
    if (counters) set_variable(launch.environment, "ROOFMARK_COUNTERS", counters->string());
    if (options.trace_visits > 0)
      set_variable(launch.environment, "ROOFMARK_TRACE", std::to_string(options.trace_visits));
    if (options.mpi) add_mpi(options.install.lib, launch.environment);
    for (std::string& note :
         add_readers(options.annotations, options.install.lib, launch.environment)) {
      if (options.tell) options.tell(note);
      run.notes.push_back(std::move(note));
    }
    run.no_functions = add_functions(options.functions, options.install.lib, launch.environment);
    let_sanitizer_start(target, launch.environment);
  } else {
    run.no_markers = run.no_functions = runtime.error();
  }
  if (gpu.plan) {
    set_gpu_environment(launch.environment, options, *gpu.plan);
  }
  const int replacement = standard_input.target_descriptor();
  auto traffic = monitor_traffic(options, run);
  launch.prepare = [replacement, &traffic] {
    if (traffic) traffic->join();
    return replacement >= 0 && dup2(replacement, STDIN_FILENO) < 0 ? errno : 0;
  };

  std::optional<Result<Uprobes>> probes;
  launch.before_exec = [&](pid_t child) {
    sampling.before_exec(child);
    probes = probe(child, functions);
  };

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
  if (has_several_nodes()) sampler.look_for_nodes();
  if (gpu.look_for_driver) sampler.look_for_cuda();
  const Supervision supervision = supervise(*launched, gate, [&](double elapsed_s) {
    double next_s = look(sampler, elapsed_s);
    if (sampler.has_seen_regions()) sampling.end();  // marked regions are what is wanted
    if (sampling.drain(elapsed_s)) next_s = std::min(next_s, ProgramSampling::longest_wait_s);
    if (probes && *probes) {
      (*probes)->drain();
      next_s = std::min(next_s, Uprobes::longest_wait_s);
    }
    return next_s;
  });
  run.whole.ended_raw_s = raw_s() - (monotonic_s() - supervision.ended_s);
  standard_input.stop();
  if (traffic) run.traffic = traffic->end();

  run.end = supervision.end;
  run.asked_to_end = supervision.asked_to_end;
  run.whole.pid = launched->pid;
  run.whole.wall_s = supervision.wall_s;
  run.whole.user_s = seconds(supervision.usage.ru_utime);
  run.whole.system_s = seconds(supervision.usage.ru_stime);
  run.processes_seen = sampler.processes();
  run.cuda_seen = sampler.has_seen_cuda();
  run.whole.large_page_share = sampler.large_page_share();
  run.whole.waited_s = sampler.waited_for_core_s();
  run.samples = sampler.take();
  add_memory_placement(sampler.bytes_by_node(), run.samples, run.whole);
  run.ticks_per_second = rate.per_second();
  if (!options.functions.empty() && !run.no_functions)
    run.no_functions = why_not_preloadable(target);
  if (launched->smaller_environment)
    run.no_markers = Problem{"the environment is so large that the runtime did not fit beside it",
                             "", "start it with a smaller environment or fewer arguments"};
  if (probes) take(*probes, run);
  run.sampled = sampling.take(run.whole.user_s + run.whole.system_s);
  if (!recorded) {
    use_probed(run);
    return run;
  }

  try {
    std::vector<Problem> problems;
    run.processes = read_arenas(directory, problems);
    for (const Problem& problem : problems)
      run.notes.push_back("Recording: " + to_line(without_place(problem)) + ".");
    use_probed(run);
    if (run.processes.empty())
      run.no_markers = why_no_markers(target, options.annotations);
    else
      run.sampled.reset();
    note_unseen_markers(options, target, run);
    note_background(run, sampler.seen());
  } catch (const std::exception& error) {
    run.processes.clear();
    run.no_markers = shortage(error);
  }
  return run;
}

}  // namespace roofmark
