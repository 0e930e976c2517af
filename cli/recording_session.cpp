#include "recording_session.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/machine/machine_store.hpp>
#include <analysis/machine/measure.hpp>
#include <analysis/profile/profile_json.hpp>
#include <analysis/profile/repeats.hpp>
#include <analysis/record/attach.hpp>
#include <analysis/record/output_file.hpp>
#include <analysis/record/own_rank.hpp>
#include <analysis/record/packs.hpp>
#include <analysis/record/shortage.hpp>
#include <analysis/trace/trace.hpp>
#include <cmath>
#include <collectors/emulated/inspect.hpp>
#include <collectors/papi/events.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <roofmark/roofline.hpp>

#include "analysis/text/parsing.hpp"
#include "analysis/text/plain_text.hpp"
#include "commands.hpp"
#include "progress_line.hpp"
#include "same_file.hpp"

namespace roofmark::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* default_stem = "out.roofmark";

MeasureOptions machine_options(const RecordingArguments& arguments) {
  MeasureOptions options;
  if (!arguments.machine_file.empty()) options.file = arguments.machine_file;
  options.for_ranks = arguments.rank.has_value();
  options.probe = !options.for_ranks;
  return options;
}

Result<Machine> measure(MeasureOptions options, const std::function<bool()>& interrupted,
                        bool gpus) {
  options.interrupted = interrupted;
  options.gpus = gpus;
  auto machine = load_or_measure(options, measuring_progress());
  if (has_progress_line()) show_progress("");
  return machine;
}

/// Every rank of a job gets a file of its own in the folder that -o names.
bool is_named(const RecordingArguments& arguments) {
  return !arguments.output.empty() && !arguments.rank;
}

/// "rank-03.roofmark": in the order of the ranks when they are listed.
std::string rank_stem(const JobRanks& job) {
  const std::string number = std::to_string(job.rank.value_or(0));
  const std::size_t width = std::to_string(job.size - 1).size();
  return "rank-" + std::string(width - std::min(width, number.size()), '0') + number + ".roofmark";
}

/// The name that the profile gets.
Result<fs::path> choose_file(const RecordingArguments& arguments) {
  if (is_named(arguments)) return fs::path(arguments.output);
  std::error_code unknown;  // claim_name says why
  const fs::path folder = arguments.rank ? folder_of_ranks(arguments) : ".";
  if (arguments.rank) fs::create_directories(folder, unknown);
  const std::string stem = arguments.rank ? rank_stem(*arguments.rank) : default_stem;
  auto here = claim_name(folder, stem, ".json", ".html");
  if (here) return here->lexically_normal();
  for (const fs::path& directory : fallback_directories())
    if (auto elsewhere = claim_name(directory, stem, ".json", ".html")) {
      tell("The recording goes to " + elsewhere->string() + " (" + to_line(here.error()) + ").");
      return elsewhere;
    }
  return here;
}

/// The profile on disk: first the times alone, so that a recorder that is killed leaves them, then
/// all of it in their place.
class ProfileFile {
 public:
  explicit ProfileFile(const RecordingArguments& arguments) : arguments_(arguments) {}

  /// What fails here is tried again, and told, in the end.
  void write_times(const Profile& profile) {
    if (is_named(arguments_) && !is_replaceable(arguments_.output)) return;
    if (!choose()) return;
    const auto written = write_somewhere(*path_, to_json(profile), fallback_directories());
    if (written)
      place(*written);
    else
      give_name_back();
  }

  /// Where all of it went; empty: nowhere, and that was told.
  fs::path write(const Profile& profile) {
    if (auto chosen = choose(); !chosen) {
      leave(chosen.error());
      return {};
    }
    const auto written = write_somewhere(*path_, to_json(profile), fallback_directories());
    if (written) {
      place(*written);
      return *path_;
    }
    leave(written.error());
    // Nothing is to be made of the counts that would not agree with the times that are there.
    if (!has_times_) give_name_back();
    return {};
  }

  /// What was written stays as it is.
  void leave(const Problem& problem) {
    const std::string left =
        has_times_ ? " (" + path_->string() + " holds the times without the counts)" : "";
    tell("The recording could not be written: " + to_line(problem) + left + ".");
  }

 private:
  Result<fs::path> choose() {
    if (path_) return *path_;
    auto chosen = choose_file(arguments_);
    if (chosen) path_ = *chosen;
    return chosen;
  }

  /// Removes what lies at the chosen name and is ours: the empty file that kept a default name
  /// free, or the times that something better replaces elsewhere.
  void give_name_back() {
    if (has_times_ || !is_named(arguments_)) unlink(path_->c_str());
    path_.reset();
    has_times_ = false;
  }

  void place(const Written& written) {
    if (written.moved) {
      tell("The recording went to " + written.path.string() + ": " + to_line(*written.moved) + ".");
      give_name_back();
    }
    path_ = written.path;
    has_times_ = true;
  }

  const RecordingArguments& arguments_;
  std::optional<fs::path> path_;
  bool has_times_ = false;
};

/// Fills in where the regions stand, or says that no ceilings were to be used: there may be some.
void judge_as_told(const RecordingArguments& arguments, Profile& profile) {
  if (arguments.no_machine)
    profile.notes.push_back("No roof: it was recorded with --no-machine, which uses no ceilings.");
  else
    judge(profile);
}

/// What is wrong with a number of seconds; empty for a good one.
std::string seconds_problem(const std::string& text) {
  if (const auto value = text::real_number(text); value && std::isfinite(*value) && *value > 0)
    return {};
  return "`" + text + "`: not a number of seconds above 0";
}

/// Every rank of a job writes a file of its own: "x.json" -> "x-rank-03.json".
fs::path trace_file(const RecordingArguments& arguments) {
  fs::path file = arguments.trace;
  if (arguments.rank) {
    const fs::path end = file.extension();
    file.replace_extension();
    file += "-" + fs::path(rank_stem(*arguments.rank)).stem().string();
    file += end;
  }
  return file;
}

/// Once after the timed run, so that it is there whatever comes later, and again with the verdicts.
/// What reads from a pipe would see two documents: it gets the second.
void write_trace(const Trace& trace, const Profile* judged, const fs::path& file) {
  const bool any = std::any_of(trace.processes.begin(), trace.processes.end(), [](const auto& one) {
    return !one.visits.empty() || !one.open.empty();
  });
  if (!any) return;
  std::error_code ignored;
  if (judged == nullptr && fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) return;
  if (const auto problem = write_file(file.string(), render_trace_events(trace, judged)))
    tell((judged == nullptr ? "There is no trace: " : "The trace has no verdicts: ") +
         to_line(*problem) + ".");
}

/// The program that is started. Behind a launcher stand the job's, among words of its own.
std::vector<fs::path> programs_of(const std::vector<std::string>& target) {
  std::vector<fs::path> programs;
  for (std::size_t i = 0; i < target.size() && (i == 0 || is_launcher(target)); ++i)
    if (const auto program = emulated::find_program(target[i])) programs.push_back(*program);
  return programs;
}

RecordOptions options_of(const RecordingArguments& arguments) {
  RecordOptions options;
  const MeasureOptions machine = machine_options(arguments);
  if (arguments.no_machine) {
    // Nothing is measured, but what an earlier run learned of the caches still holds.
    if (auto kept = kept_machine(machine))
      options.caches_of = std::move(*kept);
    else
      tell(to_line(kept.error()) + ".");
  } else {
    options.measure = [machine](const auto& interrupted, bool gpus) {
      return measure(machine, interrupted, gpus);
    };
  }
  options.command = arguments.target;
  options.counters = arguments.counters;
  if (!arguments.papi.empty())
    if (auto names = papi::split_events(arguments.papi)) options.papi_events = std::move(*names);
  if (!arguments.resctrl_root.empty()) {
    options.resctrl_root = arguments.resctrl_root;
    options.resctrl_asked = true;
  }
  if (auto annotations = parse_annotations(arguments.annotations))
    options.annotations = std::move(*annotations);
  for (const std::string& text : arguments.functions)
    if (auto glob = parse_function_glob(text)) options.functions.push_back(std::move(*glob));
  options.full_cache = arguments.full_cache;
  options.once = arguments.once;
  options.multiplex = arguments.multiplex;
  options.modelled_bytes = arguments.modelled_bytes;
  options.gpu = arguments.gpu;
  options.replay_kernels = arguments.replay == "kernel";
  if (const auto folder = store_folder({})) options.findings = *folder;
  if (arguments.budget_s > 0) options.budget_s = arguments.budget_s;
  options.install = InstallPaths::find();
  options.rank = arguments.rank;
  options.mpi = arguments.mpi == "always" ||
                (arguments.mpi == "auto" && (arguments.rank || is_launcher(arguments.target)));
  // All ranks would say the same.
  if (!arguments.rank || arguments.rank->rank == 0U) options.tell = tell;
  if (const auto choice = pack_choice(arguments.packs)) {
    Packs packs = find_packs(options.install, *choice, programs_of(arguments.target));
    options.packs = std::move(packs.libraries);
    for (const Problem& problem : packs.missing)
      if (options.tell) options.tell(to_line(problem) + ".");
  }
  if (has_progress_line()) options.progress = show_progress;
  if (!arguments.trace.empty()) options.trace_visits = arguments.trace_visits;
  return options;
}

}  // namespace

fs::path folder_of_ranks(const RecordingArguments& arguments) {
  return arguments.output.empty() ? fs::path(default_stem) : fs::path(arguments.output);
}

void tell_of_ranks(const RecordingArguments& arguments) {
  if (arguments.rank->rank != 0U) return;
  const std::string folder = folder_of_ranks(arguments).string();
  tell("Every rank is recorded to a file of its own in " + folder + "; `roofmark merge " + folder +
       "` makes one profile of them.");
}

void tell(const std::string& line) {
  // Names of regions are among the words, and may hold anything.
  std::fprintf(stderr, "roofmark: %s\n", text::printable(line).c_str());
}

void add_recording_options(CLI::App& command, RecordingArguments& arguments) {
  command
      .add_option("-o,--output", arguments.output,
                  "The profile (JSON), replaced where it exists. Default: out.roofmark.json, "
                  "numbered rather than overwritten")
      ->type_name("FILE")
      ->check(not_empty);
  command
      .add_option(
          "--counters", arguments.counters,
          "Where FLOPs and bytes come from: auto, perf (hardware counters), papi, emulated, or "
          "none "
          "(time "
          "and declared work only). auto: hardware counters where they count FLOPs, else emulated")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "perf", "papi", "emulated", "none"}));
  command.add_flag("--full-cache", arguments.full_cache,
                   "Simulate every cache access instead of a sample (slower)");
  command.add_flag("--once", arguments.once,
                   "Run the program only once: time, and what hardware counters count in that run");
  command
      .add_option("--repeat", arguments.repeat,
                  "Time the program in so many runs: medians, with their range")
      ->check(CLI::Range(1, 1000));
  command
      .add_option("--trace", arguments.trace,
                  "Every visit in time, as a file for ui.perfetto.dev or chrome://tracing")
      ->type_name("FILE")
      ->check(not_empty);
  command
      .add_option("--trace-visits", arguments.trace_visits,
                  "So many visits of each process are kept for it, and then no more")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1000000000}));
  command.add_flag("--multiplex", arguments.multiplex,
                   "Hardware counters: all events in one run; those that have to take turns are "
                   "scaled, and it is said by how much");
  command.add_flag("--modelled-bytes", arguments.modelled_bytes,
                   "Model the bytes that hardware counters can't count, in an emulated run");
  command
      .add_option("--gpu", arguments.gpu,
                  "Kernels of CUDA programs, in further runs: auto (where the program was seen to "
                  "use CUDA's driver), on, off")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "on", "off"}));
  command
      .add_option(
          "--replay", arguments.replay,
          "How kernels are counted: user (the program runs once for each set of counts), or "
          "kernel (each kernel is run again for them, its memory restored), for programs "
          "that do not do the same in every run")
      ->capture_default_str()
      ->check(CLI::IsMember({"user", "kernel"}));
  command
      .add_option("--budget", arguments.budget_s,
                  "Seconds after which the counted run is ended (default 300; it says what was not "
                  "reached)")
      ->check(seconds_problem);
  command
      .add_option(
          "--papi", arguments.papi,
          "Events to count in the timed run, by PAPI's names, with commas between: presets, "
          "native and component events. A column each")
      ->check([](const std::string& list) {
        const auto names = papi::split_events(list);
        return names ? std::string() : to_line(names.error());
      });
  command
      .add_option("--annotations", arguments.annotations,
                  "Whose annotations are read as regions: auto (all but cyg and openmp), none, or "
                  "names with "
                  "commas between: "
                  "nvtx, itt, likwid, papi, caliper, kokkos, cyg (-finstrument-functions), openmp "
                  "(parallel regions)")
      ->capture_default_str()
      ->check([](const std::string& text) {
        const auto annotations = parse_annotations(text);
        return annotations ? std::string() : to_line(annotations.error());
      });
  command
      .add_option("--packs", arguments.packs,
                  "Libraries whose calls become regions with the work that their formulas declare: "
                  "auto (those that the program is loaded with), none, or of blas, lapack and fftw "
                  "some, with commas between")
      ->capture_default_str()
      ->check([](const std::string& choice) {
        const auto packs = pack_choice(choice);
        return packs ? std::string() : to_line(packs.error());
      });
  command
      .add_option(
          "--functions", arguments.functions,
          "GLOB[@LIB]: functions of a program that nobody annotated become regions, by "
          "their symbol or C++ name; of libraries whose file name matches LIB alone. May be "
          "given several times")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        const auto glob = parse_function_glob(text);
        return glob ? std::string() : to_line(glob.error());
      });
  command
      .add_option(
          "--mpi", arguments.mpi,
          "MPI calls become regions: auto (in a job: inside mpirun, or where the program is "
          "a launcher), always, never")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "always", "never"}));
  command
      .add_option("--resctrl-root", arguments.resctrl_root,
                  "Where the resctrl file system is, which counts the program's memory traffic "
                  "(default /sys/fs/resctrl)")
      ->type_name("DIR")
      ->check(not_empty);
  command
      .add_option(
          "-p,--pid", arguments.process,
          "Record this process, which runs already: its time, function by function, and what "
          "hardware counters count of it as a whole; nothing is put into it")
      ->check(CLI::PositiveNumber);
  command
      .add_option(
          "--duration", arguments.duration_s,
          "With -p: seconds after which that recording ends (default: Ctrl-C, or the end of "
          "the process)")
      ->check(seconds_problem);
  command
      .add_option("--machine", arguments.machine_file,
                  "Use these ceilings, written by `roofmark machine`")
      ->type_name("FILE");
  arguments.usage = "roofmark " + command.get_name() + " -- PROGRAM [ARGS]";
  command.add_flag("--no-machine", arguments.no_machine,
                   "Use no ceilings of this machine, measured or kept: no roof");
  command.prefix_command();
  show_usage_with_target(command);
  command.footer(
      "Put the program and its arguments behind `--`. Exit status: the program's own; 125 "
      "Roofmark could not start it, 126 it can't be executed, 127 it was not found.");
}

void end_at_shortage(const Session& session, const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    tell(to_line(shortage(error)) + ".");
    end_as(session.recording.end);
  }
}

/// Why a file that is written can't have the name that was chosen for it: `option` names it.
std::optional<Problem> name_problem(const RecordingArguments& arguments, const std::string& output,
                                    const std::string& option) {
  const char* const machine = std::getenv("ROOFMARK_MACHINE_FILE");
  const auto program =
      arguments.target.empty() ? std::nullopt : emulated::find_program(arguments.target.front());
  for (const auto& [name, role] :
       {std::pair<std::string, const char*>{arguments.machine_file, "--machine"},
        {machine != nullptr ? machine : "", "ROOFMARK_MACHINE_FILE"},
        {program ? program->string() : "", "the program itself"}})
    if (auto problem = taken(output, name, role, option)) return problem;
  for (const auto& [descriptor, role] : {std::pair{STDIN_FILENO, "the program's input"},
                                         {STDOUT_FILENO, "where its output goes"},
                                         {STDERR_FILENO, "where its messages go"}})
    if (same_file(descriptor, output))
      return Problem{std::string("it is ") + role + " as well, and would be replaced",
                     option + " " + output, "name another file"};
  return std::nullopt;
}

std::optional<Problem> output_problem(const RecordingArguments& arguments) {
  const std::string& output = arguments.output;
  if (!arguments.trace.empty())
    if (auto problem = name_problem(arguments, arguments.trace, "--trace")) return problem;
  if (output.empty()) return std::nullopt;
  std::error_code unknown;
  if (arguments.rank)
    return fs::exists(output, unknown) && !fs::is_directory(output, unknown)
               ? std::optional(Problem{"each rank writes a file of its own, and this is no folder",
                                       "-o " + output, "name a folder; it is made"})
               : std::nullopt;
  if (!arguments.trace.empty())
    if (auto problem = taken(output, arguments.trace, "--trace")) return problem;
  return name_problem(arguments, output, "-o");
}

/// Back to where the program's input began, where that can be.
class RepeatedInput {
 public:
  RepeatedInput() : start_(lseek(STDIN_FILENO, 0, SEEK_CUR)) {
    struct stat status {};
    is_pipe_ =
        fstat(STDIN_FILENO, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
  }
  bool is_pipe() const { return is_pipe_; }
  void rewind() const {
    if (start_ >= 0) lseek(STDIN_FILENO, start_, SEEK_SET);
  }

 private:
  off_t start_;
  bool is_pipe_ = false;
};

/// The timed runs before the one that is counted too. A run that fails ends them: what it left is
/// the recording then.
struct Repeats {
  std::vector<Profile> runs;
  std::optional<Recording> failed;
};
Repeats repeat(const RecordingArguments& arguments, const RecordOptions& last) {
  Repeats repeats;
  const RepeatedInput input;
  if (arguments.repeat > 1 && input.is_pipe())
    std::exit(say({"the program's input is a pipe, which only one run could read", "--repeat",
                   "give it a file: roofmark record --repeat N -- PROGRAM < FILE"},
                  not_started));
  for (unsigned run = 1; run < arguments.repeat; ++run) {
    RecordOptions options = last;
    options.counters = "none";
    options.papi_events.clear();
    options.measure = {};
    options.keep = {};
    options.trace_visits = 0;
    if (options.progress) options.progress(fmt::format("run {} of {}", run, arguments.repeat));
    Recording recording = record(options);
    if (options.progress) options.progress("");
    if (recording.not_started || recording.end.shell_status() != 0) {
      if (!recording.not_started)
        tell(fmt::format("Run {} of {} ended with status {}: it is the last, and is not counted.",
                         run, arguments.repeat, recording.end.shell_status()));
      repeats.failed = std::move(recording);
      return repeats;
    }
    repeats.runs.push_back(std::move(recording.profile));
    input.rewind();
  }
  return repeats;
}

/// A program is started, or a process is looked at: one of the two.
std::optional<Problem> target_problem(const RecordingArguments& arguments) {
  if (arguments.process == 0 && arguments.duration_s > 0)
    return Problem{"a program that is started is recorded to its end", "--duration",
                   "use it with -p PID"};
  if (arguments.process == 0 && arguments.target.empty())
    return Problem{"no program was given", "", arguments.usage};
  if (arguments.process != 0 && !arguments.target.empty())
    return Problem{"a process that runs and a program to start were given", "-p",
                   "leave out one of the two"};
  if (arguments.process != 0 && !arguments.trace.empty())
    return Problem{"the visits of regions are traced, and a process that runs already has none",
                   "--trace", "leave it out with -p"};
  if (arguments.process != 0 && arguments.repeat > 1)
    return Problem{"a process that runs can't be run again", "--repeat", "leave it out with -p"};
  return std::nullopt;
}

Recording record_as_told(const RecordingArguments& arguments, const RecordOptions& options) {
  if (arguments.process == 0) return record(options);
  AttachOptions attach;
  attach.process = arguments.process;
  if (arguments.duration_s > 0) attach.duration_s = arguments.duration_s;
  attach.counters = options.counters;
  attach.tables = options.install.share / "events";
  attach.findings = options.findings;
  if (options.measure)
    attach.kept_machine = [machine = machine_options(arguments)] { return kept_machine(machine); };
  attach.tell = options.tell;
  return record_process(attach);
}

Session record_and_write(const RecordingArguments& arguments) {
  if (const auto problem = target_problem(arguments)) std::exit(say(*problem, not_started));
  if (const auto problem = output_problem(arguments)) std::exit(say(*problem, not_started));
  ProfileFile file(arguments);
  RecordOptions options = options_of(arguments);
  options.keep = [&](Profile times) {
    judge_as_told(arguments, times);
    file.write_times(times);
  };
  Session session;
  Repeats repeats = repeat(arguments, options);
  if (options.trace_visits > 0)
    options.keep_trace = [&, trace_is = trace_file(arguments)](const Trace& trace,
                                                               const Profile* joined) {
      if (joined == nullptr) return write_trace(trace, nullptr, trace_is);
      Profile judged = *joined;
      add_repeats(judged, repeats.runs);
      judge_as_told(arguments, judged);
      write_trace(trace, &judged, trace_is);
    };
  session.recording =
      repeats.failed ? std::move(*repeats.failed) : record_as_told(arguments, options);
  const Recording& recording = session.recording;
  if (recording.not_started) {
    tell(to_line(*recording.not_started));
    end_as(recording.end);
  }
  // From here on the program's results are what counts: a closed pipe of ours must not end us, nor
  // a limit on the size of files.
  for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
  Profile& profile = session.recording.profile;
  end_at_shortage(session, [&] {
    if (recording.not_joined) return file.leave(*recording.not_joined);
    add_repeats(profile, repeats.runs);
    judge_as_told(arguments, profile);
    // Once: what reads from a pipe would see two documents.
    session.file = file.write(profile);
  });
  return session;
}

}  // namespace roofmark::cli
