// `roofmark machine`: this machine's ceilings.
#include <algorithm>
#include <iostream>
#include <memory>
#include <roofmark/report.hpp>
#include <roofmark/result.hpp>
#include <string>

#include "analysis/machine/machine_json.hpp"
#include "analysis/machine/machine_text.hpp"
#include "analysis/machine/measure.hpp"
#include "analysis/report/output.hpp"
#include "analysis/report/terminal.hpp"
#include "commands.hpp"
#include "progress_line.hpp"
#include "same_file.hpp"

namespace roofmark::cli {
namespace {

struct MachineArguments {
  MeasureOptions measure;
  bool no_gpus = false;
  bool json = false;
  std::string format = "text";
  std::string output;
  bool ascii = false;
};

std::string text_of(const Machine& machine, const MachineArguments& arguments) {
  const Terminal terminal = terminal_of_output();
  MachineTextOptions text;
  text.width = std::max(terminal.width, 80U);
  text.utf8 = terminal.utf8 && !arguments.ascii;
  TerminalChartOptions chart;
  chart.width = std::min(text.width, 120U);
  chart.utf8 = text.utf8;
  chart.colour = terminal.colour && arguments.output.empty();
  std::string out = render_machine_text(machine, text);
  for (const Chart& roofs : charts_of(machine))
    if (!roofs.ceilings.empty()) out += "\n" + render_terminal_chart(roofs, chart);
  return out;
}

std::string rendered(const Machine& machine, const MachineArguments& arguments) {
  if (arguments.json || arguments.format == "json") return to_json(machine);
  if (arguments.format == "svg") return render_svg(charts_of(machine)) + "\n";
  if (arguments.format == "html") return render_html(charts_of(machine));
  return text_of(machine, arguments);
}

int run(const MachineArguments& arguments) {
  if (const auto problem = taken(arguments.output, arguments.measure.file.value_or(""), "--file"))
    return say(*problem, bad_input);
  MeasureOptions options = arguments.measure;
  options.gpus = !arguments.no_gpus;
  const Result<Machine> machine = load_or_measure(options, measuring_progress());
  if (!machine) return say(machine.error(), bad_input);
  const std::string text = rendered(*machine, arguments);
  const auto problem =
      arguments.output.empty() ? write_standard_output(text) : write_file(arguments.output, text);
  return problem ? say(*problem, failed) : 0;
}

}  // namespace

void add_machine_command(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "machine", "Measure and show this machine's ceilings (kept for the next time)");
  const auto arguments = std::make_shared<MachineArguments>();
  command->add_flag("--json", arguments->json, "The same as --format json");
  command->add_option("--format", arguments->format, "text, json (roofmark-machine/1), svg or html")
      ->transform(CLI::IsMember({"text", "json", "svg", "html"}, CLI::ignore_case));
  command->add_option("-o,--output", arguments->output, "Write to this file")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_flag("--quick", arguments->measure.quick,
                    "Fewer windows: a few seconds, less exact");
  command->add_flag("--refresh", arguments->measure.refresh, "Measure again whatever is kept");
  command->add_flag("--no-gpus", arguments->no_gpus,
                    "Leave GPUs alone: those ceilings that are kept are shown, none is measured");
  command->add_option("--file", arguments->measure.file, "Show this machine file; measure nothing")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_flag("--ascii", arguments->ascii, "Nothing but ASCII in the text");
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace roofmark::cli
