// `roofmark events`: what can be asked of this machine's hardware counters, by quantity.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "analysis/counters/events_text.hpp"
#include "analysis/counters/pmu_device.hpp"
#include "analysis/record/install_paths.hpp"
#include "analysis/report/output.hpp"
#include "analysis/report/terminal.hpp"
#include "commands.hpp"

namespace roofmark::cli {
namespace {

struct EventsArguments {
  std::string cpuinfo = "/proc/cpuinfo";
  std::string devices = "/sys/bus/event_source/devices";
  std::string format = "text";
  std::string output;
};

int run(const EventsArguments& arguments) {
  const Result<std::string> cpuinfo = read_input(arguments.cpuinfo, "give a copy of /proc/cpuinfo");
  if (!cpuinfo) return say(cpuinfo.error(), bad_input);
  const EventTables tables =
      load_event_tables(event_table_folders(InstallPaths::find().share / "events"));
  // A bad file is said and skipped: the other tables still hold.
  for (const Problem& problem : tables.problems) say(problem, 0);
  CountableEvents events;
  events.cpus = read_cpuinfo(*cpuinfo);
  events.pmus = pmus_in(arguments.devices);
  events.matches = match_tables(tables.tables, events.cpus, events.pmus);
  std::string text;
  if (arguments.format == "json") {
    text = render_events_json(events);
  } else {
    const Terminal terminal = terminal_of_output();
    text = render_events_text(events, {std::max(terminal.width, 80U), terminal.utf8});
  }
  const auto problem =
      arguments.output.empty() ? write_standard_output(text) : write_file(arguments.output, text);
  return problem ? say(*problem, failed) : 0;
}

}  // namespace

void add_events_command(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "events", "List what this machine's hardware counters can be asked for, by quantity");
  const auto arguments = std::make_shared<EventsArguments>();
  command->add_option("--format", arguments->format, "text or json")
      ->transform(CLI::IsMember({"text", "json"}, CLI::ignore_case));
  command
      ->add_option("--cpuinfo", arguments->cpuinfo,
                   "The processors of this file, from another machine's /proc/cpuinfo")
      ->type_name("FILE")
      ->check(not_empty);
  command
      ->add_option("--devices", arguments->devices,
                   "The PMUs of this folder instead of /sys/bus/event_source/devices")
      ->type_name("DIR")
      ->check(not_empty);
  command->add_option("-o,--output", arguments->output, "Write to this file")
      ->type_name("FILE")
      ->check(not_empty);
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace roofmark::cli
