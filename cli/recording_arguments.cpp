#include "recording_arguments.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <analysis/record/packs.hpp>
#include <cmath>
#include <collectors/emulated/inspect.hpp>
#include <collectors/papi/events.hpp>
#include <cstdlib>
#include <filesystem>

#include "analysis/text/parsing.hpp"
#include "commands.hpp"
#include "same_file.hpp"

namespace roofmark::cli {
namespace {

namespace fs = std::filesystem;

/// What is wrong with a number of seconds; empty for a good one.
std::string seconds_problem(const std::string& text) {
  if (const auto value = text::real_number(text); value && std::isfinite(*value) && *value > 0)
    return {};
  return "`" + text + "`: not a number of seconds above 0";
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
      return Problem{fmt::format("it is {} as well, and would be replaced", role),
                     fmt::format("{} {}", option, output), "name another file"};
  return std::nullopt;
}

}  // namespace

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

}  // namespace roofmark::cli
