#include "trials.hpp"

#include <array>
#include <fstream>

namespace roofmark::check {
namespace {

constexpr std::uint64_t flop_iterations = 200'000;
constexpr std::uint64_t moved_bytes = std::uint64_t{256} << 20U;
/// Beyond this a test of DRAM would disturb others more than it tells.
constexpr std::uint64_t most_buffer_bytes = std::uint64_t{1} << 30U;

bool counts_flop(const std::string& quantity) {
  return quantity.rfind("flop.", 0) == 0;
}

std::uint64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  for (std::uint64_t kibibytes = 0; file >> name;)
    if (name == "MemAvailable:" && file >> kibibytes) return kibibytes << 10U;
  return 0;
}

std::uint64_t cache_bytes(const emulated::Geometry& caches, const char* name) {
  for (const CountedCache& level : caches.levels)
    if (level.name == name) return level.bytes;
  return 0;
}

/// The working set whose lines come from `level`: well beyond the level before it, well inside its
/// own. 0 where no size is both.
std::uint64_t footprint(std::uint64_t nearer_bytes, std::uint64_t own_bytes) {
  const std::uint64_t size = std::min(own_bytes / 2, nearer_bytes * 8);
  return size >= nearer_bytes * 2 ? size / 4096 * 4096 : 0;
}

void add_memory_trials(std::vector<Trial>& trials, const std::vector<Kernel>& kernels,
                       std::vector<std::string>& notes) {
  const auto caches = emulated::host_geometry();
  if (!caches) {
    notes.push_back("Bytes were not tested: " + to_line(caches.error()) + ".");
    return;
  }
  const std::uint64_t l1 = cache_bytes(*caches, "L1"), l2 = cache_bytes(*caches, "L2"),
                      l3 = cache_bytes(*caches, "L3");
  const std::uint64_t last = std::max(l2, l3);
  const std::uint64_t beyond = 4 * last;
  const bool fits = beyond <= std::min(most_buffer_bytes, available_bytes() / 4);
  if (!fits)
    notes.push_back(
        "Bytes at DRAM were not tested: four times the last cache is more memory than "
        "the self-test takes.");
  const std::array<std::pair<const char*, std::uint64_t>, 3> levels = {
      {{"L2", footprint(l1, l2)}, {"L3", footprint(l2, l3)}, {"DRAM", fits ? beyond : 0}}};
  for (const Kernel& kernel : kernels)
    for (const auto& [level, bytes] : levels) {
      if (bytes == 0 || (kernel.work != Work::reads && kernel.work != Work::writes)) continue;
      const bool writes = kernel.work == Work::writes;
      const std::uint64_t moved = std::max(moved_bytes, 2 * bytes) / line_bytes * line_bytes;
      Trial trial{kernel.name + " " + level, kernel, moved / line_bytes, bytes, {}};
      trial.expected.emplace_back(std::string("bytes.") + level + (writes ? ".write" : ".read"),
                                  moved);
      trials.push_back(std::move(trial));
    }
}

}  // namespace

std::vector<Trial> trials_here(std::vector<std::string>& notes) {
  const std::vector<Kernel> kernels = kernels_here();
  std::vector<Trial> trials;
  for (const Kernel& kernel : kernels) {
    if (kernel.work != Work::flop && kernel.work != Work::instructions) continue;
    const std::uint64_t work = expected_work(kernel, flop_iterations);
    Trial trial{kernel.name, kernel, flop_iterations, 0, {}};
    if (kernel.work == Work::flop)
      trial.expected = {{"flop." + kernel.precision, work}, {"flop.any", work}};
    else
      trial.expected = {{"instructions", work}};
    trials.push_back(std::move(trial));
  }
  add_memory_trials(trials, kernels, notes);
  return trials;
}

bool tests_any_of(const CounterPlan& plan, const Trial& trial) {
  return std::any_of(plan.formulas.begin(), plan.formulas.end(), [&](const Formula* formula) {
    return formula->scope != Scope::socket &&
           std::any_of(trial.expected.begin(), trial.expected.end(),
                       [&](const auto& one) { return one.first == formula->quantity; });
  });
}

void add_rows(std::vector<SelfTestRow>& rows, const std::string& collector, const CounterPlan& plan,
              const Trial& trial, const std::vector<GroupCounts>& counts) {
  const EventCounts events = event_counts(plan, counts, Scope::process);
  for (const Formula* formula : plan.formulas) {
    if (formula->scope == Scope::socket) continue;
    const auto wanted =
        std::find_if(trial.expected.begin(), trial.expected.end(),
                     [&](const auto& one) { return one.first == formula->quantity; });
    const auto value = evaluate(*formula, events);
    SelfTestRow row{collector, formula->quantity, trial.name, 0, std::nullopt, ""};
    if (value) row.counted = *value;
    if (wanted != trial.expected.end()) {
      row.expected = wanted->second;
      if (!value) row.reason = value.error().reason;
      rows.push_back(std::move(row));
    } else if (value && counts_flop(row.quantity) && counts_flop(trial.expected.front().first) &&
               *value > trial.expected.front().second / 100) {
      // FLOPs of a precision that this kernel has none of: said only where they were counted.
      rows.push_back(std::move(row));
    }
  }
}

}  // namespace roofmark::check
