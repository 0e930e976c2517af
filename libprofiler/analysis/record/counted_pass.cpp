#include <fmt/format.h>

#include <algorithm>
#include <analysis/record/counted_pass.hpp>
#include <analysis/record/executable_lock.hpp>
#include <analysis/record/isolation.hpp>
#include <analysis/record/launch.hpp>
#include <analysis/record/own_rank.hpp>
#include <analysis/record/processes.hpp>
#include <analysis/record/supervise.hpp>
#include <analysis/record/tell.hpp>
#include <collectors/emulated/plan.hpp>
#include <cstring>

namespace roofmark {
namespace {

/// Time to start the emulator, and its slowdown of CPU time against native: HPC codes, everyday
/// programs, with and without FMA.
constexpr double startup_of_process_s = 0.4;
constexpr double sampled_low = 8, sampled_high = 30;
constexpr double full_low = 20, full_high = 55;

/// How long what the program left running may go on, and how long it may then take to write its
/// counts.
constexpr double linger_s = 1;
constexpr double writing_grace_s = 10;
constexpr double longest_wait_for_probes_s = 30;

/// The caches to model, and where their sizes come from. A problem of the kernel's description is
/// the plan's to report.
std::optional<emulated::Geometry> caches_to_model(const Machine* machine,
                                                  std::vector<std::string>& notes) {
  if (machine != nullptr) {
    if (auto geometry = emulated::geometry_of(machine->topology)) {
      if (!geometry->reduced.empty())
        notes.push_back("The modelled caches are what a pointer chase found to be usable: " +
                        emulated::reduced_text(*geometry) +
                        ". The rest is shared with others or belongs to other cores.");
      return *geometry;
    } else {
      notes.push_back("The caches of the given machine can't be modelled, this machine's were: " +
                      to_line(geometry.error()) + ".");
    }
  }
  auto geometry = emulated::host_geometry();
  if (!geometry) return std::nullopt;
  notes.push_back("The modelled caches have the sizes that the kernel reports (" +
                  emulated::to_text(*geometry) +
                  "); whether all of that is usable was not measured: `roofmark machine` does.");
  return *geometry;
}

/// Of so many processes on all of a machine's cores, those that share one instance of a cache.
/// Where the machine's own caches are not the modelled ones, there may be one instance.
unsigned processes_of_a_cache(unsigned processes, const std::string& level,
                              const Topology* topology) {
  if (topology == nullptr) return processes;
  const auto cache = std::find_if(topology->caches.begin(), topology->caches.end(),
                                  [&](const CacheLevel& each) { return each.name == level; });
  if (cache == topology->caches.end()) return processes;
  const unsigned instances = std::max(topology->cores / std::max(cache->shared_by, 1U), 1U);
  return std::max((processes + instances / 2) / instances, 1U);
}

void divide_caches(const CountedRun& run, emulated::Geometry& geometry,
                   std::vector<std::string>& notes) {
  const bool of_machine = run.machine != nullptr && geometry.source == "machine";
  const std::string last = geometry.levels.back().name;
  const unsigned processes = processes_of_a_cache(run.processes_at_once, last,
                                                  of_machine ? &run.machine->topology : nullptr);
  if (processes < 2 || last != "L3") return;
  emulated::divide_last_cache(geometry, processes);
  notes.push_back(fmt::format(
      "{} processes ran at a time, on the average, that share an L3, and each is simulated by "
      "itself, with its part of it: {}. In truth fewer bytes go beyond L3 while fewer of them run "
      "or where they share data, and more of those that have less of it than the others.",
      processes, geometry.reduced["L3"]));
}

/// What the pass says of itself: its caches, or why it ended early.
std::string note_of(const CountedPass& counts, const std::optional<emulated::Geometry>& geometry) {
  std::string note;
  if (geometry)
    note = "caches: " + emulated::to_text(*geometry) +
           (geometry->reduced.empty() ? "" : "; reduced: " + emulated::reduced_text(*geometry));
  if (counts.problem) note = to_line(*counts.problem) + (note.empty() ? "" : "; " + note);
  return note;
}

std::vector<std::string> environment_of(const emulated::CountedCommand& command) {
  std::vector<std::string> environment = current_environment();
  for (const std::string& name : command.unset_environment) {
    const std::string start = name + "=";
    std::erase_if(environment, [&](const std::string& v) { return v.rfind(start, 0) == 0; });
  }
  for (const auto& [name, value] : command.set_environment) set_variable(environment, name, value);
  return environment;
}

std::string seconds(double value) {
  return value < 10 ? fmt::format("{:.1f} s", value) : fmt::format("{:.0f} s", value);
}

/// What a pass leaves out that serves the hottest paths first.
Problem hot_only(const HotPaths& hot, double deadline_s) {
  constexpr std::size_t named = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(named, hot.paths.size()); ++i) {
    std::string path;
    for (const std::string& name : hot.paths[i]) path += (path.empty() ? "" : "/") + name;
    list += (i > 0 ? ", " : "") + path;
  }
  if (hot.paths.size() > named)
    list += " and " + std::to_string(hot.paths.size() - named) + " more";
  return {
      fmt::format(
          "{} may not be enough for the whole program, so the slowest paths come first "
          "({}: {:.0f} % of the working time in regions): what runs before them is passed over, "
          "and caches are simulated in them alone",
          seconds(deadline_s), list, 100 * hot.share),
      "", "--budget with more seconds, or a smaller case"};
}

/// A number that grows as the pass gets on: visits that began, and processes.
std::uint64_t steps_of(const std::filesystem::path& output) {
  std::uint64_t steps = 0;
  for (const ProcessCounts& process : read_counts_of_pass(output).processes) {
    ++steps;
    for (const RegionCounts& region : process.regions) steps += region.visits;
  }
  return steps;
}

/// Why the counts end before the program did, if they do.
std::optional<Problem> counts_end_early(const Bounded& bounded, std::optional<double> deadline_s,
                                        const Estimate& estimate, const Progress& progress,
                                        const std::filesystem::path& output) {
  if (bounded.stuck)
    return Problem{
        fmt::format("the counted run was given up after {}, where {} at most were expected: it had "
                    "got no further for {}, so it may wait for what only the timed run met",
                    seconds(bounded.supervision.wall_s), seconds(estimate.high_s),
                    seconds(progress.without_progress_s())),
        "", "a case that waits for no peer and no clock, or --budget SECONDS to give it longer"};
  if (bounded.out_of_time)
    return Problem{"the counted run was ended after " + seconds(*deadline_s), "",
                   "--budget with more seconds, a smaller case, or declare() in the source"};
  if (bounded.supervision.asked_to_end != 0)
    return Problem{std::string("the counted run was interrupted (") +
                       strsignal(bounded.supervision.asked_to_end) + ")",
                   "", "let it run to its end, or record a smaller case"};
  return emulated::diagnose(output, bounded.supervision.wait_status);
}

}  // namespace

Estimate estimate_counted_pass(double native_cpu_s, std::size_t processes, bool full_cache) {
  // None: the program was gone before the first look at it.
  const double startup_s =
      startup_of_process_s * static_cast<double>(std::max<std::size_t>(processes, 1));
  return {startup_s + native_cpu_s * (full_cache ? full_low : sampled_low),
          startup_s + native_cpu_s * (full_cache ? full_high : sampled_high)};
}

bool exceeds(const Estimate& estimate, std::optional<double> deadline_s) {
  // The bounds are a factor apart: the middle is the geometric one.
  return deadline_s && estimate.low_s * estimate.high_s > *deadline_s * *deadline_s;
}

Result<CountedOutcome> run_counted_pass(CountedRun& run, const SignalGate& gate) {
  const RecordOptions& options = *run.options;
  const emulated::Install install{options.install.libexec, options.install.lib};
  if (auto problem = emulated::unavailable(install)) return tl::unexpected(*problem);

  CountedOutcome outcome;
  outcome.counts.collector = "emulated";
  emulated::PassOptions pass;
  pass.caches = options.full_cache ? emulated::Caches::full : emulated::Caches::sampled;
  pass.packs = options.packs;
  pass.geometry = caches_to_model(run.machine, outcome.notes);
  if (pass.geometry) divide_caches(run, *pass.geometry, outcome.notes);
  if (pass.geometry) outcome.counts.reduced_caches = pass.geometry->reduced;
  if (run.target->executable) pass.executable = &*run.target->executable;
  if (run.found != nullptr)
    for (const FoundCode& code : run.found->code)
      for (const CodeRange& range : code.ranges)
        pass.code_rows.push_back({code.path, range.object, range.first, range.end});
  if (run.entries != nullptr)
    for (const ExecutableFunction& function : run.entries->functions)
      pass.entries.push_back({function.name, run.entries->object, function.offset});
  auto command = emulated::plan(install, options.command, run.directory, pass);
  if (!command) return tl::unexpected(command.error());

  const Isolation isolation(options, run.directory, outcome.notes);
  const std::optional<double> deadline_s = isolation.deadline_s();
  const Estimate estimate =
      estimate_counted_pass(run.native_cpu_s, run.processes, options.full_cache);
  if (exceeds(estimate, deadline_s) && !run.hot.paths.empty()) {
    pass.hot_paths = run.hot.paths;
    command = emulated::plan(install, options.command, run.directory, pass);
    if (!command) return tl::unexpected(command.error());
    if (command->serves_hot_paths) {
      outcome.counts.hot_only = hot_only(run.hot, *deadline_s);
      outcome.notes.push_back(outcome.counts.hot_only->reason + ".");
    }
  }
  outcome.notes.insert(outcome.notes.end(), command->notes.begin(), command->notes.end());
  std::string line = fmt::format("Counting in a second run: {} to {} expected",
                                 seconds(estimate.low_s), seconds(estimate.high_s));
  if (deadline_s && estimate.high_s > *deadline_s)
    line += fmt::format(", ended after {} (--budget)", seconds(*deadline_s));
  tell(options, line + "; Ctrl-C ends it and keeps the times.");
  if (outcome.counts.hot_only) tell(options, outcome.counts.hot_only->reason + ".");

  Launch launch;
  launch.command = command->arguments;
  launch.environment = environment_of(*command);
  if (options.mpi) add_mpi(options.install.lib, launch.environment);
  add_readers(options.annotations, options.install.lib, launch.environment);
  add_functions(options.functions, options.install.lib, launch.environment);
  launch.signal_mask = gate.original_mask();
  launch.prepare = [&] { return isolation.enter(run.standard_input.get()); };
  std::optional<Descriptor> not_probed;
  if (!run.target->path.empty()) {
    not_probed = lock_to_count(run.target->path.string(), longest_wait_for_probes_s);
    if (!not_probed)
      outcome.notes.push_back("Another recording probed the program's file while it was counted.");
  }
  const auto launched = roofmark::launch(launch);
  if (!launched) return tl::unexpected(launched.error().problem);

  const auto show_progress = [&](double elapsed_s) {
    if (options.progress)
      options.progress(fmt::format("counting: {} of {} to {}", seconds(elapsed_s),
                                   seconds(estimate.low_s), seconds(estimate.high_s)));
    return 0.5;
  };
  Progress progress(options.patience_s.value_or(patience_s(estimate, run.native_wall_s)));
  Bounds bounds{deadline_s, {}, {}};
  // Who names a budget has decided how long to wait.
  if (!options.budget_s)
    bounds.is_stuck = [&](double elapsed_s) {
      return progress.due(elapsed_s) && progress.is_stuck(elapsed_s, steps_of(command->output));
    };
  std::size_t left_running = 0;
  bounds.ended = [&] {
    left_running =
        end_processes_with(emulated::output_argument(command->output), linger_s, writing_grace_s);
  };
  const Bounded bounded = supervise_bounded(*launched, gate, bounds, show_progress);
  if (options.progress) options.progress("");

  if (left_running > 0)
    outcome.counts.left_running = Problem{
        "what the program left running was ended in the counted run, and nobody knows how far "
        "it had come when the timed run was over",
        "", "let the program wait for what it starts"};
  if (left_running > 0)
    outcome.notes.push_back("What the program left running in the counted run (" +
                            std::to_string(left_running) +
                            (left_running == 1 ? " process" : " processes") +
                            ") was ended there: it is counted as far as it had come.");
  emulated::CountedCommand planned = *command;
  CountsOfPass counts = read_counts_of_pass(planned.output);
  outcome.counts.processes = std::move(counts.processes);
  outcome.counts.main_pid = launched->pid;
  outcome.counts.problem =
      counts_end_early(bounded, deadline_s, estimate, progress, planned.output);
  for (const Problem& problem : counts.problems)
    outcome.notes.push_back("Counts: " + to_line(problem) + ".");
  if (outcome.counts.processes.empty() && !outcome.counts.problem)
    outcome.counts.problem =
        counts.problems.empty()
            ? emulated::no_counts(planned.output, bounded.supervision.wait_status)
            : counts.problems.front();
  // Who gave a budget, or ended it, knows.
  if (outcome.counts.problem && !bounded.out_of_time && bounded.supervision.asked_to_end == 0)
    tell(options, "Not all is counted: " + to_line(*outcome.counts.problem) + ".");
  outcome.pass.purpose = "counts";
  outcome.pass.collector = "emulated";
  outcome.pass.exit_status = bounded.supervision.end.shell_status();
  outcome.pass.wall_s = bounded.supervision.wall_s;
  outcome.pass.note = note_of(outcome.counts, pass.geometry);
  return outcome;
}

}  // namespace roofmark
