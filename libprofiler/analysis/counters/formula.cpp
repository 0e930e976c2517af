#include "formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace roofmark {
namespace {

constexpr const char* how_to_see = "`roofmark events` lists what each quantity is counted from";

tl::unexpected<Problem> absent(const Formula& formula, std::string reason, std::string remedy) {
  return tl::unexpected(Problem{std::move(reason), formula.quantity, std::move(remedy)});
}

CountedQuantity* find(std::vector<CountedQuantity>& all, const Formula& formula) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const CountedQuantity& other) {
    return other.quantity == formula.quantity && other.scope == formula.scope;
  });
  return found == all.end() ? nullptr : &*found;
}

bool has_process_scope(const std::vector<CountedQuantity>& all, const std::string& quantity) {
  return std::any_of(all.begin(), all.end(), [&](const CountedQuantity& other) {
    return other.quantity == quantity && other.scope == Scope::process;
  });
}

}  // namespace

Result<std::uint64_t> evaluate(const Formula& formula, const EventCounts& counts,
                               const VariableValues& variables) {
  // 64 bits of mantissa where there are that many: counts beyond 2^53 stay exact.
  long double sum = 0;
  for (const FormulaTerm& term : formula.sum) {
    const auto count = counts.find(term.event);
    if (count == counts.end())
      return absent(formula, "its event `" + term.event + "` was not counted", how_to_see);
    long double factor = term.weight;
    if (!term.variable.empty()) {
      const auto variable = variables.find(term.variable);
      if (variable == variables.end() || !std::isfinite(variable->second))
        return absent(formula, "`" + term.variable + "` of this machine is not known", how_to_see);
      factor *= variable->second;
    }
    sum += factor * static_cast<long double>(count->second);
  }
  if (sum < -0.5L)
    return absent(formula,
                  fmt::format("its events contradict each other: their sum is {:.3g}",
                              static_cast<double>(sum)),
                  "count them in one group, without multiplexing");
  // 2^64: what a count can't hold. A sum that is no number compares false.
  if (!(sum < 18446744073709551615.5L))
    return absent(formula, "the sum of its events is too large to be true", how_to_see);
  return static_cast<std::uint64_t>(std::roundl(std::max(sum, 0.0L)));
}

std::vector<CountedQuantity> evaluate_all(const EventTable& table, const EventCounts& counts,
                                          const VariableValues& variables) {
  std::vector<CountedQuantity> all;
  for (const Formula& formula : table.formulas) {
    CountedQuantity* const known = find(all, formula);
    if (known != nullptr && known->value) continue;
    auto value = evaluate(formula, counts, variables);
    if (known == nullptr)
      all.push_back({formula.quantity, formula.scope,
                     unit_of_quantity(formula.quantity).value_or(""), std::move(value), &formula});
    else if (value) {
      known->value = value;
      known->formula = &formula;
    }
  }
  for (const NotCountable& entry : table.not_countable)
    for (const std::string& quantity : entry.quantities)
      if (!has_process_scope(all, quantity))
        all.push_back({quantity, Scope::process, unit_of_quantity(quantity).value_or(""),
                       tl::unexpected(Problem{entry.reason, quantity, entry.remedy}), nullptr});
  return all;
}

}  // namespace roofmark
