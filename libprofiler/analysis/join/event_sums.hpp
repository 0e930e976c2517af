// Raw sums of events by region: what each region counted by itself, without the regions inside it
// and without what the markers counted.
#pragma once

#include <analysis/join/measured.hpp>

namespace roofmark {

struct EventSum {
  long double value = 0;     ///< brought to the native pass's visits
  long double unscaled = 0;  ///< as this pass counted it
  long double variance = 0;  ///< of what was taken out for the markers
};

/// One group of the plan in one region. Visits are those that ended, and those that did not.
struct GroupSums {
  std::uint64_t visits = 0;
  std::uint64_t whole = 0, part = 0, missed = 0, unread = 0;
  std::uint64_t unclosed = 0;  ///< of `unread`: the program ended inside
  std::uint64_t blind = 0;     ///< other threads' work could not be read
  double enabled = 0, running = 0;
  double running_cost = 0;  ///< of `running`: the markers' own
  std::vector<EventSum> events;
  bool visits_differ = false;
  std::optional<RawRefusal> refusal;
  /// Where there are several kinds of cores: see settle_kinds().
  std::optional<double> kind_share;  ///< of the time in which the threads were on this group's kind
  double ran_share = 1;              ///< of all the time: groups of every kind together

  bool complete() const { return part + missed + unread == 0; }
  void add(const GroupSums& other);
};

/// By the plan's group.
using RegionSums = std::vector<GroupSums>;

/// What every region did by itself, over all threads, processes and passes.
std::vector<RegionSums> self_sums(const MeasuredPasses& passes,
                                  const std::vector<RawProcess>& native,
                                  const std::string& main_executable, RegionTree& tree);
/// A program without regions, as a whole.
RegionSums program_sums(const MeasuredPasses& passes);
/// With the regions inside it.
std::vector<RegionSums> inclusive_sums(const std::vector<RegionSums>& self, const RegionTree& tree);

}  // namespace roofmark
