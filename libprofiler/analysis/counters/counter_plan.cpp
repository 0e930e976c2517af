#include "counter_plan.hpp"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <functional>
#include <set>

#include "pmu_device.hpp"

namespace roofmark {
namespace {

namespace fs = std::filesystem;

/// Where a generic hardware event names the PMU that is to count it: PERF_PMU_TYPE_SHIFT.
constexpr unsigned pmu_type_shift = 32;

std::uint32_t breakpoint_type(const std::string& access) {
  if (access == "x") return HW_BREAKPOINT_X;
  if (access == "r") return HW_BREAKPOINT_R;
  return access == "w" ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
}

int package_of(const fs::path& cpus, int cpu) {
  std::ifstream file(cpus / ("cpu" + std::to_string(cpu)) / "topology" / "physical_package_id");
  int package = -1;
  return file >> package ? package : -1;
}

/// An event as it is opened, once per PMU and CPU.
struct Instance {
  std::string pmu;
  int cpu = -1;
  int package = -1;
  perf::Event numbers;
};

class Planner {
 public:
  Planner(const TableMatch& match, const PlanOptions& options) : match_(match), options_(options) {
    plan_.table = match.table;
  }

  CounterPlan plan() {
    std::set<WantedQuantity> done;
    for (const Formula& formula : match_.table->formulas) {
      const WantedQuantity quantity{formula.quantity, formula.scope};
      if (is_wanted(quantity) && done.insert(quantity).second) plan_quantity(quantity);
    }
    for (const WantedQuantity& quantity : options_.wanted)
      if (done.insert(quantity).second) absent(quantity, not_in_table(quantity.first));
    make_groups();
    return std::move(plan_);
  }

 private:
  bool is_wanted(const WantedQuantity& quantity) const {
    return options_.wanted.empty() || std::find(options_.wanted.begin(), options_.wanted.end(),
                                                quantity) != options_.wanted.end();
  }

  void absent(const WantedQuantity& quantity, Problem problem) {
    plan_.absent.push_back({quantity.first, quantity.second, std::move(problem)});
  }

  Problem not_in_table(const std::string& quantity) const {
    for (const NotCountable& entry : match_.table->not_countable)
      if (std::find(entry.quantities.begin(), entry.quantities.end(), quantity) !=
          entry.quantities.end())
        return {entry.reason, quantity, entry.remedy};
    return {"the table " + match_.table->name + " has no way to count it", quantity,
            "roofmark events"};
  }

  /// By the first formula whose events all can be asked for here.
  void plan_quantity(const WantedQuantity& quantity) {
    std::optional<Problem> first;
    for (const Formula& formula : match_.table->formulas) {
      if (formula.quantity != quantity.first || formula.scope != quantity.second) continue;
      auto problem = resolve(formula);
      if (!problem) problem = place(formula);
      if (!problem) {
        plan_.formulas.push_back(&formula);
        return;
      }
      if (!first) first = std::move(problem);
    }
    first->where = quantity.first;
    absent(quantity, std::move(*first));
  }

  std::optional<Problem> resolve(const Formula& formula) {
    for (const FormulaTerm& term : formula.sum) {
      if (instances_.count(term.event) != 0) continue;
      const CounterEvent* const event = match_.table->event(term.event);
      if (event == nullptr) return Problem{"its table has no event `" + term.event + "`", "", ""};
      auto found = instances(*event);
      if (!found) return found.error();
      instances_[term.event] = std::move(*found);
    }
    return std::nullopt;
  }

  Result<std::vector<Instance>> instances(const CounterEvent& event) {
    const std::uint32_t hidden =
        options_.with_kernel ? 0 : perf::exclude_kernel | perf::exclude_hypervisor;
    const AttributeNumbers numbers = event.numbers.value_or(AttributeNumbers{});
    const auto made = [&](const char* pmu, std::uint32_t type, std::uint32_t breakpoint) {
      return std::vector<Instance>{
          {pmu,
           -1,
           -1,
           {type, hidden, breakpoint, numbers.config, numbers.config1, numbers.config2}}};
    };
    if (event.type == EventType::software) return made("software", PERF_TYPE_SOFTWARE, 0);
    if (event.type == EventType::breakpoint)
      return made("breakpoint", PERF_TYPE_BREAKPOINT, breakpoint_type(event.breakpoint));
    return event.pmu.empty() ? of_core(event, hidden) : of_packages(event);
  }

  Result<std::vector<Instance>> of_core(const CounterEvent& event, std::uint32_t hidden) {
    if (match_.pmus.empty())
      return tl::unexpected(Problem{"the kernel has no PMU `" + match_.core_pmu + "`", "",
                                    "roofmark check says why"});
    const std::string& name = match_.pmus.front();
    const auto pmu = read_pmu_device(options_.devices / name);
    if (!pmu) return tl::unexpected(pmu.error());
    auto numbers = encode_event(event, *pmu);
    if (!numbers) return tl::unexpected(numbers.error());
    std::uint32_t type = pmu->type;
    if (event.type == EventType::hardware) {
      if (type != PERF_TYPE_RAW) numbers->config |= std::uint64_t{type} << pmu_type_shift;
      type = PERF_TYPE_HARDWARE;
    } else if (options_.ask_user_reads && pmu->format.count("rdpmc") != 0) {
      const auto asking = encode_terms("rdpmc=1", pmu->format, name);
      if (asking) numbers->config1 |= asking->config1;
    }
    return std::vector<Instance>{
        {name, -1, -1, {type, hidden, 0, numbers->config, numbers->config1, numbers->config2}}};
  }

  /// All PMUs of that name, each on every CPU of its mask. They can't leave out the kernel.
  Result<std::vector<Instance>> of_packages(const CounterEvent& event) {
    std::vector<std::string> names;
    std::error_code fault;
    for (fs::directory_iterator entry(options_.devices, fault), end; !fault && entry != end;
         entry.increment(fault))
      names.push_back(entry->path().filename().string());
    std::sort(names.begin(), names.end());
    std::vector<Instance> all;
    for (const std::string& name : pmus_like(event.pmu, names)) {
      const auto pmu = read_pmu_device(options_.devices / name);
      if (!pmu) return tl::unexpected(pmu.error());
      if (pmu->cpus.empty())
        return tl::unexpected(Problem{"the PMU `" + name + "` names no CPU to be opened on", "",
                                      "update the kernel"});
      const auto numbers = encode_event(event, *pmu);
      if (!numbers) return tl::unexpected(numbers.error());
      for (const int cpu : pmu->cpus)
        all.push_back({name,
                       cpu,
                       package_of(options_.cpus, cpu),
                       {pmu->type, 0, 0, numbers->config, numbers->config1, numbers->config2}});
    }
    if (all.empty())
      return tl::unexpected(Problem{"the kernel has no PMU `" + event.pmu + "`", "",
                                    "modprobe the uncore driver (intel_uncore, amd_uncore), or "
                                    "count on bare metal"});
    return all;
  }

  /// Puts the formula's events into a pass that has room for all of them; where none could ever
  /// have, into as few as they need.
  std::optional<Problem> place(const Formula& formula) {
    std::vector<std::string> events;
    for (const FormulaTerm& term : formula.sum)
      if (std::find(events.begin(), events.end(), term.event) == events.end())
        events.push_back(term.event);
    const CounterGroups parts = group_events(*match_.table, events, options_.occupancy);
    if (!parts.too_large.empty())
      return Problem{
          "no counter is free for its event `" + parts.too_large.front() + "`", "",
          options_.occupancy.watchdog ? "sudo sysctl kernel.nmi_watchdog=0" : "roofmark events"};
    for (const std::vector<std::string>& part : parts.groups) put(part);
    return std::nullopt;
  }

  void put(const std::vector<std::string>& events) {
    for (std::vector<std::string>& pass : passes_) {
      std::vector<std::string> together = pass;
      for (const std::string& event : events)
        if (std::find(pass.begin(), pass.end(), event) == pass.end()) together.push_back(event);
      if (!fit_together(*match_.table, together, options_.occupancy)) continue;
      pass = std::move(together);
      return;
    }
    passes_.push_back(events);
  }

  void make_groups() {
    plan_.passes = static_cast<unsigned>(passes_.size());
    for (unsigned pass = 0; pass < plan_.passes; ++pass) {
      const std::size_t first = plan_.groups.size();
      for (const std::string& name : passes_[pass])
        for (const Instance& instance : instances_.at(name))
          group_of(first, pass, instance).events.push_back({name, instance.numbers});
    }
  }

  PlannedGroup& group_of(std::size_t first, unsigned pass, const Instance& instance) {
    for (std::size_t i = first; i < plan_.groups.size(); ++i)
      if (plan_.groups[i].pmu == instance.pmu && plan_.groups[i].cpu == instance.cpu)
        return plan_.groups[i];
    plan_.groups.push_back({pass, instance.pmu, instance.cpu, instance.package, {}});
    return plan_.groups.back();
  }

  const TableMatch& match_;
  const PlanOptions& options_;
  CounterPlan plan_;
  std::map<std::string, std::vector<Instance>> instances_;
  std::vector<std::vector<std::string>> passes_;  ///< names of events
};

}  // namespace

CounterPlan plan_counters(const TableMatch& match, const PlanOptions& options) {
  return Planner(match, options).plan();
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

namespace {

/// One event of one group. Nothing where it was not counted.
using Value =
    std::function<std::optional<std::uint64_t>(const perf::Difference&, std::size_t event)>;

EventCounts sums(const CounterPlan& plan, const std::vector<GroupCounts>& counts, Scope scope,
                 int package, const Value& value_of) {
  // An event that is in two passes was counted if one of them counted it.
  std::map<std::string, std::map<std::pair<std::string, int>, std::optional<std::uint64_t>>> found;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const PlannedGroup& group = plan.groups[g];
    if ((group.cpu >= 0) != (scope == Scope::socket)) continue;
    if (group.cpu >= 0 && package >= 0 && group.package != package) continue;
    const auto read = std::find_if(counts.begin(), counts.end(),
                                   [&](const GroupCounts& entry) { return entry.group == g; });
    const bool there = read != counts.end() && read->counts.count == group.events.size();
    for (std::size_t e = 0; e < group.events.size(); ++e) {
      auto& value = found[group.events[e].name][{group.pmu, group.cpu}];
      if (there && !value) value = value_of(read->counts, e);
    }
  }
  EventCounts result;
  for (const auto& [name, values] : found) {
    // A channel that is missing would make the sum too small.
    if (std::any_of(values.begin(), values.end(), [](const auto& one) { return !one.second; }))
      continue;
    for (const auto& [place, value] : values) result[name] += *value;
  }
  return result;
}

}  // namespace

EventCounts event_counts(const CounterPlan& plan, const std::vector<GroupCounts>& counts,
                         Scope scope, int package) {
  return sums(plan, counts, scope, package,
              [](const perf::Difference& read, std::size_t event) -> std::optional<std::uint64_t> {
                if (read.ran != perf::Ran::whole) return std::nullopt;
                return read.values[event];
              });
}

ScaledCounts scaled_event_counts(const CounterPlan& plan, const std::vector<GroupCounts>& counts,
                                 Scope scope, int package) {
  ScaledCounts result;
  result.counts =
      sums(plan, counts, scope, package,
           [&](const perf::Difference& read, std::size_t event) -> std::optional<std::uint64_t> {
             std::uint64_t scaled = 0;
             double factor = 0;
             if (!perf::scale(read.values[event], read, scaled, factor)) return std::nullopt;
             result.largest_factor = std::max(result.largest_factor, factor);
             return scaled;
           });
  return result;
}

}  // namespace roofmark
