// What the command line of `record` and `run` says, and whether it can be done.
#pragma once

#include <CLI/CLI.hpp>
#include <analysis/record/record.hpp>
#include <cstdint>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark::cli {

struct RecordingArguments {
  std::vector<std::string> target;
  std::string usage;   ///< how the command is called
  std::string output;  ///< empty: a default name
  std::string counters = "auto";
  std::string machine_file;
  std::string annotations = "auto";
  std::string papi;  ///< names of events, with commas between
  std::string gpu = "auto", replay = "user";
  std::string packs = "auto";
  std::vector<std::string> functions;  ///< GLOB[@LIB]
  std::string resctrl_root;            ///< empty: the usual one, and no word where it can't be used
  double budget_s = 0;                 ///< 0: the default
  std::string trace;                   ///< a file; empty: none
  std::uint64_t trace_visits = 1000000;
  unsigned repeat = 1;    ///< timed runs
  int process = 0;        ///< one that runs already; 0: `target` is started
  double duration_s = 0;  ///< of its recording; 0: until Ctrl-C or its end
  bool full_cache = false;
  bool once = false;
  bool multiplex = false;
  bool modelled_bytes = false;
  bool no_machine = false;
  std::string mpi = "auto";
  std::optional<JobRanks> rank;  ///< this process is one of a parallel job: it writes its own file
};

/// Adds the options to a command. `target` is what followed `--`.
void add_recording_options(CLI::App& command, RecordingArguments& arguments);

/// Nothing: a program is started, or a process is looked at, and not both.
std::optional<Problem> target_problem(const RecordingArguments& arguments);

/// Why a file that is written can't have the name that was chosen for it.
std::optional<Problem> output_problem(const RecordingArguments& arguments);

}  // namespace roofmark::cli
