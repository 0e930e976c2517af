// `roofmark gpu`: the chips that there are metrics for; `gpu plan`: what is counted on one of them.
// It needs no GPU.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "analysis/record/install_paths.hpp"
#include "analysis/report/output.hpp"
#include "analysis/report/terminal.hpp"
#include "collectors/cupti/gpu_plan_text.hpp"
#include "commands.hpp"

namespace roofmark::cli {
namespace {

struct GpuArguments {
  std::string action, chip, traffic = "interface", format = "text", output;
  std::vector<std::string> tensor;
};

/// Of the terminal; metrics have long names, and are not cut.
cupti::PlanPage page_of_output() {
  const Terminal terminal = terminal_of_output();
  return {std::max(terminal.width, 80U), terminal.utf8};
}

Result<std::string> plan(const GpuArguments& arguments, const cupti::ChipTable& chips) {
  cupti::PlanOptions options;
  options.traffic = arguments.traffic;
  options.all_tensor = arguments.tensor == std::vector<std::string>{"all"};
  if (!options.all_tensor) options.tensor = arguments.tensor;
  const auto plan = cupti::plan_metrics(arguments.chip, options);
  if (!plan) return tl::unexpected(plan.error());
  const cupti::Chip& chip = *chips.chip(plan->chip);
  return arguments.format == "json"
             ? cupti::plan_json(chip, *plan, options.traffic)
             : cupti::plan_text(chip, *plan, options.traffic, page_of_output());
}

int run(const GpuArguments& arguments) {
  if (arguments.action.empty() && (!arguments.chip.empty() || !arguments.tensor.empty()))
    return say({"--chip and --tensor are of `gpu plan`", "gpu", "roofmark gpu plan --chip CHIP"},
               bad_input);
  if (!arguments.action.empty() && arguments.chip.empty())
    return say({"no chip is named", "gpu plan", "`roofmark gpu` lists the chips; --chip names one"},
               bad_input);
  const auto chips = cupti::load_chip_table(InstallPaths::find().share / "cupti");
  if (!chips) return say(chips.error(), bad_input);
  const Result<std::string> text = !arguments.action.empty() ? plan(arguments, *chips)
                                   : arguments.format == "json"
                                       ? cupti::chips_json(*chips)
                                       : cupti::chips_text(*chips, page_of_output());
  if (!text) return say(text.error(), bad_input);
  const auto problem =
      arguments.output.empty() ? write_standard_output(*text) : write_file(arguments.output, *text);
  return problem ? say(*problem, failed) : 0;
}

}  // namespace

void add_gpu_command(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<GpuArguments>();
  CLI::App* command = app.add_subcommand(
      "gpu", "List the chips whose counters are known, or plan what is counted on one");
  command
      ->add_option("action", arguments->action,
                   "plan: what is counted on a chip and in how many runs. Needs no GPU. Default: "
                   "list the chips")
      ->check(CLI::IsMember({"plan"}));
  command->add_option("--chip", arguments->chip, "The chip as CUPTI spells it: GH100")
      ->check(not_empty);
  command
      ->add_option("--tensor", arguments->tensor,
                   "Types of tensor operations to count, such as bf16,fp8; all. Default: the usual")
      ->delimiter(',');
  command
      ->add_option("--traffic", arguments->traffic,
                   "Whose definition of bytes at L2 and L1: what multiprocessors ask for "
                   "(interface), NERSC's, or Nsight Compute's")
      ->check(CLI::IsMember({"interface", "nersc", "ncu"}));
  command->add_option("--format", arguments->format, "text or json")
      ->transform(CLI::IsMember({"text", "json"}, CLI::ignore_case));
  command->add_option("-o,--output", arguments->output, "Write to this file")
      ->type_name("FILE")
      ->check(not_empty);
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace roofmark::cli
