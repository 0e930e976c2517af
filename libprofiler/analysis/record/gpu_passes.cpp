#include <fmt/format.h>

#include <algorithm>
#include <analysis/join/region_tree.hpp>
#include <analysis/record/gpu_passes.hpp>
#include <analysis/record/gpu_signs.hpp>
#include <collectors/cupti/metric_plan.hpp>
#include <set>

namespace roofmark {
namespace {

namespace fs = std::filesystem;

/// How long each region took in a run, on its longest thread.
std::map<std::vector<std::string>, double> host_times(const std::vector<RawProcess>& processes,
                                                      const JoinInput& timed, double wall_s) {
  std::map<std::vector<std::string>, double> times;
  times[{}] = wall_s;
  if (processes.empty()) return times;
  JoinInput input;
  input.native = processes;
  input.ticks_per_second = timed.ticks_per_second;
  input.whole.wall_s = wall_s;
  RegionTree tree;
  const std::string executable = main_executable(timed);
  for (const RawProcess& process : processes) tree.add(process, input, executable);
  tree.finish();
  for (std::size_t region = 1; region < tree.regions().size(); ++region)
    times[tree.path(region)] = tree[region].longest_s;
  return times;
}

}  // namespace

GpuPasses::GpuPasses(const RecordOptions& options, const TargetFile& target)
    : options_(options), chips_(tl::unexpected(Problem{"it was not needed", "", ""})) {
  // Who wants nothing counted wants no further run, unless GPUs are asked for.
  if (options.gpu == "off" || (options.gpu == "auto" && options.counters == "none")) return;
  if (!has_cuda_driver()) return;
  wanted_ = true;
  signs_ = options.gpu == "on" || (!target.path.empty() && has_cuda_signs(target.path));
}

std::optional<fs::path> GpuPasses::plan_of_timed_run(const fs::path& directory) {
  if (!wanted_ || !(options_.once || options_.rank) || gpu_unavailable(options_))
    return std::nullopt;
  // A program that never starts the driver never loads the plug-in.
  auto plan = write_gpu_plan({}, directory);
  if (!plan) return std::nullopt;
  timed_run_ = directory;
  return *plan;
}

bool GpuPasses::launched_kernels() const {
  return std::any_of(input_.activity.begin(), input_.activity.end(),
                     [](const cupti::GpuProcess& process) {
                       return !process.kernels.empty() || process.launches_unfinished > 0;
                     });
}

void GpuPasses::run(const RunAgain& again, bool seen, bool was_ended, Profile& profile) {
  if (!wanted_) return;
  if (timed_run_) {
    cupti::GpuResultsOfRun results = gpu_results(*timed_run_);
    if (results.processes.empty() && results.problems.empty()) return;
    ran_ = true;
    input_.activity = std::move(results.processes);
    for (const Problem& problem : results.problems)
      profile.notes.push_back("GPU: " + to_line(problem) + ".");
    profile.notes.push_back(
        "Kernels of GPUs were timed in the timed run itself, since the program runs only once: "
        "what "
        "CUPTI takes for that is in the times of its regions.");
    input_.not_counted = Problem{"the program was to run only once, and that run was timed", "",
                                 "let it run again: without --once, around the whole job"};
    return;
  }
  if (options_.once || options_.rank || (!signs_ && !seen)) return;
  ran_ = true;
  std::optional<Problem> why_not = gpu_unavailable(options_);
  if (!why_not && was_ended)
    why_not = Problem{"the timed run was ended from outside, so that a further one might not end",
                      "", "--budget SECONDS ends a further run after that time"};
  if (why_not) {
    if (options_.tell)
      options_.tell("The program's GPU kernels are not looked at: " + to_line(*why_not) + ".");
    input_.not_timed = why_not;
    profile.notes.push_back("GPU: its kernels were not looked at: " + to_line(*why_not) + ".");
    return;
  }
  time_kernels(again, profile);
  if (launched_kernels()) count(again, profile);
}

void GpuPasses::take(const RunAgain&, GpuRunOutcome& outcome, Profile& profile) {
  profile.passes.push_back(outcome.pass);
  for (std::string& note : outcome.notes)
    if (std::find(profile.notes.begin(), profile.notes.end(), note) == profile.notes.end())
      profile.notes.push_back(std::move(note));
  for (const Problem& problem : outcome.results.problems)
    profile.notes.push_back("GPU: " + to_line(problem) + ".");
}

void GpuPasses::time_kernels(const RunAgain& again, Profile& profile) {
  if (options_.tell)
    options_.tell(fmt::format("Timing GPU kernels in a further run: {:.2g} s expected.",
                              again.input.whole.wall_s));
  auto outcome = run_on_gpu(again, {}, "gpu-time");
  if (!outcome) {
    input_.not_timed = outcome.error();
    profile.notes.push_back("GPU: kernels were not timed: " + to_line(outcome.error()) + ".");
    return;
  }
  take(again, *outcome, profile);
  if (outcome->problem) input_.not_timed = outcome->problem;
  input_.activity = std::move(outcome->results.processes);
  input_.host_wall_s = host_times(outcome->host, again.input, outcome->wall_s);
}

std::vector<std::string> GpuPasses::chips_seen() const {
  std::set<std::string> chips;
  for (const cupti::GpuProcess& process : input_.activity)
    for (const cupti::GpuKernel& kernel : process.kernels)
      for (const cupti::GpuDevice& device : process.devices)
        if (device.uuid == kernel.device && !device.chip.empty()) chips.insert(device.chip);
  return {chips.begin(), chips.end()};
}

bool GpuPasses::used_tensor_units(const std::string& name) const {
  const cupti::Chip* chip = chips_ ? chips_->chip(name) : nullptr;
  if (chip == nullptr) return false;
  for (const GpuCounterRun& run : input_.counters)
    for (const cupti::GpuProcess& process : run.processes)
      for (const cupti::GpuRange& range : process.ranges) {
        const auto device = std::find_if(process.devices.begin(), process.devices.end(),
                                         [&](const auto& one) { return one.uuid == range.device; });
        if (device == process.devices.end() || device->chip != name) continue;
        for (const std::string& probe : chip->probe)
          if (const auto value = range.metrics.find(probe);
              value != range.metrics.end() && value->second > 0)
            return true;
      }
  return false;
}

void GpuPasses::run_set(const RunAgain& again, const std::string& set,
                        const std::map<std::string, std::vector<std::string>>& metrics,
                        Profile& profile) {
  cupti::GpuRunPlan plan;
  plan.kind = cupti::RunKind::counters;
  plan.set = set;
  plan.replay = options_.replay_kernels ? cupti::Replay::kernel : cupti::Replay::user;
  plan.metrics = metrics;
  if (options_.tell)
    options_.tell(fmt::format(
        "Counting what GPU kernels do ({}), in a further run: {:.2g} s expected, or more.", set,
        again.input.whole.wall_s));
  GpuCounterRun run;
  run.set = set;
  auto outcome = run_on_gpu(again, plan, "gpu-" + set);
  if (outcome) {
    take(again, *outcome, profile);
    run.processes = std::move(outcome->results.processes);
    run.problem = std::move(outcome->problem);
  } else {
    run.problem = outcome.error();
  }
  input_.counters.push_back(std::move(run));
}

void GpuPasses::count(const RunAgain& again, Profile& profile) {
  if (options_.counters == "none") {
    input_.not_counted =
        Problem{"counting was not asked for (--counters none)", "", "--counters auto"};
    return;
  }
  struct Set {
    std::map<std::string, std::vector<std::string>> metrics, only_if_tensor;
    int passes = 1;
  };
  std::vector<std::string> order;
  std::map<std::string, Set> sets;
  chips_ = cupti::load_chip_table(options_.install.share / "cupti");
  if (!chips_) {
    input_.not_counted = chips_.error();
    return;
  }
  input_.chips = &*chips_;
  cupti::PlanOptions how;
  how.tables = options_.install.share / "cupti";
  const std::vector<std::string> chips = chips_seen();
  if (chips.empty())
    input_.not_counted =
        Problem{"CUPTI did not say which chip its GPU is", "", "a newer CUPTI, and a newer driver"};
  for (const std::string& chip : chips) {
    const cupti::Chip* known = chips_->chip(chip);
    if (known != nullptr && !known->not_collected.empty()) continue;  // its kernels say so
    const auto plan = cupti::plan_metrics(chip, how);
    if (!plan) {
      profile.notes.push_back("GPU: " + to_line(plan.error()) + ".");
      continue;
    }
    for (const cupti::MetricSet& set : plan->sets) {
      if (sets.count(set.name) == 0) order.push_back(set.name);
      Set& sum = sets[set.name];
      (set.only_if_tensor ? sum.only_if_tensor : sum.metrics)[chip] = set.metrics;
      sum.passes = std::max(sum.passes, set.passes);
    }
  }
  // The probe for tensor units rides with `hw`: what depends on it comes last.
  std::stable_partition(order.begin(), order.end(),
                        [&](const std::string& name) { return sets[name].only_if_tensor.empty(); });
  for (const std::string& name : order) {
    Set& set = sets[name];
    std::erase_if(set.only_if_tensor,
                  [&](const auto& entry) { return !used_tensor_units(entry.first); });
    set.metrics.merge(set.only_if_tensor);
    if (set.metrics.empty()) continue;
    if (set.passes > 1 && !options_.replay_kernels) {
      input_.left_out[name] =
          Problem{fmt::format("these counts take {} passes, and a plain run gives one", set.passes),
                  "", "--replay kernel runs each kernel as often"};
      continue;
    }
    run_set(again, name, set.metrics, profile);
    // Who typed Ctrl-C wants no further run.
    if (input_.counters.back().problem) {
      for (auto rest = std::find(order.begin(), order.end(), name) + 1; rest != order.end(); ++rest)
        input_.left_out[*rest] = *input_.counters.back().problem;
      break;
    }
  }
}

void GpuPasses::join(const std::string& main_executable, Profile& profile) {
  if (!ran_) return;
  if (!chips_) {
    chips_ = cupti::load_chip_table(options_.install.share / "cupti");
    if (chips_) input_.chips = &*chips_;
  }
  input_.main_executable = main_executable;
  join_gpu(input_, profile);
}

}  // namespace roofmark
