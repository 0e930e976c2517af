// Reads what the runtime left in a recording directory: one file per process image.
//
// The file may belong to a process that was killed or still runs, and may be cut short or damaged:
// whatever is whole is returned, what is torn is flagged, and only a file that is no recording at
// all is a Problem. Times are raw ticks; ticks_per_second() and the marker cost convert them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <utility>
#include <vector>

namespace roofmark {

/// Two readings of the recording's clock and of CLOCK_MONOTONIC_RAW.
struct RawCalibration {
  std::string clock;  ///< "tsc", "monotonic_raw", "counter"
  std::uint64_t first_ticks = 0, first_raw_ns = 0;
  std::uint64_t last_ticks = 0, last_raw_ns = 0;
};

/// 4 buckets per power of two.
struct RawHistogram {
  std::vector<std::uint64_t> counts;

  /// Ticks [lower, upper) of a bucket; the first begins at 0 and the last has no end.
  static std::pair<double, double> bounds(std::size_t bucket);
  /// The visit time below which the share q of the visits lies, interpolated in its bucket.
  std::optional<double> quantile(double q) const;
};

/// Why a group of counters was not opened in a thread.
struct RawRefusal {
  int error = 0;  ///< errno; below 0: the collector's own; 0: nothing was refused
  unsigned group = 0, event = 0;
};

/// Sums of one group's differences over the visits of a node, and which visits they hold.
struct RawEventGroup {
  std::uint64_t whole = 0;   ///< visits that it counted from end to end
  std::uint64_t part = 0;    ///< in which it ran for a part of the time
  std::uint64_t missed = 0;  ///< in which it did not run: they count nothing, which is not 0
  std::uint64_t unread = 0;  ///< in which it was not open or could not be read
  std::uint64_t enabled = 0, running = 0;
  std::vector<std::uint64_t> values;
};

/// Hardware counts of a node: work of its thread and, while that had others below it, what those
/// did outside of regions of their own.
struct RawEvents {
  std::vector<RawEventGroup> groups;  ///< as in RawCounting
  std::uint64_t shared_visits = 0;    ///< to which others' work was added
  std::uint64_t shared_ticks = 0;     ///< what reading them took, outside of the visits' own time
  std::uint64_t blind_visits = 0;     ///< whose thread had others below it that can't be read
};

/// What a process counted by: the plan that it was given, and what an empty visit counts.
struct RawCounting {
  struct Group {
    unsigned values = 0;
    bool of_package = false;
    bool always_runs = false;  ///< its enabled and running stay 0
  };
  std::string plan;
  std::vector<Group> groups;
  /// Of an empty visit, and what a visit adds to the region around it: by group enabled, running
  /// and the values.
  std::vector<std::vector<double>> inner, whole;
  std::vector<std::vector<double>> scatter;  ///< of `whole`, from visit to visit
  bool blind = false;                        ///< other threads' counters can't be read
};

struct RawNode {
  static constexpr std::size_t no_parent = static_cast<std::size_t>(-1);

  std::size_t parent = no_parent;  ///< index in RawThread::nodes; parents come first
  std::string name;                ///< raw bytes
  std::uint64_t visits = 0;        ///< closed visits; 0: only passed through or still open
  std::uint64_t sum_ticks = 0, min_ticks = 0, max_ticks = 0;
  double sum_of_squares = 0;
  std::uint64_t first_visit_ticks = 0;
  std::uint64_t first_entry = 0, last_exit = 0;  ///< absolute ticks
  RawHistogram histogram;                        ///< empty with fewer than two visits
  double declared_flop = 0, declared_bytes = 0;
  std::uint64_t declarations = 0;
  std::uint64_t adopted_visits = 0;  ///< outermost visits whose place was not known for sure
  std::uint64_t threads = 1;         ///< > 1 only in a folded tree
  std::uint64_t max_thread_ticks = 0;
  std::optional<std::uint64_t> open_since;  ///< absolute ticks: a visit was open when it was read
  std::optional<RawEvents> events;          ///< absent: no counters, or no room for their sums
  bool torn = false;        ///< caught in the middle of a change: its numbers may be one visit off
  bool mismatched = false;  ///< a visit was closed by the exit of a region around it
  bool wrong_thread = false;  ///< a visit was closed by another thread
  bool inherited = false;     ///< was open when this process was forked: time counts from the fork
  bool unclosed = false;      ///< folded: a thread ended inside a visit
  bool other = false;         ///< "(other)": paths for which there was no room
  bool other_inside = false;  ///< regions inside it are in "(other)"
};

struct RawThread {
  int tid = 0;
  std::optional<int> creator_tid;  ///< absent: nobody saw its creation
  std::uint64_t serial = 0;
  std::uint64_t created_ticks = 0;
  bool main = false, detached = false, truncated = false, mismatched = false;
  bool folded = false;              ///< the sum of the threads that ended
  std::uint64_t ended_threads = 0;  ///< folded: how many
  std::vector<unsigned> cpus;       ///< where it was seen when regions opened or closed
  std::uint64_t cpu_samples = 0;    ///< of how many looks
  RawRefusal refusal;               ///< why not all groups of counters were open
  std::vector<RawNode> nodes;       ///< parents before children

  /// Closed and open visits of everything below a node: what its marker cost follows from.
  std::uint64_t descendant_visits(std::size_t node) const;
  /// The same for every node at once.
  std::vector<std::uint64_t> descendant_visits() const;
  std::vector<std::string> path(std::size_t node) const;
};

struct RawProcess {
  std::string file;
  std::string host, executable;
  int pid = 0, ppid = 0;
  std::uint64_t process_start = 0;  ///< field 22 of /proc/PID/stat: with host and pid, who it was
  std::uint64_t realtime_ns = 0;    ///< wall clock when recording began
  unsigned sequence = 0;            ///< the nth image (exec) of this pid
  RawCalibration calibration;
  std::uint64_t marker_ticks = 0;        ///< a visit's cost to the region around it
  std::uint64_t marker_inner_ticks = 0;  ///< what an empty visit measures as its own time
  bool ended = false;                    ///< left by itself: exit(), _exit()
  bool truncated = false;                ///< paths or threads are missing or in "(other)"
  std::string truncated_reason;          ///< "No space left on device"
  std::uint64_t lost_visits = 0;         ///< of threads for which there was no room at all
  std::uint64_t stale_exits = 0;         ///< exits of visits that were not open any more
  std::optional<int> parent_pid;         ///< a fork of this recorded process
  unsigned parent_sequence = 0;
  std::uint64_t fork_ticks = 0;
  std::optional<unsigned> rank;      ///< its number in a parallel job
  unsigned ranks = 0;                ///< in that job
  std::vector<std::string> context;  ///< the path that was open when it was forked
  std::vector<RawThread> threads;
  std::optional<RawCounting> counting;  ///< absent: no counters were asked for, or:
  std::string counting_refusal;         ///< why the plan could not be followed at all
  std::uint64_t refused_threads = 0;    ///< of which not every group could be opened
  RawRefusal first_refusal;
  std::uint64_t untraced = 0;       ///< visits that were to be kept by themselves and were not
  std::string untraced_reason;      ///< why there was no room; empty: the limit was reached
  std::vector<std::string> damage;  ///< what could not be read, one sentence each

  /// Ticks per second. Absent when the two readings of a clock that needs calibration are too close
  /// together (< 1 ms): use the recorder's own calibration of the same clock then.
  std::optional<double> ticks_per_second() const;
};

/// Reads one recording file.
Result<RawProcess> read_arena(const std::string& path);

/// Reads every recording in a directory, oldest first; files that are none are named in `problems`.
std::vector<RawProcess> read_arenas(const std::string& directory, std::vector<Problem>& problems);

}  // namespace roofmark
