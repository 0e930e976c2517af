// The commands of `roofmark`: one file each. A command parses its arguments, calls the analysis and
// returns an exit status through `status`; it prints nothing that the analysis did not make.
#pragma once

#include <CLI/CLI.hpp>
#include <analysis/text/plain_text.hpp>
#include <iostream>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark::cli {

/// Exit status for arguments or files that can't be used.
inline constexpr int bad_input = 2;
/// Exit status for output that could not be written.
inline constexpr int failed = 1;

/// A line on stderr, with the command's name before it.
inline void tell(const std::string& line) {
  // Names of files and regions are among the words: they have no power over the terminal.
  std::cerr << "roofmark: " << text::printable(line) << '\n';
}

/// The one line a user gets of a problem, nothing where it has no reason; returns `status`.
inline int say(const Problem& problem, int status) {
  if (!problem.reason.empty()) tell(to_line(problem));
  return status;
}
/// A check of CLI11: `-o "$UNSET"` is a mistake and not the same as no `-o`.
inline std::string not_empty(const std::string& name) {
  return name.empty() ? "the name of a file is empty" : "";
}
/// Exit status of `record` and `run` when the target was not started for a reason of ours.
inline constexpr int not_started = 125;

void add_machine_command(CLI::App& app, int& status);
void add_report_command(CLI::App& app, int& status);
void add_compare_command(CLI::App& app, int& status);
void add_merge_command(CLI::App& app, int& status);
void add_chart_command(CLI::App& app, int& status);
void add_events_command(CLI::App& app, int& status);
void add_gpu_command(CLI::App& app, int& status);
void add_import_command(CLI::App& app, int& status);
void add_top_command(CLI::App& app, int& status);
/// `manual` and `completion`, for the build.
void add_describe_commands(CLI::App& app, int& status);
void add_check_command(CLI::App& app, int& status);

/// These start a target: what followed `--` on the command line reaches them byte for byte. They
/// end as the target ended and do not return.
void add_record_command(CLI::App& app, const std::vector<std::string>& target);
void add_run_command(CLI::App& app, const std::vector<std::string>& target);
/// The usage line of such a command.
void show_usage_with_target(CLI::App& command);
/// The target: what followed `--`, or what the command did not know, for those who leave `--` out.
std::vector<std::string> target_of(const CLI::App& command, const std::vector<std::string>& target);

}  // namespace roofmark::cli
