// The event tables' quantities, counted by PAPI: the same events by their native names.
#pragma once

#include <analysis/counters/counter_plan.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "probe.hpp"

namespace roofmark::papi {

struct TablePlan {
  CounterPlan plan;  ///< by names of the table; one group a pass, of each thread
  /// What the runtime counts by, by pass: that group, and behind it, in the first pass, the events
  /// that were named.
  std::vector<std::string> texts;
};

/// What is asked of libpapi: each event alone, and whether events of the cores fit together.
struct Questions {
  std::function<Result<Probe>(const std::vector<std::string>&)> each;
  std::function<bool(const std::vector<std::string>&)> fit;
};
/// The library of this machine.
Questions questions_of_library();

/// The kernel groups no events of two PMUs, and PAPI makes one group of a thread's running set;
/// where it makes none (multiplexed sets) it scales by the time on other cores. README.md has more.
Problem why_not_several_kinds(const std::string& tables);

/// Quantities of scope `process` alone: PAPI's events of a whole package have other names on every
/// kernel. `wanted` as in PlanOptions. A Problem where libpapi can't be asked; what alone can't be
/// counted is in `plan.absent`.
Result<TablePlan> plan_table(const EventTable& table, const std::vector<WantedQuantity>& wanted,
                             const Questions& ask);

/// The first pass with the events of `named` behind its own (both are plans' texts; either may be
/// empty). One that the pass has already is not taken twice. Nothing where PAPI can't count all of
/// them at once, or a plan can't hold them.
std::optional<std::string> with_events(const std::string& first_pass, const std::string& named,
                                       const Questions& ask);

}  // namespace roofmark::papi
