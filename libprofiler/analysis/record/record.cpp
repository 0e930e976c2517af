#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/profile/join.hpp>
#include <analysis/profile/measured.hpp>
#include <analysis/profile/program_traffic.hpp>
#include <analysis/profile/region_tree.hpp>
#include <analysis/record/counted_pass.hpp>
#include <analysis/record/found_functions.hpp>
#include <analysis/record/function_names.hpp>
#include <analysis/record/gpu_passes.hpp>
#include <analysis/record/hardware_pass.hpp>
#include <analysis/record/hardware_plan.hpp>
#include <analysis/record/later_passes.hpp>
#include <analysis/record/native_pass.hpp>
#include <analysis/record/papi_pass.hpp>
#include <analysis/record/processes_at_once.hpp>
#include <analysis/record/record.hpp>
#include <analysis/record/run_facts.hpp>
#include <analysis/record/scratch.hpp>
#include <analysis/record/shortage.hpp>
#include <analysis/record/stdin_capture.hpp>
#include <analysis/record/supervise.hpp>
#include <array>
#include <collectors/emulated/plan.hpp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <thread>

namespace roofmark {
namespace {

/// Input that a second run gets again is kept up to here.
constexpr std::uint64_t stdin_bound_bytes = std::uint64_t{1} << 28;

/// Why no second run is made, before it is known what the collectors can do.
std::optional<Problem> why_not_counted(const RecordOptions& options, const NativeRun& native) {
  if (options.counters == "none")
    return Problem{"counting was not asked for (--counters none)", "", "--counters auto"};
  if (options.rank)
    return Problem{
        "a rank of a running job can't be run a second time (its launcher connects it once)", "",
        "count around the whole job: roofmark record -- mpirun ..."};
  if (options.once)
    return Problem{"the program was to run only once (--once), and that run was timed", "",
                   "leave out --once, or declare() the work in the source"};
  const bool was_ended = native.asked_to_end != 0 || native.end.signal == SIGKILL ||
                         native.end.signal == SIGTERM || native.end.signal == SIGINT;
  if (was_ended && !options.budget_s) {
    const int signal = native.asked_to_end != 0 ? native.asked_to_end : native.end.signal;
    return Problem{std::string("the timed run was ended from outside (") + strsignal(signal) +
                       "), so a second run might not end by itself",
                   "", "--budget SECONDS ends the counted run after that time"};
  }
  return std::nullopt;
}

bool runs_once(const RecordOptions& options) {
  return options.once || options.rank;
}

/// Hardware counters were asked for, and nothing else will do.
bool by_hardware(const RecordOptions& options) {
  return options.counters == "perf" || options.counters == "papi";
}

/// The ceilings and caches of this machine. The timed run is over and the counted one has not
/// begun: none disturbs the other. `hurried`: what is kept has to do. Returns why nothing more is
/// to be done, if the user said so.
std::optional<Problem> measure(const RecordOptions& options, const SignalGate& gate, bool hurried,
                               bool gpus, Profile& profile) {
  if (!options.measure) return std::nullopt;
  int asked_to_end = 0;
  // One thread at a time asks.
  const auto interrupted = [&] {
    while (const auto signal = gate.next()) {
      const int number = static_cast<int>(signal->ssi_signo);
      if (asks_to_end(number)) asked_to_end = number;
      if (number == SIGTSTP) raise(SIGSTOP);
    }
    return hurried || asked_to_end != 0;
  };
  auto machine = [&]() -> Result<Machine> {
    try {
      return options.measure(interrupted, gpus);
    } catch (const std::exception& error) {
      return tl::unexpected(shortage(error));
    }
  }();
  if (machine) {
    profile.machine = std::move(*machine);
  } else {
    const std::string text =
        "This machine's ceilings are not known: " + to_line(machine.error()) + ".";
    profile.notes.push_back(text);
    if (options.tell) options.tell(text);
  }
  if (asked_to_end == 0) return std::nullopt;
  return Problem{
      std::string("it was interrupted (") + strsignal(asked_to_end) + ") before the counted run",
      "", "let it run to its end"};
}

/// Whose caches the counted pass models.
const Machine* caches_of(const RecordOptions& options, const Profile& profile) {
  if (!profile.machine.topology.caches.empty()) return &profile.machine;
  return options.caches_of ? &*options.caches_of : nullptr;
}

/// Hands out the timed run alone, as the profile that stands if this process is killed from here
/// on.
void keep_times(const RecordOptions& options, JoinInput& input, const Profile& profile) {
  if (!options.keep) return;
  Profile times = profile;
  const bool to_be_counted = !input.not_counted;
  if (to_be_counted)
    input.not_counted = Problem{"Roofmark itself was ended before the counted run was over", "",
                                "record it again, and let it run to its end"};
  times.notes.push_back(
      to_be_counted
          ? "The counted run did not end: Roofmark itself was ended before. This is the timed run "
            "alone."
          : "This machine's ceilings are not known: Roofmark itself was ended before.");
  join(input, times);
  if (to_be_counted) input.not_counted.reset();
  options.keep(std::move(times));
}

/// Hardware first: what it counts is exact and takes one native run. Nothing, with the reason in
/// `problem`, where it can't count the FLOPs of this machine, or anything at all.
std::shared_ptr<MeasuredPasses> plan_counters_of(const RecordOptions& options,
                                                 std::optional<Problem>& problem) {
  if (options.counters != "auto" && !by_hardware(options)) return nullptr;
  HardwareOptions hardware;
  hardware.by_papi = options.counters == "papi";
  hardware.installed_tables = options.install.share / "events";
  if (!options.findings.empty()) hardware.findings = options.findings;
  hardware.multiplex = options.multiplex;
  hardware.once = runs_once(options);
  hardware.tell = options.tell;
  auto plan = plan_hardware(hardware);
  if (!plan) {
    problem = plan.error();
    return nullptr;
  }
  if (options.counters == "auto" && !plan->counts_flop) {
    problem = Problem{"the counters of this machine can't count FLOPs", "", "--counters perf"};
    return nullptr;
  }
  return std::make_shared<MeasuredPasses>(std::move(plan->passes));
}

/// Of the target, or the ranks on this node: a recording of each rank sees its own alone.
unsigned processes_that_share_caches(const RecordOptions& options,
                                     const std::vector<PlacementSample>& samples) {
  cpu_set_t allowed;
  const unsigned cpus = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                            ? static_cast<unsigned>(CPU_COUNT(&allowed))
                            : std::max(std::thread::hardware_concurrency(), 1U);
  const std::uint64_t ranks = options.rank ? options.rank->on_node.value_or(1) : 1;
  return std::max(processes_at_once(samples, cpus),
                  static_cast<unsigned>(std::min<std::uint64_t>(ranks, cpus)));
}

void count(const RecordOptions& options, const TargetFile& target,
           const ExecutableFunctions& of_executable, const NativeRun& native,
           const Scratch* scratch, const StdinCapture& standard_input, const SignalGate& gate,
           const std::shared_ptr<MeasuredPasses>& measured, PapiPass& papi, bool gpus,
           JoinInput& input, Profile& profile) {
  if (!input.not_counted) input.not_counted = why_not_counted(options, native);
  // What the timed run counted is in the profile that stands if this process is killed.
  input.measured = measured;
  // Batch systems and closing terminals kill soon after. Who typed Ctrl-C at a program without an
  // end waits for the report, or types it again.
  const bool hurried = native.asked_to_end == SIGTERM || native.asked_to_end == SIGHUP;
  if (options.measure) keep_times(options, input, profile);
  std::optional<Problem> interrupted;
  if (!options.rank) interrupted = measure(options, gate, hurried, gpus, profile);
  if (interrupted && !input.not_counted) input.not_counted = std::move(interrupted);
  if (measured) {
    const RunAgain again{options, input, scratch, standard_input, gate};
    run_later_passes(again, input.not_counted, papi.run == NamedIn::own_run, *measured, profile);
    run_named_events(again, input.not_counted, *measured, papi, profile);
    input.measured = measured;
    const auto lack = options.counters == "auto" ? flop_lack(input) : std::nullopt;
    if (lack && !input.not_counted && options.tell)
      options.tell("Hardware did not count all FLOPs: " + to_line(*lack) + ".");
    if (!options.modelled_bytes && !lack) {
      input.not_counted.reset();
      return;
    }
  }
  if (input.not_counted) return;
  if (scratch == nullptr) {
    input.not_counted = Problem{"no directory could hold the counts", "",
                                "set TMPDIR to a writable directory on a local disk"};
    return;
  }
  if (auto changed = why_not_again(target)) {
    input.not_counted = std::move(changed);
    return;
  }
  CountedRun run;
  run.options = &options;
  run.target = &target;
  run.machine = caches_of(options, profile);
  run.native_cpu_s = native.whole.user_s + native.whole.system_s;
  run.native_wall_s = native.whole.wall_s;
  run.processes = native.processes_seen;
  run.processes_at_once = processes_that_share_caches(options, input.samples);
  run.hot = hot_paths(input);
  if (input.found) run.found = &*input.found;
  run.entries = &of_executable;
  auto replayed = standard_input.replay();
  if (!replayed) {
    input.not_counted = replayed.error();
    return;
  }
  run.standard_input = std::move(*replayed);
  auto directory = scratch->subdirectory(counts_directory);
  if (!directory) {
    input.not_counted = directory.error();
    return;
  }
  run.directory = *directory;
  keep_times(options, input, profile);
  auto outcome = run_counted_pass(run, gate);
  if (!outcome) {
    input.not_counted = outcome.error();
    return;
  }
  input.counted = std::move(outcome->counts);
  const int status = outcome->pass.exit_status.value_or(0);
  if (!input.counted->problem && status != native.end.shell_status()) {
    input.counted->other_end = emulated::other_end(status, native.end.shell_status());
    profile.notes.push_back("The counted run ended with status " + std::to_string(status) +
                            ", the timed run with " + std::to_string(native.end.shell_status()) +
                            ": they did not do the same.");
  }
  profile.passes.push_back(std::move(outcome->pass));
  profile.notes.insert(profile.notes.end(), outcome->notes.begin(), outcome->notes.end());
}

/// Of a program that entered no region.
void find_functions(const NativeRun& native, JoinInput& input) {
  if (!native.sampled || !input.native.empty()) return;
  try {
    auto found = *native.sampled ? found_functions(**native.sampled, native.whole)
                                 : Result<FoundProgram>(tl::unexpected(native.sampled->error()));
    if (found)
      input.found = std::move(*found);
    else
      input.not_found = found.error();
  } catch (const std::exception& error) {
    input.not_found = shortage(error);
  }
}

/// From the files of the timed run, which are there until the recording ends: visits need not be in
/// memory while other runs go on. What can't be read becomes a sentence.
Trace read_traces(const RecordOptions& options, const JoinInput& input,
                  std::vector<std::string>& lacks) {
  Trace trace;
  trace.command = options.command;
  const std::string executable = base_name(main_executable(input));
  for (const RawProcess& process : input.native) {
    auto traced = read_trace(process, input.ticks_per_second);
    if (!traced) {
      lacks.push_back(fmt::format("The trace lacks process {}: {}.", process.pid,
                                  to_line(without_place(traced.error()))));
      continue;
    }
    traced->foreign = base_name(process.executable) != executable;
    trace.processes.push_back(std::move(*traced));
  }
  for (std::string& lack : shortcomings(trace)) lacks.push_back(std::move(lack));
  if (reads_functions(options.annotations)) {
    std::set<std::string> names;
    for (const TracedProcess& process : trace.processes) {
      names.insert(process.names.begin(), process.names.end());
      for (const auto& [tid, path] : process.entered) names.insert(path.begin(), path.end());
    }
    trace.shown_as = readable_names(names);
  }
  return trace;
}

/// At once: what comes later may be killed.
void hand_over_trace(const RecordOptions& options, const JoinInput& input, Profile& profile) {
  if (options.trace_visits == 0 || !options.keep_trace) return;
  try {
    std::vector<std::string> lacks;
    const Trace trace = read_traces(options, input, lacks);
    for (const std::string& lack : lacks) {
      if (options.tell) options.tell(lack);
      profile.notes.push_back(lack);
    }
    if (lacks.empty() && input.native.empty() && options.tell)
      options.tell("There is no trace: the program entered no region.");
    options.keep_trace(trace, nullptr);
  } catch (const std::exception& error) {
    profile.notes.push_back("There is no trace: " + to_line(shortage(error)) + ".");
  }
}

/// Again, when it is known what the regions did.
void hand_over_trace_with(const Profile& joined, const RecordOptions& options,
                          const JoinInput& input) {
  if (options.trace_visits == 0 || !options.keep_trace || input.native.empty()) return;
  try {
    std::vector<std::string> lacks;  // told already
    options.keep_trace(read_traces(options, input, lacks), &joined);
  } catch (const std::exception& error) {
    if (options.tell) options.tell("The trace has no verdicts: " + to_line(shortage(error)) + ".");
  }
}

/// Both runs have the same regions: what was let go in the timed one is not looked for in the
/// counted one. And where functions were named, none is to be found by sampling.
void settle_functions(NativeRun& native, ExecutableFunctions& of_executable) {
  if (of_executable.functions.empty()) return;
  native.sampled.reset();
  if (!native.probed || !*native.probed) return;
  const auto& let_go = (*native.probed)->let_go;
  std::erase_if(of_executable.functions, [&](const ExecutableFunction& function) {
    return std::find(let_go.begin(), let_go.end(), function.name) != let_go.end();
  });
}

/// What --functions gave.
void add_called_functions(const RecordOptions& options, const ExecutableFunctions& of_executable,
                          const NativeRun& native,
                          const std::optional<std::filesystem::path>& arenas,
                          const JoinInput& input, Profile& profile) {
  FunctionMeans means;
  if (arenas) means.redirected = read_redirected(*arenas);
  means.no_redirection = native.no_functions;
  means.object = of_executable.object;
  means.met = of_executable.met;
  for (const ExecutableFunction& function : of_executable.functions)
    means.of_executable.insert(function.name);
  if (native.probed && *native.probed) {
    means.let_go = (*native.probed)->let_go;
    means.lost = (*native.probed)->lost;
    means.probe_cost_s = (*native.probed)->cost_s;
  } else if (native.probed) {
    means.not_probed = native.probed->error();
  }
  std::vector<std::string> lines = of_executable.lines;
  for (std::string& line : describe_functions(options.functions, means, input, profile))
    lines.push_back(std::move(line));
  for (std::string& line : lines) {
    if (options.tell) options.tell(line);
    profile.notes.push_back(std::move(line));
  }
}

}  // namespace

std::optional<Problem> unknown_counters(const std::string& name) {
  if (name == "auto" || name == "none" || name == "emulated" || name == "perf" || name == "papi")
    return std::nullopt;
  return Problem{"no such collector here", "--counters " + name,
                 "auto, perf, papi, emulated or none"};
}

Recording record(const RecordOptions& options) {
  Recording recording;
  Profile& profile = recording.profile;
  profile.program.command = options.command;
  profile.program.host = host_name();
  profile.program.started = now_rfc3339();
  if (auto unknown = unknown_counters(options.counters)) {
    recording.end.exit_code = 125;
    recording.not_started = *unknown;
    return recording;
  }

  const SignalGate gate;
  std::optional<Scratch> scratch;
  std::optional<std::filesystem::path> arenas;
  std::optional<Problem> no_recording;
  const auto candidates =
      options.scratch_candidates.empty() ? Scratch::usual_candidates() : options.scratch_candidates;
  if (auto created = Scratch::create(candidates)) {
    scratch.emplace(std::move(*created));
    if (auto directory = scratch->subdirectory("arenas"))
      arenas = *directory;
    else
      no_recording = directory.error();
  } else {
    no_recording = created.error();
  }
  if (no_recording && options.tell)
    options.tell("Regions are not timed: " + to_line(*no_recording) + ".");

  const bool to_be_counted = options.counters != "none" && !runs_once(options);
  StdinCapture standard_input(scratch ? scratch->path() : "/nowhere",
                              to_be_counted ? stdin_bound_bytes : 0);
  const TargetFile target = look_at(options.command.empty() ? "" : options.command.front(),
                                    to_be_counted ? emulated::Look::code : emulated::Look::headers);
  ExecutableFunctions of_executable = find_executable_functions(options.functions, target);
  JoinInput input;
  if (options.rank) {
    profile.program.ranks = options.rank;
    profile.notes.push_back(
        options.rank->on_node
            ? "Its roof is this rank's share of the node, 1/" +
                  std::to_string(*options.rank->on_node) + "."
            : "How many ranks its node has is not known: the roof is the whole node's.");
    if (auto ended = measure(options, gate, false, false, profile)) {
      ended->reason = "it was interrupted before the program was started";
      recording.end.exit_code = 125;
      recording.not_started = std::move(ended);
      return recording;
    }
  }
  PapiPass papi = plan_papi(options, scratch ? &*scratch : nullptr);
  std::optional<std::filesystem::path> plan = papi.plan;
  std::optional<Problem> no_hardware;
  std::shared_ptr<MeasuredPasses> measured = plan_counters_of(options, no_hardware);
  place_papi(papi, measured.get());
  std::optional<SocketWatch> sockets;
  if (measured && scratch) {
    if (auto written = write_plan(*measured, 0, scratch->path())) {
      plan = *written;
      sockets.emplace(*measured);
    } else {
      no_hardware = written.error();
      measured = nullptr;
      place_papi(papi, nullptr);
    }
  }
  if (by_hardware(options) && no_hardware) input.not_counted = std::move(no_hardware);

  GpuPasses gpus(options, target);
  GpuWatch gpu_watch;
  gpu_watch.look_for_driver = gpus.asks_for_driver();
  if (scratch) gpu_watch.plan = gpus.plan_of_timed_run(scratch->path());
  NativeRun native = run_native_pass(options, target, of_executable, arenas, no_recording, plan,
                                     gpu_watch, gate, standard_input);
  recording.end = native.end;
  recording.not_started = native.not_started;
  profile.program.exit_status = native.end.shell_status();
  if (native.not_started) return recording;
  profile.notes.insert(profile.notes.end(), native.notes.begin(), native.notes.end());
  profile.passes.push_back(
      {"time", "clock", native.end.shell_status(), native.whole.wall_s, 1.0, ""});

  if (measured && !native.processes.empty()) {
    if (sockets) measured->socket = sockets->finish(native.whole.user_s + native.whole.system_s);
    profile.passes.push_back(
        {"counts", measured->collector, native.end.shell_status(), native.whole.wall_s,
         measured_coverage(*measured, 0, native.processes), "in the run that was timed"});
  }
  input.native = std::move(native.processes);
  input.whole = native.whole;
  input.samples = std::move(native.samples);
  input.no_markers = std::move(native.no_markers);
  input.ticks_per_second = native.ticks_per_second;
  hand_over_trace(options, input, profile);
  settle_functions(native, of_executable);
  find_functions(native, input);
  try {
    const bool was_ended = native.asked_to_end != 0 && !options.budget_s;
    gpus.run({options, input, scratch ? &*scratch : nullptr, standard_input, gate},
             native.cuda_seen, was_ended, profile);
  } catch (const std::exception& error) {
    profile.notes.push_back("GPU: " + to_line(shortage(error)) + ".");
  }
  try {
    count(options, target, of_executable, native, scratch ? &*scratch : nullptr, standard_input,
          gate, measured, papi, gpus.launched_kernels(), input, profile);
  } catch (const std::exception& error) {
    input.counted.reset();
    input.not_counted = shortage(error);
  }
  if (input.not_counted && options.tell && options.counters != "none" &&
      (!options.once || by_hardware(options)))
    options.tell("Nothing is counted: " + to_line(*input.not_counted) + ".");
  // What no probe could tell of, in the timed run.
  if (!native.probed || !*native.probed || (*native.probed)->lost > 0)
    for (const ExecutableFunction& function : of_executable.functions)
      input.only_counted.insert(function.name);
  try {
    join(input, profile);
    add_papi_events(papi, input.native, main_executable(input), options, profile);
    if (native.traffic) {
      add_program_traffic(*native.traffic, profile);
      if (!*native.traffic && options.tell)
        options.tell("The program's memory traffic is not counted: " +
                     to_line(native.traffic->error()) + ".");
    }
    gpus.join(main_executable(input), profile);
    hand_over_trace_with(profile, options, input);  // which has the names that the program has
    if (reads_functions(options.annotations)) name_functions(profile.regions);
    if (!options.functions.empty())
      add_called_functions(options, of_executable, native, arenas, input, profile);
  } catch (const std::exception& error) {
    recording.not_joined = shortage(error);
  }
  return recording;
}

void end_as(const TargetEnd& end) {
  if (end.signal != 0) {
    const rlimit no_core{0, 0};  // the target has left its own
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(end.signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, end.signal);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    raise(end.signal);
  }
  _exit(end.shell_status());
}

}  // namespace roofmark
