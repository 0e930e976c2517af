// Joins the passes of one recording: what the arenas say (time, visits), what the counted pass says
// (FLOPs, bytes per visit) and what the recorder saw from outside. Pure: no file, no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

struct RawProcess;     // analysis/profile/arena_reader.hpp
struct ProcessCounts;  // collectors/emulated/counts.hpp

/// The target as the recorder saw it, whether or not it has markers.
struct WholeProgram {
  double wall_s = 0;
  double user_s = 0;
  double system_s = 0;
  std::optional<double> cores_used;  ///< mean number of cores kept busy
};

/// One look at the target: which region was open on which thread, and how many threads ran.
struct PlacementSample {
  struct Thread {
    std::int64_t pid = 0;
    std::int64_t tid = 0;
    int processor = -1;           ///< the core it was last on
    bool running = false;         ///< on a core or waiting for one
    std::uint32_t open_node = 0;  ///< index into the thread's nodes; 0: none open or not known
  };
  double time_s = 0;  ///< since the target was started
  std::vector<Thread> threads;
};

/// What a pass that counts left behind.
struct CountedPass {
  std::string collector;  ///< "emulated"
  std::vector<ProcessCounts> processes;
  std::optional<Problem> problem;  ///< why counts are absent or end early
};

struct JoinInput {
  std::vector<RawProcess> native;
  WholeProgram whole;
  std::vector<PlacementSample> samples;
  std::optional<CountedPass> counted;  ///< absent: no counted pass was made
  std::optional<Problem> not_counted;  ///< why no counted pass was made
  std::optional<Problem> no_markers;   ///< why no marker was seen, where that is known
};

/// Fills `profile.regions` (the whole-program row first, parents before children) and adds notes.
void join(const JoinInput& input, Profile& profile);

}  // namespace roofmark
