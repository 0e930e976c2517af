#include <fmt/format.h>

#include <algorithm>
#include <analysis/check/self_test.hpp>
#include <analysis/record/hardware_kinds.hpp>
#include <set>

namespace roofmark {

std::string untrusted(const check::Finding& finding) {
  return fmt::format(
      "`roofmark check` found that its events count wrongly on this processor (kernel {}: {})",
      finding.kernel,
      finding.factor > 0 ? fmt::format("{:.3g} of the true number", finding.factor)
                         : "counted where there is none");
}

std::optional<Problem> why_not_told_apart(const std::vector<TableMatch>& matches) {
  std::set<std::string> pmus;
  for (const TableMatch& match : matches)
    if (!match.pmus.empty() && !pmus.insert(match.pmus.front()).second)
      return Problem{"this machine has several kinds of cores (" + names_of(matches) +
                         "), which the kernel's PMU `" + match.pmus.front() +
                         "` does not tell apart",
                     "", "--counters emulated"};
  return std::nullopt;
}

std::vector<KindOfCore> kinds_of(const std::vector<TableMatch>& matches,
                                 const PlanOptions& planning, const HostFacts& host,
                                 const std::vector<check::Finding>& findings,
                                 std::optional<Problem>& first) {
  std::vector<KindOfCore> kinds;
  for (const TableMatch& match : matches) {
    KindOfCore kind{match, {}};
    for (const check::QuantityState& state :
         check::check_perf(match, planning, host, false).quantities) {
      std::optional<Problem> problem = state.problem;
      if (const check::Finding* finding = check::distrust(findings, "perf", state.quantity);
          finding != nullptr && !problem)
        problem = Problem{untrusted(*finding), state.quantity,
                          "--counters emulated; roofmark check tests it again"};
      if (!problem) continue;
      if (!first || !can_be_changed(*first) || state.quantity.rfind("flop.", 0) == 0)
        first = problem;
      kind.refused.push_back({state.quantity, state.scope, *problem});
    }
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

std::vector<WantedQuantity> quantities_of(const std::vector<KindOfCore>& kinds) {
  std::vector<WantedQuantity> all;
  bool any = false;
  for (const KindOfCore& kind : kinds)
    for (const Formula& formula : kind.match.table->formulas) {
      const WantedQuantity quantity{formula.quantity, formula.scope};
      any =
          any || std::none_of(
                     kind.refused.begin(), kind.refused.end(), [&](const UnplannedQuantity& entry) {
                       return entry.quantity == quantity.first && entry.scope == quantity.second;
                     });
      if (std::find(all.begin(), all.end(), quantity) == all.end()) all.push_back(quantity);
    }
  return any ? all : std::vector<WantedQuantity>();
}

}  // namespace roofmark
