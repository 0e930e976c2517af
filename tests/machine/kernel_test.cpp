// The kernels of this machine do what their table says.
#include "analysis/machine/kernel.hpp"

#include <unistd.h>
#include <bit>

#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "analysis/machine/buffer.hpp"
#include "analysis/machine/plan.hpp"
#include "analysis/machine/stage.hpp"
#include "catch.hpp"

using namespace roofmark;

namespace {

constexpr std::size_t bytes = 2 * kernel_chunk_bytes;
constexpr std::size_t count = bytes / sizeof(double);

struct alignas(64) Arrays {
  // A guard behind each array catches a kernel that runs past its end.
  double a[count + 64], b[count + 64], c[count + 64];
};

std::vector<const Kernel*> usable(Kernel::Kind kind) {
  std::vector<const Kernel*> all = usable_kernels(all_kernels(), cpu_features());
  std::erase_if(all, [&](const Kernel* kernel) { return kernel->kind != kind; });
  return all;
}

/// An architecture without kernels says so in the machine's notes; its tests say so here.
template <class Kernels>
bool skipped_without(const Kernels& kernels) {
  if (kernels.empty()) WARN("skipped: there are no kernels for this processor");
  return kernels.empty();
}

void run(const Kernel& kernel, Arrays& arrays, std::uint64_t passes) {
  for (std::size_t i = 0; i < count + 64; ++i) {
    arrays.a[i] = -7;
    arrays.b[i] = static_cast<double>(i);
    arrays.c[i] = static_cast<double>(2 * i);
  }
  const auto place = [](double* array) { return reinterpret_cast<std::byte*>(array); };
  run_passes(kernel, {place(arrays.a), place(arrays.b), place(arrays.c)}, bytes, passes);
}

}  // namespace

TEST_CASE("there are kernels for this processor") {
  if (skipped_without(all_kernels())) return;
  CHECK(usable(Kernel::Kind::clock).size() == 1);
  CHECK(usable(Kernel::Kind::compute).size() > 20);
  CHECK(usable(Kernel::Kind::bandwidth).size() >= 8);
}

TEST_CASE("bandwidth kernels move what they say and nothing else") {
  static Arrays arrays;
  for (const Kernel* kernel : usable(Kernel::Kind::bandwidth)) {
    INFO(kernel->name);
    run(*kernel, arrays, 3);
    const std::string pattern = kernel->operation;
    // General registers add the elements as the integers that their bits are.
    const bool as_integers = std::string_view(kernel->isa) == "gpr";
    const double factor = pattern.starts_with("triad") && !as_integers ? (arrays.a[1] - 1) / 2 : 0;
    if (pattern.starts_with("triad") && !as_integers) CHECK((factor > 0.4 && factor <= 1));
    const double written = arrays.a[0];
    bool right = true;
    for (std::size_t i = 0; i < count; ++i) {
      const auto x = static_cast<double>(i);
      if (pattern == "read") right = right && arrays.a[i] == -7;
      if (pattern.starts_with("write")) right = right && arrays.a[i] == written && written > 0;
      if (pattern.starts_with("copy")) right = right && arrays.a[i] == x;
      if (pattern == "triad" && as_integers)
        right = right && std::bit_cast<std::uint64_t>(arrays.a[i]) ==
                             std::bit_cast<std::uint64_t>(arrays.b[i]) +
                                 std::bit_cast<std::uint64_t>(arrays.c[i]);
      else if (pattern.starts_with("triad"))
        right = right && arrays.a[i] == Approx(x + factor * 2 * x).epsilon(1e-12);
      right = right && arrays.b[i] == x && arrays.c[i] == 2 * x;
    }
    CHECK(right);
    for (std::size_t i = count; i < count + 64; ++i) CHECK(arrays.a[i] == -7);
  }
}

TEST_CASE("compute kernels return after the iterations they were asked for") {
  for (const Kernel* kernel : usable(Kernel::Kind::compute)) {
    INFO(kernel->name);
    run_iterations(*kernel, 10);
    CHECK(flop_per_iteration(*kernel) > 0);
  }
}

TEST_CASE("FLOP of an iteration: instructions x lanes x FLOP per lane") {
  const Kernel scalar{
      "k", Kernel::Kind::compute, Precision::f64, "scalar", "", "add", 0, 12, 96, 1, 0, nullptr};
  CHECK(flop_per_iteration(scalar) == 96);
  Kernel wide = scalar;
  wide.width_bits = 256;
  wide.flop_per_lane = 2;
  CHECK(flop_per_iteration(wide) == 96 * 4 * 2);
  wide.precision = Precision::f32;
  CHECK(flop_per_iteration(wide) == 96 * 8 * 2);
}

TEST_CASE("a plan holds each ceiling once, with its candidates") {
  PlanInputs inputs;
  inputs.caches = {{"L1", 16384, false}, {"L2", 262144, false}};
  inputs.memory_set_bytes = std::size_t{64} << 20;
  const auto kernels = usable_kernels(all_kernels(), cpu_features());
  if (skipped_without(kernels)) return;
  const Plan plan = plan_stage(kernels, inputs);
  for (const Task& task : plan.tasks) {
    REQUIRE(task.ceiling < plan.ceilings.size());
    const PlannedCeiling& ceiling = plan.ceilings[task.ceiling];
    if (ceiling.kind == PlannedCeiling::Kind::bandwidth) {
      CHECK(ceiling.pattern == task.kernel->operation);
      CHECK(task.arrays == (ceiling.pattern.starts_with("triad")  ? 3U
                            : ceiling.pattern.starts_with("copy") ? 2U
                                                                  : 1U));
    }
  }
  for (std::size_t i = 0; i < plan.ceilings.size(); ++i) {
    const bool measured = std::any_of(plan.tasks.begin(), plan.tasks.end(),
                                      [&](const Task& task) { return task.ceiling == i; });
    CHECK(measured);
  }
  inputs.extent = PlanInputs::Extent::widest;
  const Plan narrow = plan_stage(kernels, inputs);
  for (const PlannedCeiling& ceiling : narrow.ceilings) {
    if (ceiling.kind == PlannedCeiling::Kind::compute) CHECK(ceiling.operation == Operation::fma);
    if (ceiling.kind == PlannedCeiling::Kind::bandwidth) CHECK(ceiling.level == "DRAM");
  }
}

TEST_CASE("a stage of memory alone asks for what depends on the size of pages") {
  PlanInputs inputs;
  inputs.caches = {{"L1", 16384, false}, {"L2", 1 << 20, false}, {"L3", 16 << 20, false}};
  inputs.memory_set_bytes = std::size_t{256} << 20;
  inputs.extent = PlanInputs::Extent::memory;
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : all_kernels()) kernels.push_back(&kernel);
  std::set<std::string> levels, patterns;
  for (const PlannedCeiling& ceiling : plan_stage(kernels, inputs).ceilings) {
    CHECK(ceiling.kind == PlannedCeiling::Kind::bandwidth);
    levels.insert(ceiling.level);
    patterns.insert(ceiling.pattern);
  }
  if (kernels.empty()) {
    WARN("skipped: there are no measuring kernels for this processor");
    return;
  }
  CHECK(levels == std::set<std::string>{"L3", "DRAM"});
  for (const char* pattern : {"read", "write", "copy", "triad"})
    CHECK(patterns.count(pattern) == 1);
}

TEST_CASE("a buffer can be had in pages of the smallest size") {
  const auto base = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  constexpr std::size_t bytes = std::size_t{16} << 20;
  Result<Buffer> buffer = Buffer::reserve(bytes);
  REQUIRE(buffer);
  buffer->touch(bytes, 60);
  if (!buffer->use_base_pages()) {
    WARN("skipped: this kernel has no large pages to do without");
    return;
  }
  CHECK(buffer->touched() == 0);
  buffer->touch(bytes, 60);
  CHECK(buffer->touched() == bytes);
  CHECK(buffer->page_bytes() == base);
}

TEST_CASE("a stage that has no time still brings windows for every ceiling") {
  PlanInputs inputs;
  inputs.caches = {{"L1", 16384, false}, {"L2", 262144, false}};
  inputs.memory_set_bytes = std::size_t{8} << 20;
  inputs.memory_warm_bytes = std::size_t{1} << 20;
  const auto kernels = usable_kernels(all_kernels(), cpu_features());
  if (skipped_without(kernels)) return;
  Result<Buffer> buffer = Buffer::reserve(std::size_t{16} << 20);
  REQUIRE(buffer);
  buffer->touch(buffer->bytes(), 60);
  REQUIRE(buffer->touched() == buffer->bytes());
  Buffer* const memory[] = {&*buffer};
  const unsigned cpu[] = {0};
  const Stopwatch watch;
  for (const unsigned trials : {0U, 1U, 3U}) {
    Plan plan = plan_stage(kernels, inputs);
    StageLimits limits;
    limits.least_s = limits.most_s = 0;
    limits.samples = 1000000;
    limits.trial_rounds = trials;
    run_stage(plan.tasks, cpu, memory, limits, watch, {});
    for (std::size_t i = 0; i < plan.ceilings.size(); ++i) {
      INFO(trials << " trials: " << plan.ceilings[i].level << " " << plan.ceilings[i].pattern);
      const Task* best = best_task(plan.tasks, i);
      REQUIRE(best != nullptr);
      CHECK(best->rates.size() > 0);
    }
  }
}

TEST_CASE("trials that took all the time are over after one round, and one that counts follows") {
  const auto clocks = usable(Kernel::Kind::clock);
  if (clocks.empty()) return;
  for (const unsigned trials : {1U, 5U, 1000000U}) {
    std::vector<Task> tasks(3);
    for (Task& task : tasks) task.kernel = clocks[0];
    StageLimits limits;
    limits.least_s = limits.most_s = 0;
    limits.samples = 1000000;
    limits.trial_rounds = trials;
    unsigned decided = 0;
    const unsigned cpu[] = {0};
    run_stage(tasks, cpu, {}, limits, Stopwatch(), [&](double) { ++decided; });
    INFO(trials << " trials");
    CHECK(decided == 3);  // the trial, the round that counts, the end
    CHECK(best_task(tasks, 0)->rates.size() == 1);
  }
}

TEST_CASE("wide arithmetic and loops in L1 come after what they would slow down") {
  PlanInputs inputs;
  inputs.caches = {{"L1", 16384, false}, {"L2", 262144, false}};
  inputs.memory_set_bytes = std::size_t{64} << 20;
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : all_kernels()) kernels.push_back(&kernel);
  if (skipped_without(kernels)) return;
  const Plan plan = plan_stage(kernels, inputs);
  int last = 0;
  for (const Task& task : plan.tasks) {
    if (task.kernel->kind == Kernel::Kind::clock) continue;  // one among each instruction set
    const bool wide = width_bits(*task.kernel) >= 512;
    const int place = task.level == "L2"     ? 1
                      : task.level == "L1"   ? 2
                      : task.level == "DRAM" ? 4
                      : wide                 ? 3
                                             : 0;
    CHECK(place >= last);
    CHECK(task.lowers_clock == (place == 3));
    last = place;
  }
  CHECK(last == 4);
  // Where there is nothing to disturb, every round is used.
  inputs.extent = PlanInputs::Extent::widest;
  inputs.memory_set_bytes = 0;
  for (const Task& task : plan_stage(kernels, inputs).tasks) CHECK_FALSE(task.lowers_clock);
}

TEST_CASE("threads agree on each round, also on one in which nobody takes part") {
  const auto clocks = usable(Kernel::Kind::clock);
  if (clocks.empty()) return;
  Task task;
  task.kernel = clocks[0];
  task.lowers_clock = true;
  std::vector<Task> tasks{task};
  StageLimits limits;
  limits.window_s = 2e-6;
  limits.least_s = 0;
  limits.most_s = 60;
  limits.samples = 500;
  limits.trial_rounds = 2;
  const unsigned cpus[] = {0, 0};
  const Stopwatch watch;
  run_stage(tasks, cpus, {}, limits, watch, {});
  CHECK(tasks[0].rates.size() >= 500);
}
