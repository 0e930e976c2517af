#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/files/descriptor.hpp>
#include <analysis/files/proc_text.hpp>
#include <analysis/files/read_small.hpp>
#include <analysis/profile/join.hpp>
#include <analysis/record/attach.hpp>
#include <analysis/record/clock.hpp>
#include <analysis/record/found_functions.hpp>
#include <analysis/record/launch.hpp>
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
  if (auto problem = why_not_there(options.process)) return failed(std::move(*problem));
  const SignalGate gate;
  Profile& profile = recording.profile;
  profile.program.command = command_of(options.process);
  profile.program.host = host_name();
  profile.program.started = now_rfc3339();

  const CpuTime before = cpu_time_of(options.process);
  auto sampling = sampling::PerfSampling::of_process(options.process);
  if (!sampling) return failed(sampling.error());
  Sampler looks(options.process, "");
  const Watched watched = watch(options, *sampling, looks, gate);
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
  input.not_counted = Problem{"a process that runs already can't be counted by emulation", "",
                              "start it with `roofmark run`, which counts it"};
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
    join(input, profile);
  } catch (const std::exception& error) {
    recording.not_joined = shortage(error);
  }
  return recording;
}

}  // namespace roofmark
