// The commands of `roofmark`: one file each. A command parses its arguments, calls the analysis and
// returns an exit status through `status`; it prints nothing that the analysis did not make.
#pragma once

#include <CLI/CLI.hpp>

namespace roofmark::cli {

/// Exit status for arguments or files that can't be used.
inline constexpr int bad_input = 2;

void add_machine_command(CLI::App& app, int& status);
void add_record_command(CLI::App& app, int& status);
void add_report_command(CLI::App& app, int& status);
void add_chart_command(CLI::App& app, int& status);
void add_run_command(CLI::App& app, int& status);

}  // namespace roofmark::cli
