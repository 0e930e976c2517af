// One run of the program with the GPU plug-in in it: what kernels it launched and how long they
// ran, or what some of their counters counted.
#pragma once

#include <analysis/record/later_passes.hpp>
#include <collectors/cupti/plan_text.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace roofmark {

/// Why the plug-in can't be put into a program, or nothing.
std::optional<Problem> gpu_unavailable(const RecordOptions& options);

/// Writes the plan and makes the directory of its results, both inside `directory`. Returns the
/// plan's file.
Result<std::filesystem::path> write_gpu_plan(cupti::GpuRunPlan plan,
                                             const std::filesystem::path& directory);
/// The variables that put the plug-in into a program.
void set_gpu_environment(std::vector<std::string>& environment, const RecordOptions& options,
                         const std::filesystem::path& plan);
/// What the plug-in left in a directory of write_gpu_plan().
cupti::GpuResultsOfRun gpu_results(const std::filesystem::path& directory);

struct GpuRunOutcome {
  cupti::GpuResultsOfRun results;
  std::vector<RawProcess> host;  ///< the regions of that run
  double wall_s = 0;
  Pass pass;
  std::vector<std::string> notes;
  std::optional<Problem> problem;  ///< why it ended early
};

/// A further run, out of the way of the first. `name` is of its directory.
Result<GpuRunOutcome> run_on_gpu(const RunAgain& again, const cupti::GpuRunPlan& plan,
                                 const std::string& name);

}  // namespace roofmark
