#include "plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace roofmark {
namespace {

constexpr unsigned slices_in_cache = 4, slices_in_memory = 4;
/// A long stream has lucky and unlucky pages, and what it stores is written back later: windows on
/// memory are 4 ms, tens of megabytes. The p90 of windows of 0.3 ms was up to 15 % above what any
/// long stream had.
constexpr double window_in_memory = 133;
/// Disturbances only lower a rate. But which pages of the smallest size a window meets is luck in
/// both directions, and a program has no more of it than the median.
constexpr double rank_in_small_pages = 0.5;
/// An outer cache may take a line only once it has been asked for again: after one pass a third of
/// an 8 MiB set was still read from memory on a processor whose L3 is filled by what L2 evicts.
constexpr std::size_t warm_passes = 3;
constexpr std::size_t first_slice_bytes = std::size_t{64} << 10;

unsigned arrays_of(const std::string& pattern) {
  if (pattern.starts_with("copy")) return 2;
  return pattern.starts_with("triad") ? 3 : 1;
}

bool non_temporal(const std::string& pattern) {
  return pattern.ends_with("_nt");
}

/// Bandwidth kernels by isa, the widest first; of two forms of one pattern the one with FMA.
std::vector<std::vector<const Kernel*>> movers(const std::vector<const Kernel*>& kernels) {
  std::map<std::pair<unsigned, std::string>, std::map<std::string, const Kernel*>> by_width;
  for (const Kernel* kernel : kernels)
    if (kernel->kind == Kernel::Kind::bandwidth)
      // A form with FMA follows its plain form in the table.
      by_width[{width_bits(*kernel), kernel->isa}][kernel->operation] = kernel;
  std::vector<std::vector<const Kernel*>> sets;
  for (auto entry = by_width.rbegin(); entry != by_width.rend(); ++entry) {
    sets.emplace_back();
    for (const auto& [pattern, kernel] : entry->second) sets.back().push_back(kernel);
  }
  return sets;
}

class Planner {
 public:
  Planner(const std::vector<const Kernel*>& kernels, const PlanInputs& inputs)
      : kernels_(kernels), inputs_(inputs), movers_(movers(kernels)) {}

  Plan plan() {
    using Extent = PlanInputs::Extent;
    const bool memory_only = inputs_.extent == Extent::memory || inputs_.extent == Extent::streams;
    if (!memory_only) compute();
    if (!memory_only) clock();
    for (std::size_t i = 0; i < inputs_.caches.size(); ++i)
      if (inputs_.extent == Extent::all || inputs_.extent == Extent::siblings ||
          (inputs_.extent == Extent::memory && depends_on_pages(inputs_.caches[i])))
        cache(inputs_.caches[i], i == 0);
    memory();
    order_by_disturbance();
    return std::move(plan_);
  }

 private:
  /// What a core did just before changes its rate: after 512-bit arithmetic the clock is low for a
  /// while, and copies in L2 were 7 % slower in the rounds in which loops in L1 had come before
  /// them. So the order in a round is: narrow arithmetic, outer caches, L1, wide arithmetic, and
  /// memory, which hardly depends on the clock. Who comes next has rounds without the wide
  /// arithmetic.
  void order_by_disturbance() {
    constexpr unsigned wide_bits = 512;
    std::set<std::string> wide;
    for (const Task& task : plan_.tasks)
      if (width_bits(*task.kernel) >= wide_bits) wide.insert(isa_name(*task.kernel));
    const auto rank = [&](const Task& task) {
      if (task.seldom) return 4;
      // A clock loop goes with the instruction set that it is taken among.
      if (task.level.empty()) return wide.contains(plan_.ceilings[task.ceiling].isa) ? 3 : 0;
      return !inputs_.caches.empty() && task.level == inputs_.caches[0].level ? 2 : 1;
    };
    std::stable_sort(plan_.tasks.begin(), plan_.tasks.end(),
                     [&](const Task& a, const Task& b) { return rank(a) < rank(b); });
    const bool others = std::any_of(plan_.tasks.begin(), plan_.tasks.end(),
                                    [&](const Task& task) { return rank(task) < 3; });
    for (Task& task : plan_.tasks) task.lowers_clock = others && rank(task) == 3;
  }

  bool widest_only() const {
    return inputs_.extent == PlanInputs::Extent::widest ||
           inputs_.extent == PlanInputs::Extent::siblings;
  }

  /// A second-level TLB of today holds 1024 to 3072 pages: a set that fits into it streams alike in
  /// pages of any size.
  static bool depends_on_pages(const WorkingSet& set) {
    constexpr std::size_t reach_of_tlb = std::size_t{1024} * 4096;
    return set.bytes > reach_of_tlb;
  }

  bool wanted(const Kernel* kernel) const {
    return inputs_.chosen.empty() || inputs_.chosen.contains(kernel);
  }

  /// Clock loops among the kernels of each instruction set: wide vectors lower the clock, and what
  /// a ceiling does per cycle is a matter of the cycles it had.
  void clock() {
    const auto loop = std::find_if(kernels_.begin(), kernels_.end(), [](const Kernel* kernel) {
      return kernel->kind == Kernel::Kind::clock;
    });
    if (loop == kernels_.end()) return;
    std::vector<std::string> order;
    std::map<std::string, std::vector<Task>> by_isa;
    for (const Task& task : plan_.tasks) {
      const std::string isa = isa_name(*task.kernel);
      if (by_isa.count(isa) == 0) order.push_back(isa);
      by_isa[isa].push_back(task);
    }
    plan_.tasks.clear();
    for (const std::string& isa : order) {
      PlannedCeiling ceiling;
      ceiling.isa = isa;
      plan_.ceilings.push_back(ceiling);
      Task tick;
      tick.kernel = *loop;
      tick.ceiling = plan_.ceilings.size() - 1;
      tick.repeats = 16;
      const std::vector<Task>& tasks = by_isa[isa];
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (i == tasks.size() / 2) plan_.tasks.push_back(tick);
        plan_.tasks.push_back(tasks[i]);
      }
      plan_.tasks.push_back(tick);
    }
  }

  void compute() {
    std::map<std::tuple<Precision, std::string, std::string>, std::size_t> known;
    unsigned widest = 0;
    for (const Kernel* kernel : kernels_) widest = std::max(widest, width_bits(*kernel));
    for (const Kernel* kernel : kernels_) {
      if (kernel->kind != Kernel::Kind::compute || !wanted(kernel)) continue;
      if (widest_only() &&
          (width_bits(*kernel) != widest || std::string_view(kernel->operation) != "fma"))
        continue;
      const auto key = std::tuple(kernel->precision, isa_name(*kernel), kernel->operation);
      const auto [at, fresh] = known.try_emplace(key, plan_.ceilings.size());
      if (fresh) {
        PlannedCeiling ceiling;
        ceiling.kind = PlannedCeiling::Kind::compute;
        ceiling.precision = kernel->precision;
        ceiling.isa = isa_name(*kernel);
        ceiling.operation = parse_word<Operation>(kernel->operation).value_or(Operation::other);
        plan_.ceilings.push_back(ceiling);
      }
      Task task;
      task.kernel = kernel;
      task.ceiling = at->second;
      task.repeats = 16;
      plan_.tasks.push_back(task);
    }
  }

  Task move(const Kernel* kernel, std::size_t ceiling, const std::string& level,
            std::size_t set_bytes) const {
    Task task;
    task.kernel = kernel;
    task.ceiling = ceiling;
    task.level = level;
    task.arrays = arrays_of(kernel->operation);
    task.set_bytes = set_bytes;
    return task;
  }

  std::size_t bandwidth_ceiling(const std::string& level, const std::string& pattern,
                                const std::string& isa, std::vector<std::string> flags) {
    PlannedCeiling ceiling;
    ceiling.kind = PlannedCeiling::Kind::bandwidth;
    ceiling.level = level;
    ceiling.pattern = pattern;
    ceiling.isa = isa;
    ceiling.flags = std::move(flags);
    plan_.ceilings.push_back(ceiling);
    return plan_.ceilings.size() - 1;
  }

  void cache(const WorkingSet& set, bool innermost) {
    const std::vector<std::string> flags =
        set.tight ? std::vector<std::string>{"tight_window"} : std::vector<std::string>{};
    std::map<std::string, std::size_t> by_pattern;
    // The innermost level depends on the width of the loads; further out two forms compete.
    const std::size_t forms = widest_only() ? 1 : innermost ? movers_.size() : 2;
    for (std::size_t i = 0; i < std::min(forms, movers_.size()); ++i) {
      for (const Kernel* kernel : movers_[i]) {
        const std::string pattern = kernel->operation;
        if (non_temporal(pattern) || !wanted(kernel)) continue;
        if (widest_only() && pattern != "read") continue;
        std::size_t ceiling = 0;
        if (innermost) {
          ceiling = bandwidth_ceiling(set.level, pattern, isa_name(*kernel), flags);
        } else {
          const auto known = by_pattern.find(pattern);
          ceiling = known != by_pattern.end() ? known->second
                                              : bandwidth_ceiling(set.level, pattern, "", flags);
          by_pattern[pattern] = ceiling;
        }
        Task task = move(kernel, ceiling, set.level, set.bytes);
        task.warm_bytes = warm_passes * set.bytes;
        // A set that takes longer than a window is walked in slices.
        if (set.bytes > (std::size_t{2} << 20)) {
          task.slice_bytes = first_slice_bytes;
          task.windows = slices_in_cache;
        }
        plan_.tasks.push_back(task);
      }
    }
  }

  void memory() {
    if (inputs_.memory_set_bytes == 0) return;
    std::map<std::string, std::size_t> by_pattern;
    for (std::size_t i = 0; i < movers_.size() && i < 2; ++i)
      for (const Kernel* kernel : movers_[i]) {
        const std::string pattern = kernel->operation;
        if (!wanted(kernel)) continue;
        if (widest_only() && (i > 0 || non_temporal(pattern) || pattern == "write")) continue;
        const auto known = by_pattern.find(pattern);
        const std::size_t ceiling = known != by_pattern.end()
                                        ? known->second
                                        : bandwidth_ceiling(inputs_.memory_level, pattern, "", {});
        by_pattern[pattern] = ceiling;
        Task task = move(kernel, ceiling, inputs_.memory_level, inputs_.memory_set_bytes);
        task.warm_bytes = inputs_.memory_warm_bytes;
        task.slice_bytes = first_slice_bytes;
        task.windows = slices_in_memory;
        task.seldom = true;
        task.in_place = true;
        task.window_factor = window_in_memory;
        if (inputs_.extent == PlanInputs::Extent::memory) task.rank = rank_in_small_pages;
        plan_.tasks.push_back(task);
      }
  }

  const std::vector<const Kernel*>& kernels_;
  const PlanInputs& inputs_;
  const std::vector<std::vector<const Kernel*>> movers_;
  Plan plan_;
};

}  // namespace

std::vector<const Kernel*> usable_kernels(std::span<const Kernel> kernels,
                                          const std::set<std::string>& features) {
  std::vector<const Kernel*> usable;
  for (const Kernel& kernel : kernels)
    if (features.contains(kernel.feature)) usable.push_back(&kernel);
  return usable;
}

Plan plan_stage(const std::vector<const Kernel*>& kernels, const PlanInputs& inputs) {
  return Planner(kernels, inputs).plan();
}

// McCalpin, "STREAM": a store to a line that is not in the cache first reads it. So a stored array
// crosses twice, a loaded one once, and a non-temporal store once.
double interface_factor(const std::string& level, const std::string& pattern) {
  if (level == "L1") return 1;
  if (pattern == "write") return 2;
  if (pattern == "copy") return 1.5;
  if (pattern == "triad") return 4.0 / 3;
  return 1;
}

}  // namespace roofmark
