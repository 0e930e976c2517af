// Which counters to open for the wanted quantities, in how many passes: from the tables of the
// machine's cores and what the kernel says of its PMUs to the flat plan that the target counts by.
#pragma once

#include <collectors/perf/flat_plan.hpp>
#include <collectors/perf/group.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <roofmark/result.hpp>
#include <string>
#include <utility>
#include <vector>

#include "counter_fit.hpp"
#include "formula.hpp"
#include "table_match.hpp"

namespace roofmark {

using WantedQuantity = std::pair<std::string, Scope>;

struct PlanOptions {
  std::filesystem::path devices = "/sys/bus/event_source/devices";
  std::filesystem::path cpus = "/sys/devices/system/cpu";  ///< tells the package of a CPU
  std::vector<WantedQuantity> wanted;                      ///< empty: all that the table has
  Occupancy occupancy;
  bool with_kernel = false;     ///< count what the kernel does for the program too
  bool ask_user_reads = false;  ///< Arm gives them only to events that ask
};

struct PlannedEvent {
  std::string name;  ///< of the table; behind `PMU/` where there are several kinds of cores
  perf::Event numbers;
};

/// One PMU's events in one pass: of every thread (cpu < 0), or of a whole package.
struct PlannedGroup {
  unsigned pass = 0;
  std::string pmu;
  int cpu = -1;
  int package = -1;  ///< the socket that a cpu's counters are of
  std::vector<PlannedEvent> events;
  unsigned kind = 0;  ///< of core
  unsigned set = 0;   ///< of groups, one for each kind of core: a thread runs in one at a time
};

struct UnplannedQuantity {
  std::string quantity;
  Scope scope = Scope::process;
  Problem problem;
};

/// One kind of core of the machine.
struct KindOfCore {
  TableMatch match;
  std::vector<UnplannedQuantity> refused;  ///< what its events are known not to give here
};

/// What a plan says of a kind of core where there are several.
struct PlannedKind {
  std::string pmu;    ///< "cpu_core"
  std::string words;  ///< "P cores"
};

/// A kind of core that can't count a quantity: it is not known where threads ran on that.
struct Lack {
  unsigned kind = 0;
  Problem problem;
};

struct CounterPlan {
  const EventTable* table = nullptr;  ///< of the first kind of core
  unsigned passes = 0;
  std::vector<PlannedGroup> groups;
  std::vector<const Formula*> formulas;  ///< the way to each planned quantity
  std::vector<UnplannedQuantity> absent;
  std::vector<PlannedKind> kinds;  ///< empty where all cores are of one
  std::map<const Formula*, std::vector<Lack>> lacks;
  std::vector<std::shared_ptr<const Formula>> sums;  ///< over kinds: `formulas` points to them
};

/// Events of one formula share a pass where they fit; what fits in no pass is absent.
CounterPlan plan_counters(const TableMatch& match, const PlanOptions& options);
/// The same for a machine with several kinds of cores (at least one). A quantity of a process is
/// the sum over kinds, whose events are in one and the same pass: in the next run threads sit on
/// other cores. Every pass has an event of each kind, which tells how long threads ran on it.
CounterPlan plan_counters(const std::vector<KindOfCore>& kinds, const PlanOptions& options);

/// One pass as the target takes it; a Problem where it is larger than a flat plan can be.
Result<perf::FlatPlan> flat_plan(const CounterPlan& plan, unsigned pass);
std::string plan_text(const perf::FlatPlan& plan);

/// What was read of one group of the plan (by its index) between two edges.
struct GroupCounts {
  std::size_t group = 0;
  perf::Difference counts;
};

/// Counts by name. An event of which one group did not run, or only in part, is absent; the counts
/// of a socket are summed over its PMUs, and over sockets where `package` is negative.
EventCounts event_counts(const CounterPlan& plan, const std::vector<GroupCounts>& counts,
                         Scope scope, int package = -1);

/// The same for a user who asked for multiplexing: what ran in part is scaled to all of the time.
struct ScaledCounts {
  EventCounts counts;
  double largest_factor = 1;  ///< by which a count was raised
};
ScaledCounts scaled_event_counts(const CounterPlan& plan, const std::vector<GroupCounts>& counts,
                                 Scope scope, int package = -1);

}  // namespace roofmark
