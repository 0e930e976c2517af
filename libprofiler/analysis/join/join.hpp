// Joins the passes of one recording: what the arenas say (time, visits), what the counted pass says
// (FLOPs, bytes per visit) and what the recorder saw from outside. Pure: no file, no clock.
#pragma once

#include <analysis/arena/arena_reader.hpp>
#include <analysis/functions/found_program.hpp>
#include <collectors/emulated/counts.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <set>
#include <string>
#include <vector>

namespace roofmark {

/// The target as the recorder saw it, whether or not it has markers.
struct WholeProgram {
  std::int64_t pid = 0;
  double wall_s = 0;
  double user_s = 0;
  double system_s = 0;
  double waited_s = 0;  ///< ready to run and without a core, over all threads that were seen
  std::optional<double> large_page_share = {};  ///< see Program
  std::string memory_kind = {};
  std::optional<double> remote_memory_share = {};
  double ended_raw_s = 0;  ///< when it ended, on CLOCK_MONOTONIC_RAW
};

/// One look at the target: which region was open on which thread, and which threads ran.
struct PlacementSample {
  struct Thread {
    std::int64_t pid = 0;
    std::int64_t tid = 0;
    int processor = -1;           ///< the core it was last on
    bool running = false;         ///< on a core or waiting for one
    std::uint64_t open_path = 0;  ///< path_key of the innermost open region; 0: none
    std::int64_t parent_pid = 0;  ///< 0: nobody that is looked at
  };
  double time_s = 0;  ///< since the target was started
  std::vector<Thread> threads;
};

/// A number that stands for a path in a sample. Never 0.
std::uint64_t path_key(const std::vector<std::string>& path);
/// The same of a node that was recorded.
std::uint64_t path_key(const RawThread& thread, std::size_t node);

/// What a pass that counts left behind.
struct CountedPass {
  std::string collector;  ///< "emulated"
  std::vector<ProcessCounts> processes;
  std::optional<Problem> problem;  ///< why counts are absent or end early
  /// It ended by itself, but not as the timed run did: why what it did not reach is not counted.
  std::optional<Problem> other_end = {};
  /// The program left processes running, which were ended: why what was open in them can't be told.
  std::optional<Problem> left_running = {};
  std::int64_t main_pid = 0;  ///< the program's own, which was not left running
  /// Caches that were modelled smaller than they are reported, by name: a caveat of what came from
  /// beyond them.
  std::map<std::string, std::string> reduced_caches = {};
  /// The pass served the hottest paths alone: why, and what would change it.
  std::optional<Problem> hot_only = {};

  /// Why it may have left out what the timed run did.
  std::optional<Problem> early_end() const { return problem ? problem : other_end; }
  /// The same, or that it may have done more than the timed run did.
  std::optional<Problem> doubt() const {
    const auto early = early_end();
    return early ? early : left_running;
  }
};

// Constants of the rules in join().

/// A region whose mean visit is shorter than this many marker costs is `too_small`.
inline constexpr double too_small_markers = 10;
/// Visits whose times scatter by more than this share of their mean are `noisy`, and so is
/// everything in a program whose threads waited for a core for more than that share of the time
/// that they could have run.
inline constexpr double noisy_scatter = 0.5;
inline constexpr double noisy_waiting = 0.05;
/// A wall time that is known within this share is given as a value, else as a range.
inline constexpr double exact_enough = 0.05;

struct MeasuredPasses;  // measured.hpp

struct JoinInput {
  std::vector<RawProcess> native;
  WholeProgram whole;
  std::vector<PlacementSample> samples;
  std::optional<CountedPass> counted;  ///< absent: no counted pass was made
  std::optional<Problem> not_counted;  ///< why no counted pass was made
  /// What hardware counted, in the native pass and in further ones; null: nothing.
  std::shared_ptr<const MeasuredPasses> measured;
  /// The functions of a program that entered no region, or why none were found; neither: nobody
  /// looked for them.
  std::optional<FoundProgram> found = {};
  std::optional<Problem> not_found = {};
  /// Functions that the counted run alone can tell of: what their regions are called.
  std::set<std::string> only_counted = {};
  std::optional<Problem> no_markers;  ///< why no marker was seen, where that is known
  /// The recorder's calibration of the clock, for runs too short for their own.
  std::optional<double> ticks_per_second;
};

/// The image that the command itself became; scripts and wrappers become several.
std::string main_executable(const JoinInput& input);

/// Fills `profile.regions` (the whole-program row first, parents before children) and adds notes.
void join(const JoinInput& input, Profile& profile);

}  // namespace roofmark
