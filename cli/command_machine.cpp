// `roofmark machine`: this machine's ceilings.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <roofmark/result.hpp>

#include "analysis/machine/machine_json.hpp"
#include "analysis/machine/machine_text.hpp"
#include "analysis/machine/measure.hpp"
#include "commands.hpp"

namespace roofmark::cli {
namespace {

struct Options {
  MeasureOptions measure;
  bool json = false;
};

/// One line that replaces itself, and leaves nothing behind.
MeasureProgress progress_line() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [](double done, std::string_view what) {
    if (done >= 1)
      std::fputs("\r\x1b[K", stderr);
    else
      std::fprintf(stderr, "\rmeasuring this machine: %3.0f %%, %.*s\x1b[K", 100 * done,
                   static_cast<int>(what.size()), what.data());
    std::fflush(stderr);
  };
}

int print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return 0;
  std::fputs("roofmark: the output can't be written\n", stderr);
  return 1;
}

int run(const Options& options) {
  const Result<Machine> machine = load_or_measure(options.measure, progress_line());
  if (!machine) {
    std::fprintf(stderr, "roofmark: %s\n", to_line(machine.error()).c_str());
    return bad_input;
  }
  return print(options.json ? to_json(*machine) : render_machine_text(*machine));
}

}  // namespace

void add_machine_command(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "machine", "Measure and show this machine's ceilings (kept for the next time)");
  const auto options = std::make_shared<Options>();
  command->add_flag("--json", options->json, "Print roofmark-machine/1 instead of tables");
  command->add_flag("--quick", options->measure.quick, "Fewer windows: a few seconds, less exact");
  command->add_flag("--refresh", options->measure.refresh, "Measure again whatever is kept");
  command->add_option("--file", options->measure.file, "Show this machine file; measure nothing");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace roofmark::cli
