// From names of PAPI events to what the target counts.
#pragma once

#include <functional>
#include <roofmark/result.hpp>
#include <roofmark/words.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan_text.hpp"
#include "probe.hpp"

namespace roofmark::papi {

/// "A,B" -> A, B: as given with --papi. Braces of native names with commas don't exist in PAPI. A
/// Problem for an empty name or one that no plan can hold.
Result<std::vector<std::string>> split_events(const std::string& list);

/// Whose work the events of a component count.
Extent extent_of(std::string_view component);
Scope scope_of(Extent extent);

struct EventPlan {
  std::string text;  ///< `roofmark-papi/1`; empty: nothing can be counted
  std::vector<std::pair<std::string, Problem>> absent;  ///< by event
};

/// Asks libpapi (`ask`: probe(), or a test's own). Never a Problem of the whole: what can't be
/// counted is absent, and the rest is counted.
EventPlan plan_events(
    const std::vector<std::string>& names,
    const std::function<Result<Probe>(const std::vector<std::string>&)>& ask =
        [](const auto& wanted) { return probe(wanted); });

/// Why an event is not counted, before the program runs. Pure.
Problem explain(const Answer& answer);
/// The same for a number that the counting half left in the recording.
Problem explain_in_program(int error, const std::string& event);

/// The plan that a process of a recording had; nothing where it was not for PAPI.
bool read_plan(const std::string& text, Plan& plan);

}  // namespace roofmark::papi
