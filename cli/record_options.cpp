#include "record_options.hpp"

#include <analysis/machine/machine_store.hpp>
#include <analysis/record/own_rank.hpp>
#include <analysis/record/packs.hpp>
#include <collectors/emulated/inspect.hpp>
#include <collectors/papi/events.hpp>
#include <filesystem>

#include "commands.hpp"
#include "progress_line.hpp"

namespace roofmark::cli {
namespace {

namespace fs = std::filesystem;

Result<Machine> measure(MeasureOptions options, const std::function<bool()>& interrupted,
                        bool gpus) {
  options.interrupted = interrupted;
  options.gpus = gpus;
  auto machine = load_or_measure(options, measuring_progress());
  if (has_progress_line()) show_progress("");
  return machine;
}

/// The program that is started. Behind a launcher stand the job's, among words of its own.
std::vector<fs::path> programs_of(const std::vector<std::string>& target) {
  std::vector<fs::path> programs;
  for (std::size_t i = 0; i < target.size() && (i == 0 || is_launcher(target)); ++i)
    if (const auto program = emulated::find_program(target[i])) programs.push_back(*program);
  return programs;
}

}  // namespace

MeasureOptions machine_options(const RecordingArguments& arguments) {
  MeasureOptions options;
  if (!arguments.machine_file.empty()) options.file = arguments.machine_file;
  options.for_ranks = arguments.rank.has_value();
  options.probe = !options.for_ranks;
  return options;
}

RecordOptions record_options(const RecordingArguments& arguments) {
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

AttachOptions attach_options(const RecordingArguments& arguments, const RecordOptions& options) {
  AttachOptions attach;
  attach.process = arguments.process;
  if (arguments.duration_s > 0) attach.duration_s = arguments.duration_s;
  attach.counters = options.counters;
  attach.tables = options.install.share / "events";
  attach.findings = options.findings;
  if (options.measure)
    attach.kept_machine = [machine = machine_options(arguments)] { return kept_machine(machine); };
  attach.tell = options.tell;
  return attach;
}

}  // namespace roofmark::cli
