#include <fmt/format.h>

#include <algorithm>
#include <analysis/files/write_file.hpp>
#include <analysis/record/gpu_run.hpp>
#include <analysis/record/isolation.hpp>
#include <analysis/record/launch.hpp>
#include <analysis/record/own_rank.hpp>
#include <analysis/record/packs.hpp>
#include <analysis/record/supervise.hpp>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace roofmark {
namespace {

namespace fs = std::filesystem;

constexpr const char* injection_variable = "CUDA_INJECTION64_PATH";
constexpr const char* plan_variable = "ROOFMARK_GPU_PLAN";

fs::path plug_in(const RecordOptions& options) {
  return options.install.lib / "libroofmark-cupti.so";
}

}  // namespace

std::optional<Problem> gpu_unavailable(const RecordOptions& options) {
  std::error_code unknown;
  if (!fs::exists(plug_in(options), unknown))
    return Problem{"this Roofmark was built without CUPTI", "",
                   "install CUDA's CUPTI, 12.6 or later, and build it again"};
  if (const char* const other = std::getenv(injection_variable); other != nullptr && *other != '\0')
    return Problem{std::string("another tool is to be put into CUDA programs (") +
                       injection_variable + "=" + other + ")",
                   "", std::string("unset ") + injection_variable};
  return std::nullopt;
}

Result<fs::path> write_gpu_plan(cupti::GpuRunPlan plan, const fs::path& directory) {
  const fs::path results = directory / "gpu";
  std::error_code fault;
  fs::create_directories(results, fault);
  if (fault) return tl::unexpected(Problem{fault.message(), results.string(), ""});
  plan.results_directory = results.string();
  const auto text = cupti::plan_text(plan);
  if (!text) return tl::unexpected(text.error());
  fs::path file = directory / "gpu.plan";
  if (const auto problem = write_file(file, *text)) return tl::unexpected(*problem);
  return file;
}

void set_gpu_environment(std::vector<std::string>& environment, const RecordOptions& options,
                         const fs::path& plan) {
  set_variable(environment, injection_variable, plug_in(options).string());
  set_variable(environment, plan_variable, plan.string());
}

cupti::GpuResultsOfRun gpu_results(const fs::path& directory) {
  return cupti::read_results_of_run(directory / "gpu");
}

Result<GpuRunOutcome> run_on_gpu(const RunAgain& again, const cupti::GpuRunPlan& plan,
                                 const std::string& name) {
  const RecordOptions& options = again.options;
  if (again.scratch == nullptr)
    return tl::unexpected(Problem{"no directory could hold the results", "",
                                  "set TMPDIR to a writable directory on a local disk"});
  const auto directory = again.scratch->subdirectory(name);
  if (!directory) return tl::unexpected(directory.error());
  const auto written = write_gpu_plan(plan, *directory);
  if (!written) return tl::unexpected(written.error());
  auto input = again.standard_input.replay();
  if (!input) return tl::unexpected(input.error());
  const auto runtime = options.install.runtime();

  GpuRunOutcome outcome;
  const Isolation isolation(options, *directory, outcome.notes);
  Launch launch;
  launch.command = options.command;
  launch.environment = current_environment();
  // Its regions are asked for where kernels are launched.
  if (runtime) {
    set_variable(launch.environment, "LD_PRELOAD", preload_text(*runtime, options.packs), ':');
    set_variable(launch.environment, "ROOFMARK_RECORDING", directory->string());
    if (options.mpi) add_mpi(options.install.lib, launch.environment);
    add_readers(options.annotations, options.install.lib, launch.environment);
  }
  set_gpu_environment(launch.environment, options, *written);
  launch.signal_mask = again.gate.original_mask();
  launch.prepare = [&] { return isolation.enter(input->get()); };
  const auto launched = roofmark::launch(launch);
  if (!launched) return tl::unexpected(launched.error().problem);
  const Bounds bounds{isolation.deadline_s(), {}, {}};
  const Bounded bounded =
      supervise_bounded(*launched, again.gate, bounds, [](double) { return 1.0; });

  outcome.results = gpu_results(*directory);
  std::vector<Problem> problems;
  if (runtime) outcome.host = read_arenas(directory->string(), problems);
  outcome.problem = early_end(bounded, isolation.deadline_s(), "the GPU");
  outcome.wall_s = bounded.supervision.wall_s;
  outcome.pass.purpose = "gpu";
  outcome.pass.collector = "cupti";
  outcome.pass.exit_status = bounded.supervision.end.shell_status();
  outcome.pass.wall_s = outcome.wall_s;
  outcome.pass.note =
      plan.kind == cupti::RunKind::activity ? "times of kernels" : "counts in kernels: " + plan.set;
  if (outcome.problem) outcome.pass.note += "; " + to_line(*outcome.problem);
  return outcome;
}

}  // namespace roofmark
