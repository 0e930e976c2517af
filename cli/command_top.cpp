// `roofmark top`: a recording while it is made.
#include <memory>
#include <roofmark/report.hpp>
#include <string>

#include "analysis/live/counting.hpp"
#include "analysis/live/screen.hpp"
#include "analysis/machine/machine_store.hpp"
#include "analysis/machine/measure.hpp"
#include "analysis/record/install_paths.hpp"
#include "analysis/record/processes.hpp"
#include "analysis/report/terminal.hpp"
#include "commands.hpp"
#include "live_terminal.hpp"

namespace roofmark::cli {
namespace {

struct TopArguments {
  int pid = 0;
  double interval_s = 1;
  unsigned looks = 0;
  bool ascii = false, no_chart = false;
};

live::ScreenOptions screen_options(const Terminal& terminal, const TopArguments& arguments) {
  live::ScreenOptions options;
  options.width = terminal.width;
  // What goes to a file or a pipe has no height.
  constexpr unsigned without_terminal = 60;
  options.height = terminal.is_terminal ? terminal.height : without_terminal;
  options.utf8 = terminal.utf8 && !arguments.ascii;
  options.colour = terminal.colour;
  options.chart = !arguments.no_chart;
  return options;
}

/// What it counts by hardware, in the quantities of the tables here.
live::Counting counting_of(const live::Recording& recording) {
  HardwareOptions options;
  options.installed_tables = InstallPaths::find().share / "events";
  options.findings = store_folder({});
  return live::counting_of(recording.counters, options);
}

int top(TopArguments arguments) {
  if (arguments.looks == 0 && !terminal_of_output().is_terminal) arguments.looks = 1;
  const auto recording = live::recording_of(arguments.pid);
  if (!recording) return say(recording.error(), bad_input);
  // Nothing is measured beside a program that is being timed.
  const auto kept = kept_machine({});
  const Machine machine = kept && *kept ? **kept : Machine{};
  const live::Counting counting = counting_of(*recording);
  const std::string executable = executable_of(recording->pid);
  const std::string title =
      (executable.empty() ? "process" : executable.substr(executable.rfind('/') + 1)) + " " +
      std::to_string(recording->pid);

  std::optional<live::Snapshot> before;
  bool ended = false;
  {
    const bool full_screen = terminal_of_output().is_terminal && arguments.looks != 1;
    LiveTerminal terminal(full_screen);
    for (unsigned looked = 0; arguments.looks == 0 || looked < arguments.looks;) {
      auto now = live::look(*recording, machine, counting);
      if (!now) {
        ended = true;
        break;
      }
      const auto rows = live::rows_of(before, *now);
      const auto options = screen_options(terminal_of_output(), arguments);
      if (!terminal.show(live::screen(*now, rows, title, options) + (full_screen ? "" : "\n")))
        break;
      ++looked;
      before = std::move(now);
      if (arguments.looks != 0 && looked == arguments.looks) break;
      if (terminal.wait(arguments.interval_s) == LiveTerminal::Woken::quit) break;
    }
  }
  if (ended && !before)
    return say({"it has ended", "process " + std::to_string(recording->pid), ""}, bad_input);
  if (ended) std::cerr << "roofmark: " << title << " has ended\n";
  return 0;
}

}  // namespace

void add_top_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<TopArguments>();
  CLI::App* command =
      app.add_subcommand("top", "A recording while it is made: where its threads are now");
  command
      ->add_option("pid", arguments->pid,
                   "A process that is recorded, or the `roofmark record` that started it")
      ->required()
      ->check(CLI::Range(1, 1 << 30));
  command->add_option("--interval", arguments->interval_s, "Seconds between two looks")
      ->check(CLI::Range(0.1, 3600.0));
  command->add_option("--count", arguments->looks,
                      "End after so many looks (where the output is no terminal: 1)");
  command->add_flag("--no-chart", arguments->no_chart, "The table alone");
  command->add_flag("--ascii", arguments->ascii, "ASCII only");
  command->callback([arguments, &status] { status = top(*arguments); });
}

}  // namespace roofmark::cli
