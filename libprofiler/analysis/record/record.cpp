#include <sys/resource.h>
#include <unistd.h>

#include <analysis/join/join.hpp>
#include <analysis/join/program_traffic.hpp>
#include <analysis/record/counting.hpp>
#include <analysis/record/function_names.hpp>
#include <analysis/record/gpu_passes.hpp>
#include <analysis/record/hardware_pass.hpp>
#include <analysis/record/native_pass.hpp>
#include <analysis/record/papi_pass.hpp>
#include <analysis/record/record.hpp>
#include <analysis/record/recorded_functions.hpp>
#include <analysis/record/recorded_trace.hpp>
#include <analysis/record/run_facts.hpp>
#include <analysis/record/scratch.hpp>
#include <analysis/record/shortage.hpp>
#include <analysis/record/stdin_capture.hpp>
#include <csignal>

namespace roofmark {
namespace {

/// Input that a second run gets again is kept up to here.
constexpr std::uint64_t stdin_bound_bytes = std::uint64_t{1} << 28;

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
    if (auto ended = measure_ceilings(options, gate, false, false, profile)) {
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
    count({options, target, of_executable, native, scratch ? &*scratch : nullptr, standard_input,
           gate, measured, papi, gpus.launched_kernels()},
          input, profile);
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
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    raise(end.signal);
  }
  _exit(end.shell_status());
}

}  // namespace roofmark
