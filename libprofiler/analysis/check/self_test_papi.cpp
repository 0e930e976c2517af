#include <collectors/papi/tables.hpp>
#include <memory>

#include "trials.hpp"

namespace roofmark::check {

SelfTest test_papi(const EventTable& table) {
  SelfTest test;
  const auto planned = papi::plan_table(table, {}, papi::questions_of_library());
  if (!planned || planned->plan.formulas.empty()) return test;  // `Collectors` says why
  const CounterPlan& plan = planned->plan;
  std::vector<std::string> said_for_perf;
  std::vector<Trial> trials = trials_here(said_for_perf);
  std::erase_if(trials, [&](const Trial& trial) { return !tests_any_of(plan, trial); });
  std::uint64_t largest = 0;
  for (const Trial& trial : trials) largest = std::max(largest, trial.footprint_bytes);

  // In the child that counts: the memory is its own.
  std::unique_ptr<Memory> memory;
  std::vector<papi::Piece> pieces;
  for (const Trial& trial : trials) {
    const auto buffer = [&memory, &trial] {
      return trial.footprint_bytes == 0 ? Buffer{} : memory->first(trial.footprint_bytes);
    };
    pieces.push_back({[&memory, &trial, buffer, largest] {
                        if (trial.footprint_bytes != 0 && !memory)
                          memory = std::make_unique<Memory>(largest);
                        if (trial.footprint_bytes != 0 && !memory->there()) return false;
                        const Buffer first = buffer();
                        trial.kernel.run(first.bytes == 0 ? 100 : first.bytes / line_bytes, first);
                        return true;
                      },
                      [&trial, buffer] { trial.kernel.run(trial.iterations, buffer()); }});
  }
  std::vector<std::vector<std::string>> sets;
  for (const PlannedGroup& group : plan.groups) {
    sets.emplace_back();
    for (const PlannedEvent& event : group.events)
      sets.back().push_back(table.event(event.name)->pfm);
  }
  const auto counted = papi::count_around(sets, pieces);
  if (!counted) {
    test.problem = counted.error();
    return test;
  }
  for (std::size_t t = 0; t < trials.size(); ++t) {
    std::vector<GroupCounts> counts;
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const std::vector<long long>& values = (*counted)[set][t];
      GroupCounts group{set, {}};
      if (values.size() != sets[set].size() || values.size() > perf::most_events_per_group)
        continue;
      group.counts.count = static_cast<unsigned>(values.size());
      group.counts.ran = perf::Ran::whole;
      group.counts.enabled_ns = group.counts.running_ns = 1;
      for (std::size_t i = 0; i < values.size(); ++i)
        group.counts.values[i] = static_cast<std::uint64_t>(values[i]);
      counts.push_back(group);
    }
    add_rows(test.rows, "papi", plan, trials[t], counts);
  }
  std::erase_if(test.rows, [](const SelfTestRow& row) { return !row.counted; });
  return test;
}

}  // namespace roofmark::check
