#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/files/descriptor.hpp>
#include <analysis/files/proc_text.hpp>
#include <analysis/files/read_small.hpp>
#include <analysis/join/join.hpp>
#include <analysis/join/measured.hpp>
#include <analysis/record/attach.hpp>
#include <analysis/record/clock.hpp>
#include <analysis/record/found_functions.hpp>
#include <analysis/record/hardware_plan.hpp>
#include <analysis/record/launch.hpp>
#include <analysis/record/process_counters.hpp>
#include <analysis/record/run_facts.hpp>
#include <analysis/record/sampler.hpp>
#include <analysis/record/shortage.hpp>
#include <analysis/record/signal_gate.hpp>
#include <analysis/record/supervise.hpp>
#include <analysis/sampling/perf_sampling.hpp>
#include <analysis/text/parsing.hpp>
#include <cerrno>
#include <cstring>

namespace roofmark {
namespace {

std::string proc(pid_t process, const char* file) {
  return "/proc/" + std::to_string(process) + "/" + file;
}

/// Nothing where the process runs; a thread's number is none of a process.
std::optional<Problem> why_not_there(pid_t process) {
  char state = 0;
  int processor = 0;
  const std::string place = "-p " + std::to_string(process);
  if (process <= 0 || !parse_stat(read_small(proc(process, "stat")), state, processor))
    return Problem{"there is no process of this number", place, "`ps -e` lists them"};
  if (process == getpid()) return Problem{"that is this recorder itself", place, ""};
  if (state == 'Z' || state == 'X') return Problem{"the process has ended already", place, ""};
  if (read_small(proc(process, "maps")).empty() && read_small(proc(process, "cmdline")).empty())
    return Problem{"this is a thread of the kernel, or a process that this user may not look at",
                   place, "record it as its user, or as root"};
  return std::nullopt;
}

/// The processor time of the process and its children that it waited for, in seconds.
struct CpuTime {
  double user_s = 0, system_s = 0;
};
CpuTime cpu_time_of(pid_t process) {
  const std::string line = read_small(proc(process, "stat"));
  const auto seconds = [&](int number) {
    const auto field = stat_field(line, number);
    const auto ticks = field ? text::real_number(*field) : std::nullopt;
    return ticks.value_or(0) / static_cast<double>(sysconf(_SC_CLK_TCK));
  };
  return {seconds(14) + seconds(16), seconds(15) + seconds(17)};
}

std::vector<std::string> command_of(pid_t process) {
  const std::string all = read_small(proc(process, "cmdline"));
  const auto words = zero_ended(all);
  return {words.begin(), words.end()};
}

struct Watched {
  double wall_s = 0;
  bool ended = false;        ///< before its time was over
  bool interrupted = false;  ///< by the user
};

/// Takes samples until it is enough.
Watched watch(const AttachOptions& options, sampling::PerfSampling& sampling, Sampler& looks,
              const SignalGate& gate) {
  // Readable when the process has ended.
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, options.process, 0)));
  const double started_s = monotonic_s();
  Watched watched;
  double next_look_s = 0;
  for (;;) {
    watched.wall_s = monotonic_s() - started_s;
    sampling.drain(watched.wall_s);
    if (options.duration_s && watched.wall_s >= *options.duration_s) return watched;
    if (watched.wall_s >= next_look_s) next_look_s = watched.wall_s + looks.look(watched.wall_s);
    while (const auto signal = gate.next()) {
      const int number = static_cast<int>(signal->ssi_signo);
      watched.interrupted = watched.interrupted || asks_to_end(number);
      if (number == SIGTSTP) raise(SIGSTOP);
    }
    if (watched.interrupted) return watched;
    double wait_s = std::min(sampling::PerfSampling::longest_wait_s, next_look_s - watched.wall_s);
    if (options.duration_s) wait_s = std::min(wait_s, *options.duration_s - watched.wall_s);
    pollfd entries[2] = {{gate.descriptor(), POLLIN, 0}, {process.get(), POLLIN, 0}};
    poll(entries, 2, static_cast<int>(std::max(0.0, wait_s) * 1e3) + 1);
    if ((entries[1].revents & POLLIN) != 0 || (!process && why_not_there(options.process))) {
      watched.wall_s = monotonic_s() - started_s;
      watched.ended = true;
      return watched;
    }
  }
}

/// The processor time that samples stand for, by who had it.
CpuTime sampled_time(const sampling::SampledRun& run) {
  CpuTime time;
  for (const sampling::TimeSample& sample : run.samples)
    (run.objects[sample.object] == sampling::kernel_object ? time.system_s : time.user_s) +=
        sample.period_s;
  return time;
}

/// What is counted beside the samples; or nothing, and why.
struct Counting {
  std::shared_ptr<MeasuredPasses> passes;
  std::optional<ProcessCounters> counters;
  std::optional<Problem> problem;
};

Problem only_started_programs() {
  return {"a process that runs already can't be counted by emulation", "",
          "start it with `roofmark run`, which counts it"};
}

/// A socket counts all programs on it, and nobody looked at what others did before this one ran.
void leave_sockets_out(MeasuredPasses& passes) {
  std::erase_if(passes.plan.formulas, [&](const Formula* formula) {
    if (formula->scope != Scope::socket) return false;
    passes.absent.push_back({formula->quantity,
                             "a socket counts all programs on it, and what others did is not known "
                             "beside a process that runs already",
                             "start it with `roofmark run`"});
    return true;
  });
}

/// A run that goes on can't be repeated for more events: all take turns in it.
Counting open_counters(const AttachOptions& options) {
  Counting counting;
  if (options.counters == "none")
    counting.problem =
        Problem{"counting was not asked for (--counters none)", "", "--counters auto"};
  else if (options.counters == "papi")
    counting.problem =
        Problem{"PAPI counts in programs that were started with it alone", "", "--counters perf"};
  else if (options.counters != "auto" && options.counters != "perf")
    counting.problem = only_started_programs();
  if (counting.problem) return counting;
  const auto fail = [&](const Problem& hardware) {
    counting.problem = Problem{
        only_started_programs().reason + ", and by hardware nothing is counted: " + hardware.reason,
        "", only_started_programs().remedy + "; `roofmark check` says what counters need"};
    return std::move(counting);
  };
  HardwareOptions hardware;
  hardware.installed_tables = options.tables;
  if (!options.findings.empty()) hardware.findings = options.findings;
  hardware.multiplex = true;
  hardware.tell = options.tell;
  auto plan = plan_hardware(hardware);
  if (!plan) return fail(plan.error());
  leave_sockets_out(plan->passes);
  auto counters = ProcessCounters::open(plan->passes, options.process);
  if (!counters) return fail(counters.error());
  counting.passes = std::make_shared<MeasuredPasses>(std::move(plan->passes));
  counting.counters.emplace(std::move(*counters));
  return counting;
}

/// Counts of which something may be lacking.
void make_lower_bounds(Work& work, const std::string& caveat) {
  const auto lower = [&](Count& count) {
    count.source = Source::estimated;
    count.low = count.value;
    // It may have been an upper bound, too: then it is neither.
    if (count.high && *count.high <= count.value) count.high.reset();
    count.caveats.push_back(caveat);
  };
  for (auto& [precision, count] : work.flop) lower(count);
  for (auto& [name, count] : work.operations) lower(count);
  for (auto& [level, traffic] : work.bytes)
    for (auto* count : {&traffic.read, &traffic.write})
      if (*count) lower(**count);
}

/// What the counters have, for the profile.
void take_counts(Counting& counting, const Watched& watched, JoinInput& input, Profile& profile,
                 std::optional<std::string>& lacks) {
  if (!counting.counters) {
    input.not_counted = std::move(counting.problem);
    return;
  }
  input.not_counted = only_started_programs();
  RunningCounts counts = counting.counters->read();
  counting.passes->program = std::move(counts.counts);
  counting.passes->program_refused = std::move(counts.refused);
  input.measured = counting.passes;
  profile.passes.push_back({"counts", counting.passes->collector, std::nullopt, watched.wall_s, 1.0,
                            "of a process that ran already"});
  if (counts.note) profile.notes.push_back(std::move(*counts.note));
  lacks = std::move(counts.lacks);
}

/// Ceilings as they were found when nothing else ran.
void add_machine(const AttachOptions& options, Profile& profile) {
  if (!options.kept_machine) return;
  auto kept = options.kept_machine();
  if (kept && *kept)
    profile.machine = std::move(**kept);
  else
    profile.notes.push_back(
        kept ? "This machine's ceilings are not known, and none are measured beside a process "
               "that runs: `roofmark machine` does."
             : "This machine's ceilings are not known: " + to_line(kept.error()) + ".");
}

}  // namespace

Recording record_process(const AttachOptions& options) {
  Recording recording;
  recording.end.started = true;
  const auto failed = [&](Problem problem) {
    recording.not_started = std::move(problem);
    recording.end = {};
    recording.end.exit_code = 125;
    return recording;
  };
  if (auto problem = unknown_counters(options.counters)) return failed(std::move(*problem));
  if (auto problem = why_not_there(options.process)) return failed(std::move(*problem));
  const SignalGate gate;
  Profile& profile = recording.profile;
  profile.program.command = command_of(options.process);
  profile.program.host = host_name();
  profile.program.started = now_rfc3339();

  Counting counting = open_counters(options);
  const CpuTime before = cpu_time_of(options.process);
  auto sampling = sampling::PerfSampling::of_process(options.process);
  if (!sampling) return failed(sampling.error());
  Sampler looks(options.process, "");
  if (has_several_nodes()) looks.look_for_nodes();
  if (counting.counters) counting.counters->start();
  const Watched watched = watch(options, *sampling, looks, gate);
  if (counting.counters) counting.counters->stop(watched.ended);
  const CpuTime after = cpu_time_of(options.process);
  const sampling::SampledRun run = sampling->take();

  JoinInput input;
  input.whole.pid = options.process;
  input.whole.wall_s = watched.wall_s;
  const CpuTime sampled = sampled_time(run);
  input.whole.user_s = sampled.user_s;
  // What the kernel did is not sampled for everybody; of a process that has ended it is not known.
  input.whole.system_s = run.sees_kernel ? sampled.system_s
                         : watched.ended ? 0
                                         : std::max(0.0, after.system_s - before.system_s);
  input.whole.ended_raw_s = raw_s();
  input.whole.waited_s = looks.waited_for_core_s();
  input.whole.large_page_share = looks.large_page_share();
  input.samples = looks.take();
  add_memory_placement(looks.bytes_by_node(), input.samples, input.whole);
  if (counting.problem && options.counters != "none" && options.tell)
    options.tell("Nothing is counted: " + to_line(*counting.problem) + ".");
  try {
    if (auto found = found_functions(run, input.whole))
      input.found = std::move(*found);
    else
      input.not_found = found.error();
    profile.passes.push_back(
        {"time", "clock", std::nullopt, watched.wall_s, 1.0, "of a process that ran already"});
    if (watched.ended)
      profile.notes.push_back(
          fmt::format("The process ended after {:.3g} s of the recording.", watched.wall_s));
    else if (watched.interrupted)
      profile.notes.push_back(
          fmt::format("The recording was ended after {:.3g} s by who ran it; the process went on.",
                      watched.wall_s));
    std::optional<std::string> lacks;
    take_counts(counting, watched, input, profile, lacks);
    if (input.measured) add_machine(options, profile);
    join(input, profile);
    if (lacks) make_lower_bounds(profile.regions.front().work, *lacks);
  } catch (const std::exception& error) {
    recording.not_joined = shortage(error);
  }
  return recording;
}

}  // namespace roofmark
