#include "tables.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "events.hpp"
#include "plan_text.hpp"

namespace roofmark::papi {
namespace {

using Names = std::vector<std::string>;

constexpr const char* component = "perf_event";

Names events_of(const Formula& formula) {
  Names names;
  for (const FormulaTerm& term : formula.sum)
    if (std::find(names.begin(), names.end(), term.event) == names.end())
      names.push_back(term.event);
  return names;
}

class Planner {
 public:
  Planner(const EventTable& table, const std::vector<WantedQuantity>& wanted, const Questions& ask)
      : table_(table), wanted_(wanted), ask_(ask) {}

  Result<TablePlan> plan() {
    Names natives;
    for (const CounterEvent& event : table_.events)
      if (event.pmu.empty() && !event.pfm.empty()) natives.push_back(event.pfm);
    const auto asked = ask_.each(natives);
    if (!asked) return tl::unexpected(asked.error());
    for (const Answer& answer : asked->events) answers_[answer.event] = answer;

    std::set<std::string> done;
    for (const Formula& formula : table_.formulas)
      if (is_wanted(formula) && done.insert(formula.quantity).second) plan_quantity(formula);
    write();
    return std::move(result_);
  }

 private:
  bool is_wanted(const Formula& formula) const {
    const WantedQuantity quantity{formula.quantity, formula.scope};
    return formula.scope == Scope::process &&
           (wanted_.empty() ||
            std::find(wanted_.begin(), wanted_.end(), quantity) != wanted_.end());
  }

  /// By the first formula whose events PAPI all counts.
  void plan_quantity(const Formula& first) {
    std::optional<Problem> reason;
    for (const Formula& formula : table_.formulas) {
      if (formula.quantity != first.quantity || formula.scope != first.scope) continue;
      auto problem = why_not(formula);
      if (!problem) problem = place(formula);
      if (!problem) {
        result_.plan.formulas.push_back(&formula);
        return;
      }
      if (!reason) reason = std::move(problem);
    }
    result_.plan.absent.push_back({first.quantity, first.scope, std::move(*reason)});
  }

  std::optional<Problem> why_not(const Formula& formula) const {
    for (const std::string& name : events_of(formula)) {
      const CounterEvent* const event = table_.event(name);
      if (event == nullptr || event->pfm.empty())
        return Problem{"PAPI has no name for its event `" + name + "`", "", "--counters perf"};
      const auto found = answers_.find(event->pfm);
      if (found == answers_.end())
        return Problem{"PAPI gave no answer for `" + event->pfm + "`", "", "--counters perf"};
      if (found->second.step != Step::counted) return explain(found->second);
      if (found->second.component != component)
        return Problem{"PAPI counts `" + event->pfm + "` by its component " +
                           found->second.component + ", and not for a thread",
                       "", "--counters perf"};
    }
    return std::nullopt;
  }

  Names natives(const Names& names) const {
    Names pfm;
    for (const std::string& name : names) pfm.push_back(table_.event(name)->pfm);
    return pfm;
  }

  /// Into a pass that has room for all its events: a formula over two runs would be a worse number.
  std::optional<Problem> place(const Formula& formula) {
    const Names events = events_of(formula);
    for (Names& pass : passes_) {
      Names together = pass;
      for (const std::string& event : events)
        if (std::find(pass.begin(), pass.end(), event) == pass.end()) together.push_back(event);
      if (together.size() != pass.size() &&
          (together.size() > most_events || !ask_.fit(natives(together))))
        continue;
      pass = std::move(together);
      return std::nullopt;
    }
    if (events.size() > most_events || !ask_.fit(natives(events)))
      return Problem{"its events don't fit the counters together", "", "--counters perf"};
    passes_.push_back(events);
    return std::nullopt;
  }

  void write() {
    result_.plan.table = &table_;
    result_.plan.passes = static_cast<unsigned>(passes_.size());
    for (unsigned pass = 0; pass < passes_.size(); ++pass) {
      PlannedGroup group;
      group.pass = pass;
      group.pmu = component;
      const auto plan = std::make_unique<Plan>();
      Group& counted = plan->groups[plan->group_count++];
      counted.extent = Extent::thread;
      std::string(component).copy(counted.component, most_component - 1);
      counted.component[std::string(component).size()] = '\0';
      counted.count = static_cast<std::uint16_t>(passes_[pass].size());
      for (const std::string& name : passes_[pass]) {
        group.events.push_back({name, {}});
        const std::string& pfm = table_.event(name)->pfm;
        char* const to = plan->events[plan->event_count++];
        to[pfm.copy(to, most_name - 1)] = '\0';
      }
      result_.plan.groups.push_back(std::move(group));
      std::string text(most_plan_text, '\0');
      text.resize(write_plan(*plan, text.data(), text.size()));
      result_.texts.push_back(std::move(text));
    }
  }

  const EventTable& table_;
  const std::vector<WantedQuantity>& wanted_;
  const Questions& ask_;
  std::map<std::string, Answer> answers_;
  std::vector<Names> passes_;
  TablePlan result_;
};

}  // namespace

Questions questions_of_library() {
  return {[](const Names& names) { return probe(names); },
          [](const Names& names) {
            const auto fitting = probe_together({names});
            return fitting && !fitting->empty() && fitting->front() == names.size();
          }};
}

Problem why_not_several_kinds(const std::string& tables) {
  return {"PAPI can't count several kinds of cores (" + tables +
              ") together: a thread has one running set of its events, and that counts one kind",
          "", "--counters perf"};
}

Result<TablePlan> plan_table(const EventTable& table, const std::vector<WantedQuantity>& wanted,
                             const Questions& ask) {
  return Planner(table, wanted, ask).plan();
}

namespace {

/// Events of the cores are in one event set of each thread.
bool is_of_cores(const Group& group) {
  return group.extent == Extent::thread && std::string(group.component) == component;
}

Names cores_events(const Plan& plan) {
  Names names;
  for (unsigned g = 0; g < plan.group_count; ++g)
    for (unsigned i = 0; is_of_cores(plan.groups[g]) && i < plan.groups[g].count; ++i)
      names.emplace_back(plan.events[plan.groups[g].first + i]);
  return names;
}

/// False where there is no room. The group is known to have one event, as plan_events() makes it.
bool append(Plan& plan, const Group& group, const char* event) {
  if (plan.group_count == most_groups || plan.event_count == most_events) return false;
  Group& to = plan.groups[plan.group_count++];
  to = group;
  to.first = static_cast<std::uint16_t>(plan.event_count);
  to.count = 1;
  std::copy_n(event, most_name, plan.events[plan.event_count++]);
  return true;
}

}  // namespace

std::optional<std::string> with_events(const std::string& first_pass, const std::string& named,
                                       const Questions& ask) {
  if (first_pass.empty()) return named;
  if (named.empty()) return first_pass;
  const auto plan = std::make_unique<Plan>();
  const auto more = std::make_unique<Plan>();
  if (!read_plan(first_pass, *plan) || !read_plan(named, *more)) return std::nullopt;
  const Names before = cores_events(*plan);
  for (unsigned g = 0; g < more->group_count; ++g)
    for (unsigned i = 0; i < more->groups[g].count; ++i) {
      const char* const event = more->events[more->groups[g].first + i];
      const bool is_known = is_of_cores(more->groups[g]) &&
                            std::find(before.begin(), before.end(), event) != before.end();
      if (!is_known && !append(*plan, more->groups[g], event)) return std::nullopt;
    }
  const Names after = cores_events(*plan);
  if (after.size() != before.size() && !ask.fit(after)) return std::nullopt;
  std::string text(most_plan_text, '\0');
  text.resize(write_plan(*plan, text.data(), text.size()));
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace roofmark::papi
