// What hardware counters counted in the runs of a program, brought onto the regions of the native
// pass: raw sums of events -> quantities, each with its bound, its scope and what it lacks.
#pragma once

#include <analysis/arena/arena_reader.hpp>
#include <analysis/counters/counter_plan.hpp>
#include <analysis/counters/event_tables.hpp>
#include <analysis/join/join.hpp>
#include <analysis/join/region_tree.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <roofmark/profile.hpp>
#include <set>
#include <string>
#include <vector>

namespace roofmark {

/// Whether a socket's counts may stand for the program's: what others did on it meanwhile.
struct SocketWitness {
  /// By quantity, per second, before the program ran.
  std::map<std::string, double> others_per_s;
  /// CPU time of others while it ran, as a share of all.
  std::optional<double> others_cpu_share;
};
/// Others' traffic, or CPU time, above this share of all: the socket is not the program's.
inline constexpr double own_socket_share = 0.05;

/// What `record` has for join(): the plan, and the runs that followed it.
struct MeasuredPasses {
  std::string collector = "perf";
  std::vector<std::string>
      texts;  ///< what the runtime counts by, by pass; empty: the plan's numbers
  std::shared_ptr<const EventTables> tables;  ///< the plan points into them
  CounterPlan plan;
  VariableValues variables;
  bool multiplexed = false;  ///< the user wants what ran in part scaled
  /// Of the plan's passes after the first one, which is the native run.
  std::vector<std::vector<RawProcess>> later;
  /// Of a program without regions, with all that it started: in runs of its own.
  std::vector<GroupCounts> program;
  std::vector<RawRefusal> program_refused;  ///< groups of it that were not counted
  /// Quantities that are not in the plan, or whose pass failed.
  std::vector<Missing> absent;
  /// Why a group was not opened in a thread, for the reader.
  std::function<Problem(const RawRefusal& refusal, unsigned pass)> explain;
  SocketWitness socket;
};

struct MeasuredRegion {
  Work work, self;  ///< `flop`, `bytes` and `operations` alone
  std::optional<Measure> clock_hz;
  std::set<std::string> flags;
  std::vector<Missing> missing;
};

/// What the clock of a region rests on beside the counts.
struct TimeFacts {
  std::optional<double> reference_hz;  ///< of reference cycles: the processor's constant clock
  double system_s = 0;                 ///< CPU time that the kernel took in the whole program
};

/// One entry per region of the tree.
std::vector<MeasuredRegion> measured_work(const MeasuredPasses& passes,
                                          const std::vector<RawProcess>& native,
                                          const std::string& main_executable,
                                          const TimeFacts& times, RegionTree& tree);

/// Why FLOPs of a region are not known although other kinds of cores count them, where that is so.
std::optional<Problem> flop_lack(const JoinInput& input);

/// Of one pass: visits that it counted whole, by all visits.
double measured_coverage(const MeasuredPasses& passes, unsigned pass,
                         const std::vector<RawProcess>& processes);

/// A sentence for each process whose counting did not go as planned, and what reading others cost.
std::vector<std::string> measured_notes(const MeasuredPasses& passes,
                                        const std::vector<RawProcess>& native);

}  // namespace roofmark
