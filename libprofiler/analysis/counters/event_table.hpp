// What one microarchitecture can count, as `collectors/events/NAME.json` says it: which processor
// the table is for, its events, and the formulas that make quantities of their counts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <roofmark/result.hpp>
#include <roofmark/words.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roofmark {

/// Which events of the kernel a number is one of. `raw`: of the PMU itself.
enum class EventType { raw, hardware, software, breakpoint, tracepoint };
/// How a counted quantity lies to the true one. The caveats say why.
enum class Bound { exact, lower, upper, estimate };

std::string_view spelling(EventType);
std::string_view spelling(Bound);

/// What the kernel is given: the fields of perf_event_attr.
struct AttributeNumbers {
  std::uint64_t config = 0, config1 = 0, config2 = 0;
  bool operator==(const AttributeNumbers&) const = default;
};

struct CounterEvent {
  std::string name;
  std::string pfm;  ///< what libpfm4 calls it; empty: it knows no such event
  EventType type = EventType::raw;
  std::optional<AttributeNumbers> numbers;  ///< absent: only sysfs can say (uncore)
  std::string sysfs;                        ///< "event=0xc7,umask=0x01": terms of the PMU's format
  std::string pmu;              ///< a pattern of names in sysfs; empty: the PMU of the core
  std::string alias;            ///< a file of the PMU's `events/`, tried before `sysfs`
  std::optional<double> scale;  ///< what that alias' `.scale` says in its `.unit`
  std::string unit;
  std::string breakpoint;         ///< "r", "w", "rw" or "x" for the type `breakpoint`
  bool fixed = false;             ///< has a counter of its own
  bool watchdog = false;          ///< loses that counter while the kernel's NMI watchdog runs
  unsigned takes = 1;             ///< neighbouring general counters it occupies
  std::vector<unsigned> only;     ///< general counters that can count it, from 0; empty: all
  std::vector<std::string> uses;  ///< resources with a limit: "offcore_response"
};

struct FormulaTerm {
  double weight = 1;
  std::string event;
  std::optional<unsigned> width_bits;  ///< 0: scalar; absent: the event does not tell
  std::string variable;                ///< a factor known only on the running machine; may be empty
};

/// One way to one quantity. A table may have several: the first whose events are all counted.
struct Formula {
  std::string quantity;  ///< "flop.f64", "bytes.DRAM.read", "instructions"
  Scope scope = Scope::process;
  Bound bound = Bound::exact;
  std::string counts;                ///< retired, executed, speculative, lines, ...
  std::optional<double> fma_weight;  ///< what one fused multiply-add counts
  std::vector<FormulaTerm> sum;
  std::vector<std::string> caveats;  ///< sentences
};

/// What the events of a core can't count for a process; the socket's may have it.
struct NotCountable {
  std::vector<std::string> quantities;
  std::string reason, remedy;
};

using NumberRange = std::pair<std::uint64_t, std::uint64_t>;

/// A processor matches where it has every field that is given.
struct MatchRule {
  std::string vendor;
  std::optional<std::uint64_t> family;
  std::vector<NumberRange> models;
  std::optional<NumberRange> steppings;
  std::optional<std::uint64_t> implementer;
  std::vector<std::uint64_t> parts;
  std::vector<std::uint64_t> pvrs;  ///< the upper half of POWER's version register
  std::optional<std::uint64_t> mvendorid;
  std::vector<std::uint64_t> marchids;
  std::vector<std::string> uarchs;
  std::string core_pmu = "cpu";  ///< a pattern of names in sysfs
};

struct CounterResources {
  unsigned general = 0;                    ///< per hardware thread, with SMT on where there is SMT
  unsigned general_without_smt = 0;        ///< the same with SMT off
  std::map<std::string, unsigned> limits;  ///< events at a time, by resource or PMU
};

struct EventTable {
  std::string name, about;
  std::string file;       ///< where it was read
  std::string core_type;  ///< "P" or "E" on hybrids
  std::vector<MatchRule> match;
  std::string libpfm;  ///< the PMU's name in libpfm4; empty: it has none in 4.13.0
  CounterResources counters;
  std::map<std::string, std::string> variables;  ///< what each is and how it is found
  std::vector<CounterEvent> events;
  std::vector<Formula> formulas;
  std::vector<NotCountable> not_countable;
  std::vector<std::string> sources;

  const CounterEvent* event(std::string_view event_name) const;
};

/// What holds for every table: `common.json`.
struct CommonEntries {
  std::map<std::string, std::string> caveats;
  std::vector<NotCountable> not_countable;
};

/// `name` is what a Problem calls the text. Names of caveats become their sentences, the table's
/// own before the common ones; the common `not_countable` are appended where the table says
/// nothing.
Result<EventTable> event_table_from_json(std::string_view text, const std::string& name,
                                         const CommonEntries& common = {});
Result<CommonEntries> common_entries_from_json(std::string_view text, const std::string& name);

/// The unit that a quantity's values have: "FLOP", "B", "instructions", "cycles", "operations"; or
/// nothing where it is no quantity.
std::optional<std::string_view> unit_of_quantity(std::string_view quantity);

}  // namespace roofmark
