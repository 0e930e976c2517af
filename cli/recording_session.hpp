// What `record` and `run` share: their options, and the way from a command line to a written
// profile.
#pragma once

#include <CLI/CLI.hpp>
#include <analysis/record/record.hpp>
#include <filesystem>
#include <functional>
#include <optional>
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

/// A finished recording: judged, and on disk where that was possible.
struct Session {
  Recording recording;
  std::filesystem::path file;  ///< empty: it could not be written anywhere
};

/// Records, measures the machine and writes the profile. Says on stderr what the user should know.
/// Does not return when the target could not be started.
Session record_and_write(const RecordingArguments& arguments);

/// Does what is left to do when the target has ended. Where there is no memory for it: one line,
/// and the end that the target had.
void end_at_shortage(const Session& session, const std::function<void()>& work);

/// Where the files of a job's ranks go.
std::filesystem::path folder_of_ranks(const RecordingArguments& arguments);

/// What becomes of them; said by one rank for all.
void tell_of_ranks(const RecordingArguments& arguments);

/// A line on stderr, with the command's name before it.
void tell(const std::string& line);

}  // namespace roofmark::cli
