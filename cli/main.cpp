#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/record/shortage.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <roofmark/result.hpp>
#include <sstream>
#include <system_error>

#include "analysis/report/output.hpp"
#include "analysis/report/terminal.hpp"
#include "commands.hpp"
#include "help_text.hpp"

namespace roofmark::cli {

std::vector<std::string> target_of(const CLI::App& command,
                                   const std::vector<std::string>& target) {
  std::vector<std::string> unknown = command.remaining();
  // Nobody's program begins like an option, but many options are mistyped.
  if (!unknown.empty() && unknown.front().size() > 1 && unknown.front().front() == '-')
    throw CLI::ParseError(
        "unknown option " + unknown.front() + " (a program of that name goes behind `--`)",
        CLI::ExitCodes::ExtrasError);
  if (target.empty()) return unknown;
  if (!unknown.empty()) throw CLI::ExtrasError(command.get_name(), unknown);
  return target;
}

namespace {

class TargetFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string name) const override {
    return "Usage: " + name + " [OPTIONS] -- PROGRAM [ARGS]\n\n";
  }
};

}  // namespace

void show_usage_with_target(CLI::App& command) {
  command.formatter(std::make_shared<TargetFormatter>());
}

namespace {

/// Descriptors that we open must not get the numbers 0, 1, 2 when those were closed: they would be
/// taken for the program's input and output. Closed on exec, so that the target finds what we
/// found. Read-only: a report written to a closed standard output still fails.
void reserve_standard_descriptors() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

/// Whether the command line asks for a command that runs a target: its own failures are 125.
bool runs_target(int argc, char** argv) {
  return argc > 1 && (std::strcmp(argv[1], "record") == 0 || std::strcmp(argv[1], "run") == 0);
}

/// Help and version are no mistakes, but their place may be full.
int print_help(const CLI::App& app, const CLI::ParseError& asked) {
  std::ostringstream text;
  app.exit(asked, text, text);
  const auto problem = write_standard_output(wrapped_help(text.str(), terminal_of_output().width));
  return problem ? say(*problem, failed) : 0;
}

/// Of a mistake CLI11 knows the reason alone, and may take several lines for it.
int explain(const CLI::ParseError& mistake, const std::string& command, int status) {
  std::string reason = mistake.what();
  while (!reason.empty() && (reason.back() == '\n' || reason.back() == '.')) reason.pop_back();
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return say({reason, "", "`roofmark " + command + "--help` lists what there is"}, status);
}

int run(int argc, char** argv) {
  // The target's arguments are its own: they are split off before anything looks at them.
  char** const end = argv + argc;
  char** const dashes =
      runs_target(argc, argv)
          ? std::find_if(argv, end, [](const char* word) { return std::strcmp(word, "--") == 0; })
          : end;
  const std::vector<std::string> target(dashes == end ? end : dashes + 1, end);

  CLI::App app{"Roofmark: how far each region of a program is from this machine's roof, and why"};
  app.name("roofmark");
  app.set_version_flag("--version", std::string("roofmark ") + ROOFMARK_VERSION);
  app.require_subcommand(0, 1);

  int status = 0;
  add_run_command(app, target);
  add_record_command(app, target);
  add_report_command(app, status);
  add_compare_command(app, status);
  add_import_command(app, status);
  add_top_command(app, status);
  add_merge_command(app, status);
  add_machine_command(app, status);
  add_chart_command(app, status);
  add_events_command(app, status);
  add_gpu_command(app, status);
  add_check_command(app, status);
  add_describe_commands(app, status);

  const auto is_named = [&](const CLI::App* command) { return command->check_name(argv[1]); };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_named).empty())
    return say({"there is no such command", argv[1],
                "`roofmark --help` lists them; a program goes behind `roofmark run --`"},
               bad_input);
  try {
    app.parse(static_cast<int>(dashes - argv), argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return print_help(app, error);
    const bool of_command = argc > 1 && argv[1][0] != '-';
    return explain(error, of_command ? std::string(argv[1]) + " " : "",
                   runs_target(argc, argv) ? not_started : bad_input);
  }
  if (app.get_subcommands().empty()) {
    std::fputs(app.help().c_str(), stderr);
    return bad_input;
  }
  return status;
}

/// Memory has run out, or this is a fault of ours, which leaves a core file.
[[noreturn]] void end_at_once() {
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::exception& error) {
    const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    std::fprintf(stderr, "roofmark: %s\n",
                 no_memory ? "there is not enough memory; raise its limit (ulimit -v), or free some"
                           : error.what());
    if (no_memory || dynamic_cast<const std::system_error*>(&error) != nullptr) _exit(not_started);
  } catch (...) {
  }
  std::abort();
}

}  // namespace
}  // namespace roofmark::cli

int main(int argc, char** argv) {
  roofmark::cli::reserve_standard_descriptors();
  // Where nobody catches it, in another thread or at the end of an object's life.
  std::set_terminate(roofmark::cli::end_at_once);
  try {
    return roofmark::cli::run(argc, argv);
  } catch (const std::exception& error) {
    return roofmark::cli::say(roofmark::shortage(error), roofmark::cli::not_started);
  }
}
