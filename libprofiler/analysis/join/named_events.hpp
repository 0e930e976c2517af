// Counts by name, from the recordings of processes that counted by a plan of PAPI's: which regions
// have how many, and why others have none.
#pragma once

#include <analysis/arena/arena_reader.hpp>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// Whose counts they are.
struct NamedEvents {
  std::vector<std::string> names;  ///< those that the user named; others of a plan are not shown
  bool of_another_run = false;     ///< not of the timed one: its visits may be other ones
};

/// Into `events` of the regions that join() made. `main_executable`: as join() takes it, see
/// RegionTree::add(). Regions of processes that counted nothing get the reason.
void add_named_events(const std::vector<RawProcess>& processes, const std::string& main_executable,
                      const NamedEvents& events, Profile& profile);

/// Events that were asked for and are counted nowhere: a reason in every region that was visited.
void add_absent_event(const std::string& event, const Problem& problem, Profile& profile);

}  // namespace roofmark
