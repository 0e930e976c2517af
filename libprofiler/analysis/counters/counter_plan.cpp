#include "counter_plan.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "event_instances.hpp"

namespace roofmark {
namespace {

using Names = std::vector<std::string>;

Names events_of(const Formula& formula) {
  Names names;
  for (const FormulaTerm& term : formula.sum)
    if (std::find(names.begin(), names.end(), term.event) == names.end())
      names.push_back(term.event);
  return names;
}

void add_new(Names& to, const Names& names) {
  for (const std::string& name : names)
    if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
}

std::string words_of(const TableMatch& match) {
  const EventTable& table = *match.table;
  return table.core_type.empty() ? "cores of " + table.name : table.core_type + " cores";
}

/// Of two numbers that are added. A lower bound and an upper one make neither.
Bound bound_of_sum(Bound a, Bound b) {
  if (a == b || b == Bound::exact) return a;
  return a == Bound::exact ? b : Bound::estimate;
}

class Planner {
 public:
  Planner(const std::vector<KindOfCore>& kinds, const PlanOptions& options)
      : kinds_(kinds), options_(options), instances_(kinds.size()) {
    plan_.table = kinds.front().match.table;
    if (!several()) return;
    for (const KindOfCore& kind : kinds)
      plan_.kinds.push_back(
          {kind.match.pmus.empty() ? kind.match.core_pmu : kind.match.pmus.front(),
           words_of(kind.match)});
  }

  CounterPlan plan() {
    std::set<WantedQuantity> done;
    for (const KindOfCore& kind : kinds_)
      for (const Formula& formula : kind.match.table->formulas) {
        const WantedQuantity quantity{formula.quantity, formula.scope};
        if (is_wanted(quantity) && done.insert(quantity).second) plan_quantity(quantity);
      }
    for (const WantedQuantity& quantity : options_.wanted)
      if (done.insert(quantity).second) absent(quantity, not_in_table(0, quantity));
    if (several()) add_witnesses();
    make_groups();
    return std::move(plan_);
  }

 private:
  /// Events that are counted together, by kind of core. A package's stand with the first kind whose
  /// table has them.
  using Pass = std::vector<Names>;

  /// A kind's way to a quantity, or why it has none.
  struct Way {
    const Formula* formula = nullptr;
    std::vector<Names> parts;  ///< its events: more than one where no pass could hold them all
    Problem problem;
  };

  bool several() const { return kinds_.size() > 1; }
  const EventTable& table(unsigned kind) const { return *kinds_[kind].match.table; }

  bool is_wanted(const WantedQuantity& quantity) const {
    return options_.wanted.empty() || std::find(options_.wanted.begin(), options_.wanted.end(),
                                                quantity) != options_.wanted.end();
  }

  void absent(const WantedQuantity& quantity, Problem problem) {
    problem.where = quantity.first;
    plan_.absent.push_back({quantity.first, quantity.second, std::move(problem)});
  }

  const Problem* refused(unsigned kind, const WantedQuantity& quantity) const {
    for (const UnplannedQuantity& entry : kinds_[kind].refused)
      if (entry.quantity == quantity.first && entry.scope == quantity.second) return &entry.problem;
    return nullptr;
  }

  Problem not_in_table(unsigned kind, const WantedQuantity& quantity) const {
    for (const NotCountable& entry : table(kind).not_countable)
      if (std::find(entry.quantities.begin(), entry.quantities.end(), quantity.first) !=
          entry.quantities.end())
        return {entry.reason, quantity.first, entry.remedy};
    return {"the table " + table(kind).name + " has no way to count it", quantity.first,
            "roofmark events"};
  }

  /// By the first formula whose events all can be asked for here.
  Way way_of(unsigned kind, const WantedQuantity& quantity) {
    Way way;
    if (const Problem* problem = refused(kind, quantity)) {
      way.problem = *problem;
      return way;
    }
    std::optional<Problem> first;
    for (const Formula& formula : table(kind).formulas) {
      if (formula.quantity != quantity.first || formula.scope != quantity.second) continue;
      auto problem = resolve(kind, events_of(formula));
      if (!problem) problem = divide(kind, formula, way.parts);
      if (!problem) {
        way.formula = &formula;
        return way;
      }
      if (!first) first = std::move(problem);
    }
    way.problem = first ? std::move(*first) : not_in_table(kind, quantity);
    return way;
  }

  std::optional<Problem> resolve(unsigned kind, const Names& names) {
    for (const std::string& name : names) {
      if (instances_[kind].count(name) != 0) continue;
      const CounterEvent* const event = table(kind).event(name);
      if (event == nullptr) return Problem{"its table has no event `" + name + "`", "", ""};
      auto found = event_instances(
          *event, kinds_[kind].match,
          {options_.devices, options_.cpus, options_.with_kernel, options_.ask_user_reads});
      if (!found) return found.error();
      instances_[kind][name] = std::move(*found);
    }
    return std::nullopt;
  }

  std::optional<Problem> divide(unsigned kind, const Formula& formula,
                                std::vector<Names>& parts) const {
    CounterGroups groups = group_events(table(kind), events_of(formula), options_.occupancy);
    if (!groups.too_large.empty())
      return Problem{
          "no counter is free for its event `" + groups.too_large.front() + "`", "",
          options_.occupancy.watchdog ? "sudo sysctl kernel.nmi_watchdog=0" : "roofmark events"};
    // Threads sit on other kinds of cores in the next run: halves of two runs make no whole.
    if (several() && formula.scope != Scope::socket && groups.groups.size() > 1)
      return Problem{"its events don't fit the counters of one run", "", "--counters emulated"};
    parts = std::move(groups.groups);
    return std::nullopt;
  }

  void plan_quantity(const WantedQuantity& quantity) {
    if (quantity.second == Scope::socket || !several())
      plan_by_one_kind(quantity);
    else
      plan_by_every_kind(quantity);
  }

  /// No core owns a package's counters: the first kind whose table reaches them.
  void plan_by_one_kind(const WantedQuantity& quantity) {
    std::optional<Problem> first;
    for (unsigned kind = 0; kind < kinds_.size(); ++kind) {
      const Way way = way_of(kind, quantity);
      if (way.formula == nullptr) {
        if (!first) first = way.problem;
        continue;
      }
      plan_.formulas.push_back(way.formula);
      for (const Names& part : way.parts) {
        Pass events(kinds_.size());
        events[kind] = part;
        put(events);
      }
      return;
    }
    absent(quantity, std::move(*first));
  }

  /// The events of all kinds in one and the same pass. What a kind can't count is missed only where
  /// threads run on it.
  void plan_by_every_kind(const WantedQuantity& quantity) {
    auto sum = std::make_shared<Formula>();
    std::vector<Lack> lacks;
    Pass events(kinds_.size());
    std::vector<std::pair<unsigned, const Formula*>> parts;
    for (unsigned kind = 0; kind < kinds_.size(); ++kind) {
      const Way way = way_of(kind, quantity);
      if (way.formula == nullptr) {
        lacks.push_back({kind, way.problem});
        continue;
      }
      for (const Names& part : way.parts) add_new(events[kind], part);
      parts.emplace_back(kind, way.formula);
    }
    if (parts.empty()) return absent(quantity, lacks.front().problem);
    add_up(parts, *sum);
    put(events);
    plan_.formulas.push_back(sum.get());
    if (!lacks.empty()) plan_.lacks[sum.get()] = std::move(lacks);
    plan_.sums.push_back(std::move(sum));
  }

  void add_up(const std::vector<std::pair<unsigned, const Formula*>>& parts, Formula& sum) const {
    sum = *parts.front().second;
    sum.sum.clear();
    sum.caveats.clear();
    for (const auto& [kind, formula] : parts) {
      sum.bound = bound_of_sum(sum.bound, formula->bound);
      if (sum.fma_weight != formula->fma_weight) sum.fma_weight.reset();
      for (FormulaTerm term : formula->sum) {
        term.event = name_of(kind, term.event);
        sum.sum.push_back(std::move(term));
      }
      for (const std::string& caveat : formula->caveats) {
        const bool of_all = std::all_of(parts.begin(), parts.end(), [&](const auto& part) {
          const auto& theirs = part.second->caveats;
          return std::find(theirs.begin(), theirs.end(), caveat) != theirs.end();
        });
        add_new(sum.caveats, {of_all ? caveat : plan_.kinds[kind].words + ": " + caveat});
      }
    }
  }

  /// Kinds have events of the same name in their tables.
  std::string name_of(unsigned kind, const std::string& event) const {
    return several() ? plan_.kinds[kind].pmu + "/" + event : event;
  }

  /// Into a pass that has room for all.
  void put(const Pass& events) {
    for (Pass& pass : passes_) {
      Pass together = pass;
      bool fits = true;
      for (unsigned kind = 0; kind < kinds_.size(); ++kind) {
        add_new(together[kind], events[kind]);
        fits = fits && fit_together(table(kind), together[kind], options_.occupancy);
      }
      if (!fits) continue;
      pass = std::move(together);
      return;
    }
    passes_.push_back(events);
  }

  /// Of a kind that has no event in a pass nobody would know whether threads ran on it meanwhile.
  void add_witnesses() {
    for (unsigned kind = 0; kind < kinds_.size(); ++kind) {
      const auto witness = witness_of(kind);
      if (!witness) continue;
      for (Pass& pass : passes_)
        if (std::none_of(pass[kind].begin(), pass[kind].end(), [&](const std::string& name) {
              return table(kind).event(name)->pmu.empty();
            }))
          pass[kind].push_back(*witness);
    }
  }

  /// An event that takes no counter from others where there is one, of those that are known to
  /// open.
  std::optional<std::string> witness_of(unsigned kind) {
    Names fixed, others, last;
    for (const Formula& formula : table(kind).formulas) {
      if (formula.scope == Scope::socket) continue;
      const bool opens = refused(kind, {formula.quantity, formula.scope}) == nullptr;
      for (const std::string& name : events_of(formula)) {
        const CounterEvent* const event = table(kind).event(name);
        if (event == nullptr || !event->pmu.empty()) continue;
        add_new(!opens ? last : event->fixed ? fixed : others, {name});
      }
    }
    for (const Names& names : {fixed, others, last})
      for (const std::string& name : names)
        if (!resolve(kind, {name}) && fit_together(table(kind), {name}, options_.occupancy))
          return name;
    return std::nullopt;
  }

  void make_groups() {
    plan_.passes = static_cast<unsigned>(passes_.size());
    for (unsigned pass = 0; pass < plan_.passes; ++pass) {
      const std::size_t first = plan_.groups.size();
      for (unsigned kind = 0; kind < kinds_.size(); ++kind)
        for (const std::string& name : passes_[pass][kind])
          for (const EventInstance& instance : instances_[kind].at(name))
            group_of(first, pass, kind, instance)
                .events.push_back(
                    {instance.cpu < 0 ? name_of(kind, name) : name, instance.numbers});
    }
  }

  PlannedGroup& group_of(std::size_t first, unsigned pass, unsigned kind,
                         const EventInstance& instance) {
    for (std::size_t i = first; i < plan_.groups.size(); ++i) {
      PlannedGroup& group = plan_.groups[i];
      const bool same_kind = instance.cpu >= 0 || group.kind == kind;
      if (group.pmu == instance.pmu && group.cpu == instance.cpu && same_kind) return group;
    }
    plan_.groups.push_back({pass, instance.pmu, instance.cpu, instance.package, {}, kind, pass});
    return plan_.groups.back();
  }

  const std::vector<KindOfCore>& kinds_;
  const PlanOptions& options_;
  CounterPlan plan_;
  std::vector<std::map<std::string, std::vector<EventInstance>>> instances_;  ///< by kind
  std::vector<Pass> passes_;
};

}  // namespace

CounterPlan plan_counters(const std::vector<KindOfCore>& kinds, const PlanOptions& options) {
  return Planner(kinds, options).plan();
}

CounterPlan plan_counters(const TableMatch& match, const PlanOptions& options) {
  return plan_counters(std::vector<KindOfCore>{{match, {}}}, options);
}

Result<perf::FlatPlan> flat_plan(const CounterPlan& plan, unsigned pass) {
  perf::FlatPlan flat;
  for (const PlannedGroup& group : plan.groups) {
    if (group.pass != pass) continue;
    if (group.events.size() > perf::most_events_per_group ||
        flat.group_count == perf::most_groups ||
        flat.event_count + group.events.size() > perf::most_events)
      return tl::unexpected(Problem{"more events are to be counted at once than a plan holds",
                                    group.pmu, "ask for fewer quantities"});
    flat.groups[flat.group_count++] = {group.cpu, static_cast<std::uint16_t>(flat.event_count),
                                       static_cast<std::uint16_t>(group.events.size())};
    for (const PlannedEvent& event : group.events) flat.events[flat.event_count++] = event.numbers;
  }
  return flat;
}

std::string plan_text(const perf::FlatPlan& plan) {
  std::array<char, perf::most_plan_text> text{};
  return {text.data(), perf::write_plan(plan, text.data(), text.size())};
}

}  // namespace roofmark
