#include <sched.h>

#include <algorithm>
#include <analysis/join/hot_paths.hpp>
#include <analysis/record/counted_pass.hpp>
#include <analysis/record/counting.hpp>
#include <analysis/record/hardware_pass.hpp>
#include <analysis/record/hardware_plan.hpp>
#include <analysis/record/later_passes.hpp>
#include <analysis/record/processes_at_once.hpp>
#include <analysis/record/shortage.hpp>
#include <analysis/record/supervise.hpp>
#include <collectors/emulated/plan.hpp>
#include <csignal>
#include <cstring>
#include <exception>
#include <thread>

namespace roofmark {
namespace {

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
    // Who sent it is known only of what came to the recorder itself.
    const bool asked = native.asked_to_end != 0;
    const int signal = asked ? native.asked_to_end : native.end.signal;
    return Problem{std::string("the timed run was ended ") +
                       (asked ? "from outside (" : "by a signal, perhaps from outside (") +
                       strsignal(signal) + "), so a second run might not end by itself",
                   "", "--budget SECONDS ends the counted run after that time"};
  }
  return std::nullopt;
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

/// Further runs that hardware needs. True: nothing is left for another collector.
bool count_by_hardware(const CountingPlan& how, JoinInput& input, Profile& profile) {
  const RecordOptions& options = how.options;
  const RunAgain again{options, input, how.scratch, how.standard_input, how.gate};
  run_later_passes(again, input.not_counted, how.papi.run == NamedIn::own_run, *how.measured,
                   profile);
  run_named_events(again, input.not_counted, *how.measured, how.papi, profile);
  input.measured = how.measured;
  const auto lack = options.counters == "auto" ? flop_lack(input) : std::nullopt;
  if (lack && !input.not_counted && options.tell)
    options.tell("Hardware did not count all FLOPs: " + to_line(*lack) + ".");
  if (options.modelled_bytes || lack) return false;
  input.not_counted.reset();
  return true;
}

/// The program once more, under the emulator.
void count_by_emulation(const CountingPlan& how, JoinInput& input, Profile& profile) {
  if (how.scratch == nullptr) {
    input.not_counted = Problem{"no directory could hold the counts", "",
                                "set TMPDIR to a writable directory on a local disk"};
    return;
  }
  if (auto changed = why_not_again(how.target)) {
    input.not_counted = std::move(changed);
    return;
  }
  CountedRun run;
  run.options = &how.options;
  run.target = &how.target;
  run.machine = caches_of(how.options, profile);
  run.native_cpu_s = how.native.whole.user_s + how.native.whole.system_s;
  run.native_wall_s = how.native.whole.wall_s;
  run.processes = how.native.processes_seen;
  run.processes_at_once = processes_that_share_caches(how.options, input.samples);
  run.hot = hot_paths(input);
  if (input.found) run.found = &*input.found;
  run.entries = &how.of_executable;
  auto replayed = how.standard_input.replay();
  if (!replayed) {
    input.not_counted = replayed.error();
    return;
  }
  run.standard_input = std::move(*replayed);
  auto directory = how.scratch->subdirectory(counts_directory);
  if (!directory) {
    input.not_counted = directory.error();
    return;
  }
  run.directory = *directory;
  keep_times(how.options, input, profile);
  auto outcome = run_counted_pass(run, how.gate);
  if (!outcome) {
    input.not_counted = outcome.error();
    return;
  }
  input.counted = std::move(outcome->counts);
  const int status = outcome->pass.exit_status.value_or(0);
  if (!input.counted->problem && status != how.native.end.shell_status()) {
    input.counted->other_end =
        emulated::other_end(run.directory, status, how.native.end.shell_status());
    profile.notes.push_back(
        "The counted run ended with status " + std::to_string(status) + ", the timed run with " +
        std::to_string(how.native.end.shell_status()) + ": they did not do the same.");
  }
  profile.passes.push_back(std::move(outcome->pass));
  profile.notes.insert(profile.notes.end(), outcome->notes.begin(), outcome->notes.end());
}

}  // namespace

std::optional<Problem> measure_ceilings(const RecordOptions& options, const SignalGate& gate,
                                        bool hurried, bool gpus, Profile& profile) {
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

void count(const CountingPlan& how, JoinInput& input, Profile& profile) {
  if (!input.not_counted) input.not_counted = why_not_counted(how.options, how.native);
  // What the timed run counted is in the profile that stands if this process is killed.
  input.measured = how.measured;
  // Batch systems and closing terminals kill soon after. Who typed Ctrl-C at a program without an
  // end waits for the report, or types it again.
  const bool hurried = how.native.asked_to_end == SIGTERM || how.native.asked_to_end == SIGHUP;
  if (how.options.measure) keep_times(how.options, input, profile);
  std::optional<Problem> interrupted;
  if (!how.options.rank)
    interrupted = measure_ceilings(how.options, how.gate, hurried, how.gpus, profile);
  if (interrupted && !input.not_counted) input.not_counted = std::move(interrupted);
  if (how.measured && count_by_hardware(how, input, profile)) return;
  if (!input.not_counted) count_by_emulation(how, input, profile);
}

}  // namespace roofmark
