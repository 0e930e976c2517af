#include "conditions.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/numbers.hpp"
#include "analysis/text/parsing.hpp"
#include "analysis/text/plain_text.hpp"
#include "sentences.hpp"

namespace roofmark::comparison {
namespace {

std::string known_quantities() {
  return fmt::format("{}", fmt::join(quantity_names(), ", "));
}

tl::unexpected<Problem> refused(const std::string& text, const std::string& reason,
                                const std::string& remedy) {
  return tl::unexpected(Problem{reason, "--fail-if '" + text + "'", remedy});
}

/// "+5 %" with its sign, also where it has none.
std::string limit_text(double limit) {
  return fmt::format("{}{} %", limit < 0 ? "-" : "+", report::significant(100 * std::abs(limit)));
}

/// By how much more, relatively, the change may be in the direction of the limit than it seems.
double noise_of(const Condition& condition, const Change& change) {
  return (condition.above ? change.high / change.ratio : change.ratio / change.low) - 1;
}

/// Noise in which twice the limit would not be seen judges nothing. A small limit is held to what
/// is usual between two runs.
bool hides_the_limit(const Condition& condition, const Change& change) {
  // Whatever the noise allows is within the limit.
  const double worst = (condition.above ? change.high : change.low) - 1;
  if (condition.above ? worst <= condition.limit : worst >= condition.limit) return false;
  return !change.beyond_noise && !(noise_of(condition, change) <=
                                   2 * std::max(std::abs(condition.limit), allowance_between_runs));
}

std::string of_hidden_limit(const Change& change) {
  const std::string range =
      fmt::format("{} to {}", change_text(change.low), change_text(change.high));
  if (change.evidence == Evidence::counts)
    return ", not judged: its counts are known to a range that allows " + range;
  return ", not judged: the noise is too large and allows " + range +
         (change.evidence == Evidence::runs ? "; more runs, or a quieter machine"
                                            : "; several runs a side, or a quieter machine");
}

Outcome outcome_of(const Condition& condition, const RegionChange& region) {
  Outcome outcome;
  const auto found = region.changes.find(condition.quantity);
  if (found == region.changes.end()) {
    const auto reason = region.absent.find(condition.quantity);
    outcome.state = Outcome::State::unknown;
    outcome.text = condition.quantity + " can't be compared" +
                   (reason == region.absent.end() ? "" : ": " + reason->second);
    return outcome;
  }
  const Change& change = found->second;
  const bool beyond =
      condition.above ? change.relative() > condition.limit : change.relative() < condition.limit;
  outcome.text = fmt::format("{} {} (limit {})", condition.quantity, change_text(change),
                             limit_text(condition.limit));
  const double told = told_relative(change);
  if ((condition.above ? told > condition.limit : told < condition.limit) != beyond)
    outcome.text += beyond ? ", over it by less than the change is known"
                           : ", within it by less than the change is known";
  if (beyond && change.beyond_noise) {
    outcome.state = Outcome::State::holds;
  } else if (hides_the_limit(condition, change)) {
    outcome.state = Outcome::State::unknown;
    outcome.text += of_hidden_limit(change);
  } else if (beyond) {
    outcome.text += ", within the noise";
  }
  return outcome;
}

/// A region that was renamed must not slip through.
Outcome outcome_of_one_side(const Condition& condition, const RegionChange& region) {
  Outcome outcome;
  outcome.state = Outcome::State::unknown;
  outcome.text = condition.quantity + " can't be compared: " +
                 (region.before.present ? "the region is gone; if it has another name now, --map it"
                                        : "the region is new");
  return outcome;
}

}  // namespace

Result<Condition> parse_condition(const std::string& text) {
  Condition condition;
  condition.text = text;
  const std::size_t sign = text.find_last_of("<>");
  if (sign == std::string::npos)
    return refused(text, "there is no `<` or `>` in it", "as in 'time > +5%'");
  condition.above = text[sign] == '>';
  std::string_view head = text::trimmed(std::string_view(text).substr(0, sign));
  std::string_view limit = text::trimmed(std::string_view(text).substr(sign + 1));
  // A path may have a colon in it, a quantity has none.
  if (const std::size_t colon = head.rfind(':'); colon != std::string_view::npos) {
    condition.pattern = text::trimmed(head.substr(0, colon));
    if (condition.pattern.empty())
      return refused(text, "no region stands before the `:`", "as in 'solve/spmv: time > +5%'");
    head = text::trimmed(head.substr(colon + 1));
  }
  condition.quantity = head;
  const auto& names = quantity_names();
  if (std::find(names.begin(), names.end(), condition.quantity) == names.end())
    return refused(text, "`" + text::printable(condition.quantity) + "` is no quantity",
                   "choose one of " + known_quantities());
  if (limit.empty() || limit.back() != '%')
    return refused(text, "the limit is not in percent", "as in 'time > +5%'");
  limit = text::trimmed(limit.substr(0, limit.size() - 1));
  if (!limit.empty() && limit.front() == '+') limit.remove_prefix(1);
  const auto number = text::real_number(limit);
  if (!number || !std::isfinite(*number))
    return refused(text, "the limit is not a number", "as in 'time > +5%'");
  condition.limit = *number / 100;
  // `time < +5%` would hold for whatever is unchanged.
  if (condition.above ? condition.limit < 0 : condition.limit > 0)
    return refused(text, "what has not changed would be over this limit",
                   condition.above ? "a limit of 0 or more after `>`" : "0 or less after `<`");
  return condition;
}

Result<std::vector<Outcome>> judge(const std::vector<Condition>& conditions,
                                   const Comparison& comparison) {
  std::vector<Outcome> outcomes;
  for (std::size_t c = 0; c < conditions.size(); ++c) {
    const Condition& condition = conditions[c];
    bool spoke = false;
    for (std::size_t r = 0; r < comparison.regions.size(); ++r) {
      const RegionChange& region = comparison.regions[r];
      const std::string path = text::path_text(region.path);
      if (!condition.pattern.empty() && fnmatch(condition.pattern.c_str(), path.c_str(), 0) != 0)
        continue;
      const bool both = region.before.present && region.after.present;
      spoke = spoke || both;
      Outcome outcome =
          both ? outcome_of(condition, region) : outcome_of_one_side(condition, region);
      outcome.condition = c;
      outcome.region = r;
      outcomes.push_back(std::move(outcome));
    }
    if (!spoke)
      return refused(condition.text, "no region that both sides have is called so",
                     "`roofmark report` lists the paths");
  }
  return outcomes;
}

bool any_holds(const std::vector<Outcome>& outcomes) {
  return std::any_of(outcomes.begin(), outcomes.end(),
                     [](const Outcome& o) { return o.state == Outcome::State::holds; });
}

}  // namespace roofmark::comparison
