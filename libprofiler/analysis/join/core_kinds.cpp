#include <algorithm>
#include <analysis/join/core_kinds.hpp>
#include <map>

namespace roofmark {
namespace {

/// What the groups of one kind say together.
struct OfKind {
  std::uint64_t whole = ~std::uint64_t{0};
  double running = 0;
};

/// The groups that stand for one another, of all kinds.
struct OfSet {
  std::vector<std::size_t> groups;
  std::map<unsigned, OfKind> kinds;
  std::uint64_t visits = 0, unread = 0;
  double enabled = 0;  ///< the least: groups are read one after the other
  std::optional<RawRefusal> refusal;

  std::uint64_t whole() const {
    std::uint64_t sum = 0;
    for (const auto& [kind, of] : kinds) sum += of.whole;
    return std::min(sum, visits);
  }
  double running() const {
    double sum = 0;
    for (const auto& [kind, of] : kinds) sum += of.running;
    return sum;
  }
};

std::map<unsigned, OfSet> sets_of(const CounterPlan& plan, const RegionSums& sums) {
  std::map<unsigned, OfSet> sets;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    if (plan.groups[g].cpu >= 0) continue;
    const GroupSums& group = sums[g];
    OfSet& set = sets[plan.groups[g].set];
    set.enabled = set.groups.empty() ? group.enabled : std::min(set.enabled, group.enabled);
    set.groups.push_back(g);
    set.visits = std::max(set.visits, group.visits);
    set.unread = std::max(set.unread, group.unread);
    if (!set.refusal) set.refusal = group.refusal;
    OfKind& kind = set.kinds[plan.groups[g].kind];
    kind.whole = std::min(kind.whole, group.whole);
    kind.running = std::max(kind.running, group.running);
  }
  return sets;
}

void settle(const CounterPlan& plan, const OfSet& set, RegionSums& sums) {
  const std::uint64_t whole = set.whole();
  const double all = set.running();
  for (const std::size_t g : set.groups) {
    GroupSums& group = sums[g];
    const double own = set.kinds.at(plan.groups[g].kind).running;
    const double ran = group.running + (all - own);
    if (all > 0) group.kind_share = std::max(own, 0.0) / all;
    group.ran_share = set.enabled > 0 ? std::min(ran / set.enabled, 1.0) : 1;
    group.running = std::min(ran, group.enabled);
    // Every visit was whole on one kind: the others had nothing to count in it.
    const bool by_visits = whole >= set.visits;
    const bool by_time = set.unread == 0 && group.ran_share >= 1 - noticed_loss;
    if (by_visits) group.ran_share = 1;
    group.unread = by_visits ? 0 : set.unread;
    group.missed = 0;
    const std::uint64_t read = group.visits - std::min(group.visits, group.unread);
    group.whole = by_visits || by_time ? read : std::min(whole, read);
    group.part = read - group.whole;
    if (!group.refusal) group.refusal = set.refusal;
  }
}

}  // namespace

void settle_kinds(const CounterPlan& plan, RegionSums& sums) {
  if (plan.kinds.empty()) return;
  for (const auto& [number, set] : sets_of(plan, sums))
    if (set.visits != 0) settle(plan, set, sums);
}

std::optional<double> share_on(const CounterPlan& plan, const RegionSums& sums,
                               const Formula& formula, unsigned kind) {
  const auto has_event = [&](const PlannedGroup& group) {
    return std::any_of(group.events.begin(), group.events.end(), [&](const PlannedEvent& event) {
      return event.name == formula.sum.front().event;
    });
  };
  for (const PlannedGroup& of_formula : plan.groups) {
    if (of_formula.cpu >= 0 || !has_event(of_formula)) continue;
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
      const PlannedGroup& group = plan.groups[g];
      if (group.cpu < 0 && group.set == of_formula.set && group.kind == kind)
        return sums[g].kind_share;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

std::uint64_t whole_visits(const CounterPlan& plan, unsigned pass, const RawNode& node) {
  if (!node.events) return 0;
  // By set and kind; all groups are one set where there is one kind of core.
  std::map<unsigned, std::map<unsigned, std::uint64_t>> whole;
  std::size_t g = 0;
  for (const PlannedGroup& planned : plan.groups) {
    if (planned.pass != pass) continue;
    if (planned.cpu < 0 && g < node.events->groups.size()) {
      const unsigned set = plan.kinds.empty() ? 0 : planned.set;
      const auto [at, is_new] = whole[set].try_emplace(planned.kind, node.visits);
      at->second = std::min(at->second, node.events->groups[g].whole);
    }
    ++g;
  }
  std::uint64_t least = node.visits;
  for (const auto& [set, kinds] : whole) {
    std::uint64_t sum = 0;
    for (const auto& [kind, visits] : kinds) sum += visits;
    least = std::min(least, sum);
  }
  return least;
}

}  // namespace roofmark
