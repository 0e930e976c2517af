// Counts of events -> quantities. An event that was not counted makes its quantities absent, with
// the reason: it is never taken for zero.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "event_table.hpp"

namespace roofmark {

/// By name of the event; one that was not counted is not in it.
using EventCounts = std::map<std::string, std::uint64_t>;
/// What a table's variables are on this machine.
using VariableValues = std::map<std::string, double>;

/// The sum, rounded to a whole number, or what it lacks.
Result<std::uint64_t> evaluate(const Formula& formula, const EventCounts& counts,
                               const VariableValues& variables = {});

struct CountedQuantity {
  std::string quantity;
  Scope scope = Scope::process;
  std::string_view unit;             ///< see unit_of_quantity
  Result<std::uint64_t> value;       ///< or why it is absent
  const Formula* formula = nullptr;  ///< the one that was used; null where there is none
};

/// Every quantity that the table speaks of, once per scope, in the order of the table: by the first
/// of its formulas whose events were all counted; absent with the reason of the first otherwise.
/// What is not countable for a process follows with its reason, whatever the socket's counters say.
std::vector<CountedQuantity> evaluate_all(const EventTable& table, const EventCounts& counts,
                                          const VariableValues& variables = {});

}  // namespace roofmark
