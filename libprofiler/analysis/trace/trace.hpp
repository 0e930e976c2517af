// Every visit of a run by itself, in time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <utility>
#include <vector>

namespace roofmark {

struct RawProcess;
struct Profile;

/// One process image's visits. Times in seconds of CLOCK_MONOTONIC_RAW, which all processes of a
/// host share.
struct TracedProcess {
  struct Visit {
    std::uint32_t name = 0;  ///< index in `names`
    std::int32_t tid = 0;
    double start_s = 0, duration_s = 0;
    bool inherited = false;  ///< was open when the process was forked, and begins there
  };
  struct Open {
    std::string name;
    std::int32_t tid = 0;
    double start_s = 0;
    bool inherited = false;
  };
  std::string host, executable;
  int pid = 0;
  unsigned sequence = 0;  ///< the nth image (exec) of this pid
  std::optional<unsigned> rank;
  std::vector<std::string> names;  ///< raw bytes
  std::vector<Visit> visits;       ///< in the order in which they ended, thread by thread
  std::vector<Open> open;          ///< were open at the end, outermost first
  /// The paths that a thread entered, in the order of the recording. Of the threads that ended all
  /// together, under the number that no thread has.
  static constexpr std::int32_t ended_threads = 0;
  std::vector<std::pair<std::int32_t, std::vector<std::string>>> entered;
  /// It runs another program than the command's own: its outermost regions bear that one's name in
  /// the profile, too.
  bool foreign = false;
  std::uint64_t untraced = 0;  ///< visits beyond what was to be kept
  std::string untraced_reason;
};

struct Trace {
  std::vector<std::string> command;
  std::vector<TracedProcess> processes;
  /// Names that are shown otherwise than the program has them: as the profile shows them.
  std::map<std::string, std::string> shown_as = {};
};

/// The visits that the process kept, from the file beside its recording; none where there is no
/// such file. Damaged blocks are left out. `ticks_per_second`: the recorder's own, for a process
/// too short to have calibrated its clock.
Result<TracedProcess> read_trace(const RawProcess& process, std::optional<double> ticks_per_second);

/// For https://ui.perfetto.dev and chrome://tracing: the JSON of the Trace Event Format, times in
/// microseconds since the first visit. With the profile of the run, each slice says what its region
/// was found to be bound by, and the trace why where nothing was.
std::string render_trace_events(const Trace& trace, const Profile* judged = nullptr);

/// What a trace lacks, a sentence each.
std::vector<std::string> shortcomings(const Trace& trace);

}  // namespace roofmark
