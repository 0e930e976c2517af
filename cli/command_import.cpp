// `roofmark import`: what other tools have counted, as a profile.
#include <filesystem>
#include <memory>
#include <string>

#include "analysis/import/nsight_profile.hpp"
#include "analysis/profile/profile_json.hpp"
#include "analysis/record/output_file.hpp"
#include "analysis/report/output.hpp"
#include "commands.hpp"
#include "same_file.hpp"

namespace roofmark::cli {
namespace {

struct ImportArguments {
  std::string tool, file, output, device;
};

int import_table(const ImportArguments& arguments) {
  if (const auto problem = taken(arguments.output, arguments.file, "the table to import"))
    return say(*problem, bad_input);
  const auto text = read_input(arguments.file);
  if (!text) return say(text.error(), bad_input);
  const std::string name = arguments.file == "-" ? "standard input" : arguments.file;
  const auto launches = import::read_nsight(*text, name);
  if (!launches) return say(launches.error(), bad_input);
  import::NsightOptions options;
  if (!arguments.device.empty()) options.device = arguments.device;
  const auto profile = import::profile_of(*launches, name, options);
  if (!profile) return say(profile.error(), bad_input);
  const std::string json = to_json(*profile) + "\n";
  if (arguments.output == "-") {
    const auto problem = write_standard_output(json);
    return problem ? say(*problem, failed) : 0;
  }
  if (!arguments.output.empty()) {
    const auto problem = write_file(arguments.output, json);
    return problem ? say(*problem, failed) : 0;
  }
  const std::string stem = arguments.file == "-"
                               ? std::string("import")
                               : std::filesystem::path(arguments.file).stem().string();
  const auto written = write_new_file(stem + ".roofmark", ".json", json);
  if (!written) return say(written.error(), failed);
  std::cerr << "roofmark: " << profile->regions.size() << " kernels to "
            << text::printable(*written) << "; `roofmark report` shows them\n";
  return 0;
}

}  // namespace

void add_import_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command =
      app.add_subcommand("import", "Make a profile of what another tool has counted");
  command->add_option("tool", arguments->tool, "ncu: a raw table of Nsight Compute (CSV)")
      ->required()
      ->check(CLI::IsMember({"ncu"}));
  command->add_option("file", arguments->file, "The table; - is standard input")->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "The profile. Default: the table's name, numbered rather than overwritten")
      ->check(not_empty);
  command->add_option("--device", arguments->device, "Of several devices in the table, this one");
  command->callback([arguments, &status] { status = import_table(*arguments); });
}

}  // namespace roofmark::cli
