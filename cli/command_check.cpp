// `roofmark check`: what can be counted here, why not the rest, and are the counts right.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "analysis/check/capabilities.hpp"
#include "analysis/machine/machine_store.hpp"
#include "analysis/record/install_paths.hpp"
#include "analysis/report/output.hpp"
#include "analysis/report/terminal.hpp"
#include "commands.hpp"

namespace roofmark::cli {
namespace {

struct CheckArguments {
  std::string cpuinfo = "/proc/cpuinfo";
  std::string devices = "/sys/bus/event_source/devices";
  std::string resctrl_root = "/sys/fs/resctrl";
  std::string format = "text";
  std::string output;
  bool no_self_test = false;
};

/// What was found is kept for later recordings. That it can't be kept changes no finding.
void keep(const check::CheckReport& report, const std::string& cpuinfo) {
  const auto folder = store_folder({});
  if (!folder || report.self_test.empty()) return;
  if (const auto problem =
          check::save_findings(*folder, check::trust_key(cpuinfo), report.self_test))
    say(*problem, 0);
}

int run(const CheckArguments& arguments) {
  const Result<std::string> cpuinfo = read_input(arguments.cpuinfo, "give a copy of /proc/cpuinfo");
  if (!cpuinfo) return say(cpuinfo.error(), bad_input);
  const InstallPaths paths = InstallPaths::find();
  const EventTables tables = load_event_tables(event_table_folders(paths.share / "events"));
  for (const Problem& problem : tables.problems) say(problem, 0);
  check::CheckOptions options;
  options.cpuinfo = *cpuinfo;
  options.devices = arguments.devices;
  options.resctrl_root = arguments.resctrl_root;
  options.tables = &tables;
  options.install = {paths.libexec, paths.lib};
  options.self_test = !arguments.no_self_test;
  const check::CheckReport report = check::check_machine(options);
  if (report.interrupted != 0) {  // as if it had not been held back until all was tidied up
    std::signal(report.interrupted, SIG_DFL);
    std::raise(report.interrupted);
  }
  // What was made up on the command line is nothing to remember of this processor.
  if (arguments.cpuinfo == CheckArguments().cpuinfo &&
      arguments.devices == CheckArguments().devices)
    keep(report, *cpuinfo);
  std::string text;
  if (arguments.format == "json") {
    text = check::render_check_json(report);
  } else {
    const Terminal terminal = terminal_of_output();
    text = check::render_check_text(report, {std::max(terminal.width, 80U), terminal.utf8,
                                             terminal.colour && arguments.output.empty()});
  }
  const auto problem =
      arguments.output.empty() ? write_standard_output(text) : write_file(arguments.output, text);
  if (problem) return say(*problem, failed);
  return report.untrusted() ? failed : 0;
}

}  // namespace

void add_check_command(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "check", "What can be counted here, why not the rest, and are the counts right");
  const auto arguments = std::make_shared<CheckArguments>();
  command->add_option("--format", arguments->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command->add_flag("--no-self-test", arguments->no_self_test,
                    "Do not hold counts to known kernels");
  command
      ->add_option("--cpuinfo", arguments->cpuinfo,
                   "The processors of this file instead of /proc/cpuinfo")
      ->type_name("FILE");
  command
      ->add_option("--devices", arguments->devices,
                   "The PMUs of this folder instead of /sys/bus/event_source/devices")
      ->type_name("DIR");
  command
      ->add_option("--resctrl-root", arguments->resctrl_root,
                   "Where the resctrl file system is (default /sys/fs/resctrl)")
      ->type_name("DIR")
      ->check(not_empty);
  command->add_option("-o,--output", arguments->output, "Write to this file")
      ->type_name("FILE")
      ->check(not_empty);
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace roofmark::cli
