#include "event_sums.hpp"

#include <algorithm>

namespace roofmark {
namespace {

/// A region in one pass, before the markers' counts are taken out.
struct PassSums {
  GroupSums sums;
  std::vector<std::uint64_t> raw;  ///< modulo 2^64: children are subtracted before all is added
  std::vector<double> cost, variance;
};

bool has_counts(const RawNode& node) {
  return node.events && (node.visits != 0 || node.inherited);
}

class PassReader {
 public:
  PassReader(const MeasuredPasses& passes, unsigned pass, RegionTree& tree)
      : tree_(tree), plan_(passes.plan) {
    for (std::size_t g = 0; g < passes.plan.groups.size(); ++g)
      if (passes.plan.groups[g].pass == pass) groups_.push_back(g);
    sizes_.reserve(groups_.size());
    for (const std::size_t g : groups_) {
      sizes_.push_back(passes.plan.groups[g].events.size());
      of_package_.push_back(passes.plan.groups[g].cpu >= 0);
    }
  }

  const std::vector<std::size_t>& groups() const { return groups_; }
  /// By region, then by groups().
  const std::vector<std::vector<PassSums>>& regions() const { return regions_; }

  void add(const RawProcess& process, const std::string& main_executable) {
    if (process.counting && process.counting->groups.size() < groups_.size()) return;
    const bool foreign = base_name(process.executable) != base_name(main_executable);
    for (const RawThread& thread : process.threads) {
      std::vector<std::size_t> merged(thread.nodes.size());
      for (std::size_t i = 0; i < thread.nodes.size(); ++i) {
        const RawNode& node = thread.nodes[i];
        const bool outermost = node.parent == RawNode::no_parent;
        merged[i] = tree_.child(
            outermost ? RegionTree::root : merged[node.parent],
            outermost && foreign ? foreign_name(node.name, process.executable) : node.name);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
          // A package is read by the main thread alone, for its own regions.
          if (of_package_[g] && !thread.main) continue;
          add_node(process, thread, node, merged[i], g);
          if (!outermost && has_counts(thread.nodes[node.parent]))
            take_from_parent(process, node, merged[node.parent], g);
        }
      }
    }
  }

 private:
  PassSums& at(std::size_t region, std::size_t g) {
    if (regions_.size() <= region) regions_.resize(region + 1);
    if (regions_[region].empty()) {
      regions_[region].resize(groups_.size());
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        PassSums& empty = regions_[region][i];
        empty.raw.assign(sizes_[i], 0);
        empty.cost.assign(sizes_[i], 0);
        empty.variance.assign(sizes_[i], 0);
      }
    }
    return regions_[region][g];
  }

  void add_node(const RawProcess& process, const RawThread& thread, const RawNode& node,
                std::size_t region, std::size_t g) {
    const bool open = node.open_since && !node.inherited;
    if (node.visits == 0 && !open && !node.inherited) return;
    PassSums& to = at(region, g);
    GroupSums& sums = to.sums;
    sums.visits += node.visits + (open ? 1 : 0);
    sums.unclosed += open ? 1 : 0;
    sums.unread += open ? 1 : 0;
    if (!process.counting || !node.events) {
      sums.unread += node.visits;
      return;
    }
    const RawEventGroup& from = node.events->groups[g];
    sums.whole += from.whole;
    sums.part += from.part;
    sums.missed += from.missed;
    sums.unread += from.unread;
    sums.blind += node.events->blind_visits;
    sums.enabled += static_cast<double>(from.enabled);
    sums.running += static_cast<double>(from.running);
    const double visits = counted_visits(node, from);
    sums.running_cost += visits * process.counting->inner[g][1];
    if (from.unread != 0 && !sums.refusal) {
      if (thread.refusal.error != 0)
        sums.refusal = thread.refusal;
      else if (process.first_refusal.error != 0)
        sums.refusal = process.first_refusal;
    }
    for (std::size_t e = 0; e < std::min(sizes_[g], from.values.size()); ++e) {
      const Cost cost = cost_of(*process.counting, g, e);
      to.raw[e] += from.values[e];
      to.cost[e] += visits * cost.inner;
      to.variance[e] += visits * square(cost.scatter);
    }
  }

  void take_from_parent(const RawProcess& process, const RawNode& node, std::size_t parent,
                        std::size_t g) {
    if (!process.counting || !node.events) return;
    const RawEventGroup& from = node.events->groups[g];
    PassSums& to = at(parent, g);
    to.sums.enabled -= static_cast<double>(from.enabled);
    to.sums.running -= static_cast<double>(from.running);
    const double visits = counted_visits(node, from);
    to.sums.running_cost +=
        visits * (process.counting->whole[g][1] - process.counting->inner[g][1]);
    for (std::size_t e = 0; e < std::min(sizes_[g], from.values.size()); ++e) {
      const Cost cost = cost_of(*process.counting, g, e);
      to.raw[e] -= from.values[e];
      to.cost[e] += visits * (cost.whole - cost.inner);
      to.variance[e] += visits * square(cost.scatter);
    }
  }

  /// What the markers of one visit count themselves.
  struct Cost {
    double inner = 0, whole = 0, scatter = 0;
  };

  /// It was measured on one kind of core. Of another kind's events it is taken to be what the event
  /// of the same name counted there.
  Cost cost_of(const RawCounting& counting, std::size_t g, std::size_t e) const {
    const auto at = [&](std::size_t group, std::size_t event) {
      return Cost{counting.inner[group][event + 2], counting.whole[group][event + 2],
                  counting.scatter[group][event + 2]};
    };
    if (plan_.kinds.empty() || of_package_[g] || counting.whole[g][1] > 0) return at(g, e);
    const PlannedGroup& own = plan_.groups[groups_[g]];
    const std::string name = event_of_table(own.events[e].name);
    for (std::size_t other = 0; other < groups_.size(); ++other) {
      const PlannedGroup& group = plan_.groups[groups_[other]];
      if (of_package_[other] || group.kind == own.kind || !(counting.whole[other][1] > 0)) continue;
      for (std::size_t event = 0; event < group.events.size(); ++event)
        if (event_of_table(group.events[event].name) == name) return at(other, event);
    }
    return at(g, e);
  }
  static std::string event_of_table(const std::string& name) {
    return name.substr(name.find('/') + 1);
  }

  /// Markers count on the kind of core on which they run.
  double counted_visits(const RawNode& node, const RawEventGroup& from) const {
    const std::uint64_t ran = from.whole + from.part;
    return static_cast<double>(plan_.kinds.empty() ? node.visits : std::min(node.visits, ran));
  }

  static double square(double value) { return value * value; }

  RegionTree& tree_;
  const CounterPlan& plan_;
  std::vector<std::size_t> groups_, sizes_;
  std::vector<bool> of_package_;
  std::vector<std::vector<PassSums>> regions_;
};

/// Without the markers' counts, for the native pass's visits.
GroupSums settled(const PassSums& pass, std::uint64_t native_visits) {
  GroupSums sums = pass.sums;
  const bool differ = sums.visits != native_visits && sums.visits != 0 && native_visits != 0;
  sums.visits_differ = differ;
  const long double factor =
      differ ? static_cast<long double>(native_visits) / static_cast<long double>(sums.visits) : 1;
  for (std::size_t e = 0; e < pass.raw.size(); ++e) {
    // Below 0 only where a visit that did not end has had regions inside.
    const auto raw = static_cast<long double>(static_cast<std::int64_t>(pass.raw[e]));
    EventSum sum;
    sum.unscaled = std::max(raw - static_cast<long double>(pass.cost[e]), 0.0L);
    sum.value = sum.unscaled * factor;
    sum.variance = static_cast<long double>(pass.variance[e]) * factor * factor;
    sums.events.push_back(sum);
  }
  return sums;
}

}  // namespace

void GroupSums::add(const GroupSums& other) {
  visits += other.visits;
  whole += other.whole;
  part += other.part;
  missed += other.missed;
  unread += other.unread;
  unclosed += other.unclosed;
  blind += other.blind;
  enabled += other.enabled;
  running += other.running;
  running_cost += other.running_cost;
  visits_differ = visits_differ || other.visits_differ;
  if (!refusal) refusal = other.refusal;
  events.resize(std::max(events.size(), other.events.size()));
  for (std::size_t e = 0; e < other.events.size(); ++e) {
    events[e].value += other.events[e].value;
    events[e].unscaled += other.events[e].unscaled;
    events[e].variance += other.events[e].variance;
  }
}

std::vector<RegionSums> self_sums(const MeasuredPasses& passes,
                                  const std::vector<RawProcess>& native,
                                  const std::string& main_executable, RegionTree& tree) {
  std::vector<PassReader> readers;
  for (unsigned pass = 0; pass < passes.plan.passes; ++pass) {
    PassReader& reader = readers.emplace_back(passes, pass, tree);
    const bool made = pass == 0 || pass <= passes.later.size();
    if (!made) continue;
    for (const RawProcess& process : pass == 0 ? native : passes.later[pass - 1])
      reader.add(process, main_executable);
  }
  const std::size_t count = tree.regions().size();
  std::vector<RegionSums> all(count, RegionSums(passes.plan.groups.size()));
  for (RegionSums& region : all)
    for (std::size_t g = 0; g < region.size(); ++g)
      region[g].events.resize(passes.plan.groups[g].events.size());
  for (std::size_t pass = 0; pass < readers.size(); ++pass)
    for (std::size_t region = 0; region < readers[pass].regions().size(); ++region) {
      const auto& sums = readers[pass].regions()[region];
      for (std::size_t g = 0; g < sums.size(); ++g)
        all[region][readers[pass].groups()[g]] =
            settled(sums[g], pass == 0 ? sums[g].sums.visits : tree[region].visits);
    }
  // What the native pass entered and another did not is not counted by that one.
  for (std::size_t region = 0; region < count; ++region)
    for (std::size_t g = 0; g < all[region].size(); ++g)
      if (passes.plan.groups[g].pass != 0 && all[region][g].visits == 0 &&
          passes.plan.groups[g].cpu < 0)
        all[region][g].visits = all[region][g].unread = tree[region].visits;
  return all;
}

RegionSums program_sums(const MeasuredPasses& passes) {
  RegionSums all(passes.plan.groups.size());
  for (std::size_t g = 0; g < all.size(); ++g)
    all[g].events.resize(passes.plan.groups[g].events.size());
  for (const RawRefusal& refusal : passes.program_refused) {
    GroupSums& sums = all[refusal.group];
    sums.visits = sums.unread = 1;
    sums.refusal = refusal;
  }
  for (const GroupCounts& read : passes.program) {
    GroupSums& sums = all[read.group];
    sums.visits = 1;
    sums.whole = read.counts.ran == perf::Ran::whole ? 1 : 0;
    sums.part = read.counts.ran == perf::Ran::part ? 1 : 0;
    sums.missed = read.counts.ran == perf::Ran::not_at_all ? 1 : 0;
    sums.enabled = static_cast<double>(read.counts.enabled_ns);
    sums.running = static_cast<double>(read.counts.running_ns);
    for (std::size_t e = 0; e < std::min<std::size_t>(sums.events.size(), read.counts.count); ++e) {
      sums.events[e].value = sums.events[e].unscaled =
          static_cast<long double>(read.counts.values[e]);
    }
  }
  return all;
}

std::vector<RegionSums> inclusive_sums(const std::vector<RegionSums>& self,
                                       const RegionTree& tree) {
  std::vector<RegionSums> all = self;
  // Children come after their parents.
  for (std::size_t region = all.size(); region-- > 1;)
    for (std::size_t g = 0; g < all[region].size(); ++g)
      all[tree[region].parent][g].add(all[region][g]);
  return all;
}

}  // namespace roofmark
