#include <linux/perf_event.h>
#include <sched.h>

#include <algorithm>
#include <collectors/perf/explain.hpp>
#include <memory>

#include "analysis/counters/pmu_device.hpp"
#include "self_test.hpp"
#include "trials.hpp"

namespace roofmark::check {
namespace {

/// Reading an own group costs some instructions of its own; running for so long hides them.
constexpr std::uint64_t trial_iterations = 100'000;

/// Work for a counter to run on.
void spin() {
  for (std::uint64_t i = 0; i < trial_iterations; ++i) __asm__ volatile("" ::: "memory");
}

/// While it lives, this thread runs where the PMU counts: a hybrid's PMU sees cores of its kind.
class OnCpusOf {
 public:
  explicit OnCpusOf(const std::vector<int>& cpus) {
    if (cpus.empty() || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (const int cpu : cpus)
      if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &wanted);
    moved_ = CPU_COUNT(&wanted) > 0 && sched_setaffinity(0, sizeof wanted, &wanted) == 0;
  }
  ~OnCpusOf() {
    if (moved_) sched_setaffinity(0, sizeof before_, &before_);
  }
  OnCpusOf(const OnCpusOf&) = delete;
  OnCpusOf& operator=(const OnCpusOf&) = delete;

 private:
  cpu_set_t before_{};
  bool moved_ = false;
};

std::vector<int> cpus_of(const TableMatch& match, const std::filesystem::path& devices) {
  if (match.pmus.empty()) return {};
  const auto pmu = read_pmu_device(devices / match.pmus.front());
  return pmu ? pmu->core_cpus : std::vector<int>();
}

/// One pass's counters, open in this thread.
class OpenPass {
 public:
  /// Events that the kernel refuses are taken out of `plan`, with the reason in `refused`.
  OpenPass(CounterPlan& plan, unsigned pass, const HostFacts& facts, bool with_kernel,
           std::map<std::string, Problem>& refused) {
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
      PlannedGroup& planned = plan.groups[g];
      if (planned.pass != pass) continue;
      while (!planned.events.empty()) {
        perf::Group group;
        const perf::Refusal refusal = perf::open_group(flat(planned), 0, 0, group);
        if (!refusal) {
          groups_.push_back({g, group, {}});
          break;
        }
        const auto culprit = planned.events.begin() + refusal.event;
        const perf::Request request{culprit->name,
                                    planned.pmu,
                                    planned.cpu >= 0,
                                    with_kernel || culprit->numbers.type == PERF_TYPE_TRACEPOINT,
                                    culprit->numbers.type == PERF_TYPE_BREAKPOINT,
                                    refusal.event == 0};
        refused.emplace(culprit->name, perf::explain(refusal.error, request, facts));
        planned.events.erase(culprit);
      }
    }
  }
  ~OpenPass() {
    for (One& one : groups_) perf::close_group(one.group);
  }
  OpenPass(const OpenPass&) = delete;
  OpenPass& operator=(const OpenPass&) = delete;

  void start() {
    for (One& one : groups_)
      if (perf::read_group(one.group, one.group.cpu < 0, one.before) != 0) one.before.count = 0;
  }
  void stop(std::vector<GroupCounts>& counts) const {
    for (const One& one : groups_) {
      perf::Reading after;
      if (perf::read_group(one.group, one.group.cpu < 0, after) != 0) continue;
      counts.push_back({one.index, perf::difference(one.before, after)});
    }
  }
  std::optional<bool> by_page() const {
    for (const One& one : groups_)
      if (one.group.cpu < 0) return one.group.by_page;
    return std::nullopt;
  }

 private:
  struct One {
    std::size_t index;
    perf::Group group;
    perf::Reading before;
  };
  static perf::FlatPlan flat(const PlannedGroup& planned) {
    perf::FlatPlan plan;
    const std::size_t count =
        std::min(planned.events.size(), std::size_t{perf::most_events_per_group});
    plan.group_count = 1;
    plan.event_count = static_cast<unsigned>(count);
    plan.groups[0] = {planned.cpu, 0, static_cast<std::uint16_t>(count)};
    for (std::size_t e = 0; e < count; ++e) plan.events[e] = planned.events[e].numbers;
    return plan;
  }
  std::vector<One> groups_;
};

/// Why a formula's quantity is not to be had, by what opened and what ran.
std::optional<Problem> obstacle(const Formula& formula,
                                const std::map<std::string, Problem>& refused,
                                const EventCounts& ran) {
  for (const FormulaTerm& term : formula.sum) {
    if (const auto found = refused.find(term.event); found != refused.end()) return found->second;
    if (ran.count(term.event) == 0)
      return Problem{
          "its event opens and is not counted all the time: other users have the counters",
          term.event, "end other users of the counters (`perf`, a debugger)"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> try_hardware(const HostFacts& facts) {
  perf::FlatPlan plan;
  plan.group_count = plan.event_count = 1;
  plan.groups[0] = {-1, 0, 1};
  plan.events[0] = {PERF_TYPE_HARDWARE,
                    perf::exclude_kernel | perf::exclude_hypervisor,
                    0,
                    PERF_COUNT_HW_INSTRUCTIONS,
                    0,
                    0};
  perf::Group group;
  const perf::Refusal refusal = perf::open_group(plan, 0, 0, group);
  if (refusal) return perf::explain(refusal.error, {}, facts);
  perf::Reading before, after;
  const bool read = perf::read_group(group, true, before) == 0;
  spin();
  const bool read_again = perf::read_group(group, true, after) == 0;
  perf::close_group(group);
  if (!read || !read_again || perf::difference(before, after).ran == perf::Ran::not_at_all)
    return Problem{"the counter of instructions opens and does not run", "",
                   "end other users of the counters (`perf`, a debugger)"};
  if (perf::difference(before, after).values[0] == 0)
    return Problem{
        "the counter of instructions stands still: the hypervisor only pretends to have it", "",
        "--counters emulated counts without hardware"};
  return std::nullopt;
}

PerfCheck check_perf(const TableMatch& match, const PlanOptions& options, const HostFacts& facts,
                     bool test) {
  PerfCheck result;
  CounterPlan plan = plan_counters(match, options);
  for (const UnplannedQuantity& entry : plan.absent)
    result.quantities.push_back({match.table->name, entry.quantity, entry.scope, entry.problem});
  std::map<std::string, Problem> refused;
  std::vector<GroupCounts> probe;
  std::vector<Trial> trials;
  if (test && !plan.formulas.empty()) trials = trials_here(result.test.notes);
  std::erase_if(trials, [&](const Trial& trial) { return !tests_any_of(plan, trial); });
  const OnCpusOf placed(cpus_of(match, options.devices));
  std::vector<std::vector<GroupCounts>> counts(trials.size());
  std::uint64_t largest = 0;
  for (const Trial& trial : trials) largest = std::max(largest, trial.footprint_bytes);
  std::unique_ptr<Memory> memory;
  for (unsigned pass = 0; pass < plan.passes; ++pass) {
    OpenPass open(plan, pass, facts, options.with_kernel, refused);
    if (const auto by_page = open.by_page())
      result.by_page = result.by_page.value_or(true) && *by_page;
    open.start();
    spin();
    open.stop(probe);
    for (std::size_t t = 0; t < trials.size(); ++t) {
      const Trial& trial = trials[t];
      if (trial.footprint_bytes != 0 && !memory) memory = std::make_unique<Memory>(largest);
      if (trial.footprint_bytes != 0 && !memory->there()) {
        if (pass == 0)
          result.test.notes.push_back("`" + trial.name +
                                      "` was not run: there is no memory for it.");
        continue;
      }
      const Buffer buffer =
          trial.footprint_bytes == 0 ? Buffer{} : memory->first(trial.footprint_bytes);
      // Once before: code and data are where the trial says that they come from.
      trial.kernel.run(buffer.bytes == 0 ? 100 : buffer.bytes / line_bytes, buffer);
      open.start();
      trial.kernel.run(trial.iterations, buffer);
      open.stop(counts[t]);
    }
  }
  for (const Formula* formula : plan.formulas)
    result.quantities.push_back(
        {match.table->name, formula->quantity, formula->scope,
         obstacle(*formula, refused, event_counts(plan, probe, formula->scope))});
  for (std::size_t t = 0; t < trials.size(); ++t)
    add_rows(result.test.rows, "perf", plan, trials[t], counts[t]);
  // What does not open is said once, with the quantity.
  std::erase_if(result.test.rows, [](const SelfTestRow& row) { return !row.counted; });
  return result;
}

}  // namespace roofmark::check
