// The kinds of cores of a machine, and which quantities the counters of each can give here.
#pragma once

#include <analysis/check/trust.hpp>
#include <analysis/counters/counter_plan.hpp>
#include <analysis/counters/host_facts.hpp>
#include <optional>
#include <string>
#include <vector>

namespace roofmark {

/// What a reader is told of an event that the self-test found wrong.
std::string untrusted(const check::Finding& finding);

/// Kinds of cores with one PMU for all: whose counts are whose can't be said.
std::optional<Problem> why_not_told_apart(const std::vector<TableMatch>& matches);

/// Opens what the tables have. Every kind with what its events can't give here; `first`: a reason
/// to show where nothing is left.
std::vector<KindOfCore> kinds_of(const std::vector<TableMatch>& matches,
                                 const PlanOptions& planning, const HostFacts& host,
                                 const std::vector<check::Finding>& findings,
                                 std::optional<Problem>& first);

/// Of the tables; none where all are refused.
std::vector<WantedQuantity> quantities_of(const std::vector<KindOfCore>& kinds);

/// Of several reasons one that somebody can do something about is worth more: a remedy that begins
/// with "nothing to do" is none.
inline bool can_be_changed(const Problem& problem) {
  return problem.remedy.rfind("nothing to do", 0) != 0;
}

}  // namespace roofmark
