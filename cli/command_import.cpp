// `roofmark import`: what other tools have counted, as a profile.
#include <filesystem>
#include <memory>
#include <string>

#include "analysis/import/likwid_profile.hpp"
#include "analysis/import/nsight_profile.hpp"
#include "analysis/import/perf_profile.hpp"
#include "analysis/machine/measure.hpp"
#include "analysis/profile/profile_json.hpp"
#include "analysis/record/install_paths.hpp"
#include "analysis/record/output_file.hpp"
#include "analysis/report/output.hpp"
#include "analysis/text/parsing.hpp"
#include "commands.hpp"
#include "progress_line.hpp"
#include "same_file.hpp"

namespace roofmark::cli {
namespace {

struct ImportArguments {
  std::string tool, file, output, device;
  std::string machine, cpuinfo;
  bool no_machine = false, alone = false;
};

constexpr const char* give_cpuinfo = "give a copy of /proc/cpuinfo of where it ran";

/// The command that writes what a tool's import reads.
std::string how_to_write(const std::string& tool) {
  if (tool == "ncu") return "give the table: " + std::string(import::nsight_command);
  return "give the table: " +
         std::string(tool == "perf" ? import::perf_command : import::likwid_command);
}

/// The machine that the profile is placed against: given, or this one.
Result<Machine> machine_for(const ImportArguments& arguments) {
  if (arguments.no_machine) return Machine{};
  MeasureOptions options;
  if (!arguments.machine.empty()) options.file = arguments.machine;
  auto machine = load_or_measure(options, measuring_progress());
  if (has_progress_line()) show_progress("");
  return machine;
}

/// Whose events they are: of the given file, of the machine's processor, or of this one's.
Result<import::KnownEvents> events_of(const ImportArguments& arguments, const Machine& machine) {
  EventTables tables =
      load_event_tables(event_table_folders(InstallPaths::find().share / "events"));
  for (const Problem& problem : tables.problems) say(problem, 0);
  if (arguments.cpuinfo.empty())
    if (const auto cpu = import::cpu_of(machine))
      return import::KnownEvents(std::move(tables), {*cpu});
  const auto text = read_input(
      arguments.cpuinfo.empty() ? std::string("/proc/cpuinfo") : arguments.cpuinfo, give_cpuinfo);
  if (!text) return tl::unexpected(text.error());
  const auto cpus = read_cpuinfo(*text);
  // Of this machine's own nothing can be asked; of a given file, that it is one.
  if (cpus.empty() && !arguments.cpuinfo.empty())
    return tl::unexpected(Problem{"it names no processor", arguments.cpuinfo, give_cpuinfo});
  return import::KnownEvents(std::move(tables), cpus);
}

Result<Profile> imported(const ImportArguments& arguments, const std::string& text,
                         const std::string& name) {
  if (arguments.tool == "ncu") {
    const auto launches = import::read_nsight(text, name);
    if (!launches) return tl::unexpected(launches.error());
    import::NsightOptions options;
    if (!arguments.device.empty()) options.device = arguments.device;
    if (!arguments.machine.empty()) {
      auto machine = machine_for(arguments);
      if (!machine) return tl::unexpected(machine.error());
      options.machine = std::move(*machine);
    }
    return import::profile_of(*launches, name, options);
  }
  // A file that can't be read is said before the machine is measured for it.
  const bool perf = arguments.tool == "perf";
  const auto rows = perf ? import::read_perf_stat(text, name)
                         : Result<std::vector<import::PerfRow>>(std::vector<import::PerfRow>{});
  if (!rows) return tl::unexpected(rows.error());
  const auto tables =
      perf ? Result<import::LikwidTables>(import::LikwidTables{}) : import::read_likwid(text, name);
  if (!tables) return tl::unexpected(tables.error());
  const auto machine = machine_for(arguments);
  if (!machine) return tl::unexpected(machine.error());
  const auto known = events_of(arguments, *machine);
  if (!known) return tl::unexpected(known.error());
  if (perf) return import::profile_of(*rows, name, *known, *machine, arguments.alone);
  return import::profile_of(*tables, name, *known, *machine, arguments.alone);
}

/// "3 kernels", "1 region"
std::string size_of(const ImportArguments& arguments, const Profile& profile) {
  const std::size_t count = profile.regions.size();
  return std::to_string(count) + (arguments.tool == "ncu" ? " kernel" : " region") +
         (count == 1 ? "" : "s");
}

int import_table(const ImportArguments& arguments) {
  if (const auto problem = taken(arguments.output, arguments.file, "the table to import"))
    return say(*problem, bad_input);
  if (arguments.tool == "ncu" &&
      (arguments.no_machine || !arguments.cpuinfo.empty() || arguments.alone))
    return say({"a table of Nsight Compute brings its GPU's ceilings", "import ncu",
                "leave --no-machine, --cpuinfo and --alone out; --machine gives others"},
               bad_input);
  if (arguments.tool != "ncu" && !arguments.device.empty())
    return say({"there are no devices in it", "--device", "leave it out"}, bad_input);
  const auto text = read_input(arguments.file, how_to_write(arguments.tool));
  if (!text) return say(text.error(), bad_input);
  const std::string name = arguments.file == "-" ? "standard input" : arguments.file;
  if (text::trimmed(*text).empty())
    return say({"it is empty", name, how_to_write(arguments.tool)}, bad_input);
  const auto profile = imported(arguments, *text, name);
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
  std::cerr << "roofmark: " << size_of(arguments, *profile) << " to " << text::printable(*written)
            << "; `roofmark report` shows them\n";
  return 0;
}

}  // namespace

void add_import_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command =
      app.add_subcommand("import", "Make a profile of what another tool has counted");
  command
      ->add_option("tool", arguments->tool,
                   "ncu: a raw table of Nsight Compute (CSV); perf: of perf stat (-x or -j); "
                   "likwid: of likwid-perfctr (-O)")
      ->required()
      ->check(CLI::IsMember({"ncu", "perf", "likwid"}));
  command->add_option("file", arguments->file, "The table; - is standard input")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "The profile. Default: the table's name, numbered rather than overwritten")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_option("--device", arguments->device,
                      "ncu: of several devices in the table, this one");
  auto* machine =
      command
          ->add_option("--machine", arguments->machine,
                       "The machine file of where it ran. Default: this machine; ncu: what the "
                       "table says of its GPU")
          ->type_name("FILE")
          ->check(not_empty);
  command->add_flag("--no-machine", arguments->no_machine, "perf, likwid: no ceilings")
      ->excludes(machine);
  command
      ->add_option("--cpuinfo", arguments->cpuinfo,
                   "perf, likwid: the processor of this file, a /proc/cpuinfo, says what events "
                   "mean. Default: the machine's")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_flag("--alone", arguments->alone,
                    "perf, likwid: nothing else ran on the sockets, so that their bytes are the "
                    "program's");
  command->callback([arguments, &status] { status = import_table(*arguments); });
}

}  // namespace roofmark::cli
