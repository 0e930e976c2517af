// Events by the names that other tools print, looked up in the event tables of a processor.
#pragma once

#include <analysis/counters/event_tables.hpp>
#include <analysis/counters/formula.hpp>
#include <analysis/counters/table_match.hpp>
#include <map>
#include <memory>
#include <optional>
#include <roofmark/machine.hpp>
#include <roofmark/profile.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark::import {

/// What a tool said of one event, summed over processors and intervals.
struct EventReading {
  double value = 0;
  std::string unit;                    ///< as printed: "MiB"; empty: counts
  double running = 1;                  ///< least share of the time in which it was counted
  std::vector<std::string> caveats;    ///< sentences
  std::optional<std::string> problem;  ///< why it has no value
  bool of_socket = false;  ///< of a counter outside the cores, which counts for all programs
};
using EventReadings = std::map<std::string, EventReading>;

/// The processor of a machine file; nothing where it does not say enough.
std::optional<CpuIdentity> cpu_of(const Machine& machine);

/// The tables that hold for some processors: one, or on hybrids one for each kind of core.
class KnownEvents {
 public:
  KnownEvents(EventTables tables, const std::vector<CpuIdentity>& cpus);

  bool empty() const { return matches_.empty(); }
  /// "skylake_x", "alder_lake_p and alder_lake_e"
  std::string title() const;

  /// Puts what the readings give of FLOPs, bytes and operations into `region.work`, and what they
  /// don't into `region.missing`, with what `ask` makes of the events that it takes. Events that no
  /// table knows become columns of their own. `scope`: whose work events of cores counted.
  struct Use {
    std::string collector;
    Scope scope = Scope::process;
    std::string ask;  ///< "perf stat -x, -e {} ...": {} is the list of events
    VariableValues variables = {};
  };
  void put(const EventReadings& readings, const Use& use, Region& region) const;

  /// Whether any of these is of a PMU outside the cores, which counts for all programs.
  bool has_socket_events(const EventReadings& readings) const;

 private:
  struct Found {
    std::size_t match = 0;
    const CounterEvent* event = nullptr;
    double factor = 1;  ///< of the printed value, to counts
  };
  /// Of several kinds of cores all, where the name does not say which.
  std::vector<Found> find(const std::string& name, const EventReading& reading) const;

  /// By table, then by its events.
  using Readings = std::vector<std::map<std::string, EventReading>>;
  struct Sum;
  Readings by_table(const EventReadings& readings) const;
  static Missing missing(const CountedQuantity& quantity, const EventTable& table,
                         const std::map<std::string, EventReading>& readings,
                         const std::string& ask);
  static Count count_of(const CountedQuantity& quantity,
                        const std::map<std::string, EventReading>& readings, const Use& use);
  void put_unknown(const EventReadings& readings, const Use& use, Region& region) const;

  std::shared_ptr<const EventTables> tables_;  ///< the matches point into them
  std::vector<TableMatch> matches_;
};

/// `quantity` is one of an event table: "flop.f64", "bytes.DRAM.read", "instructions".
void put_quantity(Work& work, const std::string& quantity, Count count);

}  // namespace roofmark::import
