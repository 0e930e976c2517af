#include "hardware_pass.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <analysis/files/write_file.hpp>
#include <analysis/record/hardware_plan.hpp>
#include <analysis/record/isolation.hpp>
#include <analysis/record/launch.hpp>
#include <analysis/record/own_rank.hpp>
#include <analysis/record/packs.hpp>
#include <analysis/record/program_counters.hpp>
#include <analysis/record/supervise.hpp>
#include <analysis/record/whole_program.hpp>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

namespace roofmark {
namespace {

constexpr auto socket_look = std::chrono::milliseconds(200);

/// CPU time of all programs since the system started.
std::optional<double> busy_s() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, soft_irq = 0;
  if (!(file >> name >> user >> nice >> system >> idle >> waiting >> irq >> soft_irq))
    return std::nullopt;
  const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  if (name != "cpu" || !(per_second > 0)) return std::nullopt;
  return (user + nice + system + irq + soft_irq) / per_second;
}

/// The counts of the plan's sockets over a moment, per second and quantity.
std::map<std::string, double> socket_rates(const MeasuredPasses& passes) {
  std::vector<perf::Group> open(passes.plan.groups.size());
  std::vector<perf::Reading> before(open.size());
  std::vector<GroupCounts> counts;
  std::map<std::string, double> rates;
  for (std::size_t g = 0; g < open.size(); ++g) {
    const PlannedGroup& planned = passes.plan.groups[g];
    if (planned.cpu < 0) continue;
    perf::FlatPlan flat;
    flat.group_count = 1;
    flat.event_count = static_cast<unsigned>(planned.events.size());
    flat.groups[0] = {planned.cpu, 0, static_cast<std::uint16_t>(planned.events.size())};
    for (std::size_t e = 0; e < planned.events.size(); ++e)
      flat.events[e] = planned.events[e].numbers;
    if (!perf::open_group(flat, 0, 0, open[g])) perf::read_group(open[g], false, before[g]);
  }
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(socket_look);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  for (std::size_t g = 0; g < open.size(); ++g) {
    if (open[g].count == 0) continue;
    perf::Reading after;
    if (perf::read_group(open[g], false, after) == 0)
      counts.push_back({g, perf::difference(before[g], after)});
    perf::close_group(open[g]);
  }
  const EventCounts events = event_counts(passes.plan, counts, Scope::socket);
  for (const Formula* formula : passes.plan.formulas) {
    if (formula->scope != Scope::socket) continue;
    if (const auto value = evaluate(*formula, events, passes.variables))
      rates[formula->quantity] = static_cast<double>(*value) / elapsed.count();
  }
  return rates;
}

bool has_sockets(const MeasuredPasses& passes) {
  for (const PlannedGroup& group : passes.plan.groups)
    if (group.cpu >= 0) return true;
  return false;
}

}  // namespace

Result<std::filesystem::path> write_plan(const MeasuredPasses& passes, unsigned pass,
                                         const std::filesystem::path& directory) {
  const auto text = pass < passes.texts.size() ? Result<std::string>(passes.texts[pass])
                                               : pass_text(passes.plan, pass);
  if (!text) return tl::unexpected(text.error());
  const std::filesystem::path file = directory / ("counters-" + std::to_string(pass) + ".plan");
  if (const auto problem = write_file(file, *text)) return tl::unexpected(*problem);
  return file;
}

Result<HardwareOutcome> run_hardware_pass(HardwareRun& run, const SignalGate& gate) {
  const RecordOptions& options = *run.options;
  const auto runtime = options.install.runtime();
  if (!runtime) return tl::unexpected(runtime.error());
  const auto plan = write_plan(*run.passes, run.pass, run.directory);
  if (!plan) return tl::unexpected(plan.error());

  HardwareOutcome outcome;
  const Isolation isolation(options, run.directory, outcome.notes);
  if (options.tell)
    options.tell(
        fmt::format("Counting {} in run {} of {}: about {:.1f} s expected; "
                    "Ctrl-C ends it and keeps what was counted.",
                    run.whole_program ? "the program as a whole" : "more events", run.number,
                    run.of, run.native_wall_s));
  Launch launch;
  launch.command = options.command;
  launch.environment = current_environment();
  // PAPI counts in the program alone: there, a region around each process stands for the whole.
  const bool by_runtime = !run.whole_program || !run.passes->texts.empty();
  if (by_runtime) {
    const std::string preload = run.whole_program
                                    ? preload_text(*runtime, {options.install.lib / whole_library})
                                    : preload_text(*runtime, options.packs);
    set_variable(launch.environment, "LD_PRELOAD", preload, ':');
    set_variable(launch.environment, "ROOFMARK_RECORDING", run.directory.string());
    set_variable(launch.environment, "ROOFMARK_COUNTERS", plan->string());
    if (!run.whole_program) {
      if (options.mpi) add_mpi(options.install.lib, launch.environment);
      add_readers(options.annotations, options.install.lib, launch.environment);
      add_functions(options.functions, options.install.lib, launch.environment);
    }
  }
  launch.signal_mask = gate.original_mask();
  std::optional<ProgramCounters> program;
  if (!by_runtime) program.emplace(run.passes->plan, run.pass);
  launch.prepare = [&] {
    const int error = isolation.enter(run.standard_input.get());
    if (error == 0 && program) program->open_in_child();
    return error;
  };
  const auto launched = roofmark::launch(launch);
  if (!launched) return tl::unexpected(launched.error().problem);
  if (program) program->receive();
  const Bounds bounds{isolation.deadline_s(), {}, {}};
  const Bounded bounded = supervise_bounded(*launched, gate, bounds, [](double) { return 1.0; });

  if (program) outcome.program = program->read();
  std::vector<Problem> problems;
  outcome.processes = read_arenas(run.directory.string(), problems);
  for (const Problem& problem : problems)
    outcome.notes.push_back("Recording: " + to_line(problem) + ".");
  outcome.problem = early_end(bounded, isolation.deadline_s(), "these events");
  if (run.whole_program && by_runtime && !outcome.problem) {
    WholeCounts whole = whole_counts(*run.passes, run.pass, outcome.processes);
    outcome.program = std::move(whole.counts);
    outcome.problem = std::move(whole.problem);
    if (!outcome.problem)
      outcome.notes.push_back(fmt::format(
          "PAPI counted the program as a whole in {} process{} that loaded the runtime.",
          whole.processes, whole.processes == 1 ? "" : "es"));
  }
  outcome.pass.purpose = "counts";
  outcome.pass.collector = run.passes->collector;
  outcome.pass.exit_status = bounded.supervision.end.shell_status();
  outcome.pass.wall_s = bounded.supervision.wall_s;
  if (!run.whole_program)
    outcome.pass.coverage = measured_coverage(*run.passes, run.pass, outcome.processes);
  if (outcome.problem) outcome.pass.note = to_line(*outcome.problem);
  return outcome;
}

SocketWatch::SocketWatch(const MeasuredPasses& passes) {
  if (!has_sockets(passes)) return;
  witness_.others_per_s = socket_rates(passes);
  busy_before_s_ = busy_s();
}

SocketWitness SocketWatch::finish(double program_cpu_s) {
  const auto now = busy_s();
  if (busy_before_s_ && now && *now > *busy_before_s_) {
    const double all = *now - *busy_before_s_;
    witness_.others_cpu_share = all > program_cpu_s ? (all - program_cpu_s) / all : 0;
  }
  return witness_;
}

}  // namespace roofmark
