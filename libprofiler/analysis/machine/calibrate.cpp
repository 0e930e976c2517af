#include "calibrate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <optional>
#include <set>

#include "chase.hpp"
#include "checks.hpp"
#include "doubt.hpp"
#include "harvest.hpp"
#include "kernel.hpp"
#include "measure_placement.hpp"
#include "placement.hpp"
#include "plan.hpp"
#include "stage.hpp"
#include "team.hpp"
#include "working_sets.hpp"

namespace roofmark {
namespace {

constexpr double planned_share = 0.85;
/// Of the budget, for what comes after the scopes.
constexpr double sustained_s = 1.5, base_pages_s = 2.5;
/// For each placement, and for all of them together at most this share of the budget.
constexpr double placement_s = 1.0, placements_share = 0.2;
constexpr std::size_t mebibyte = std::size_t{1} << 20;
/// More of a pool than this is not worth its page faults on a machine whose cache is unknown.
constexpr std::size_t most_chased = 640 * mebibyte;

class Calibration {
 public:
  Calibration(const MachineLayout& layout, const MeasureOptions& options, Stopwatch& watch,
              const MeasureProgress& progress)
      : layout_(layout),
        options_(options),
        watch_(watch),
        progress_(progress),
        kernels_(usable_kernels(all_kernels(), cpu_features())),
        cpus_(layout.scopes.back().cpus),
        placements_(placements_of(layout)) {
    machine_.topology = layout.topology;
    machine_.notes = layout.notes;
  }

  Machine run() {
    started_s_ = monotonic_s();
    if (kernels_.empty()) {
      machine_.notes.push_back(
          "There are no measuring kernels for this processor: only its topology is known.");
      return finish();
    }
    reserve();
    for (void (Calibration::*const step)() :
         {&Calibration::chase, &Calibration::touch, &Calibration::measure_scopes,
          &Calibration::measure_base_pages, &Calibration::measure_placements,
          &Calibration::measure_sustained})
      if (!is_interrupted()) (this->*step)();
    if (is_interrupted()) return std::move(machine_);
    if (cpus_.size() == 1) copy_core_to_machine();
    return finish();
  }

 private:
  /// Whoever asked for the calibration throws what there is away, so nothing has to be whole.
  bool is_interrupted() const { return options_.interrupted && options_.interrupted(); }

  double elapsed_s() const { return monotonic_s() - started_s_; }
  /// Rounds are not cut in the middle, so a part of the budget stays unplanned.
  double left_s() const { return std::max(planned_share * options_.budget_s - elapsed_s(), 0.0); }

  /// What the placements, which come after the scopes, are to have of the budget.
  double placements_s() const {
    if (options_.quick) return 0;
    return std::min(placement_s * static_cast<double>(placements_.size()),
                    placements_share * options_.budget_s);
  }

  /// A line for a person: not more often than one can read.
  void tell(double share, std::string_view what) {
    constexpr double readable_s = 0.1;
    const double now = monotonic_s();
    if (!progress_ || (share < 1 && now - told_s_ < readable_s)) return;
    told_s_ = now;
    progress_(std::clamp(share, 0.0, 1.0), what);
  }

  /// One buffer per core of the machine, in the order of cpus_.
  void reserve() {
    memory_room_ = available_memory_bytes() / 3;
    const std::size_t nominal = last_level_bytes(machine_.topology);
    pool_bytes_ = std::min({memory_pool_bytes(nominal), 4 * most_chased, memory_room_});
    // Rather a small pool, which is flagged, than no bandwidth at all.
    constexpr std::size_t least_pool = 8 * mebibyte;
    for (;; pool_bytes_ /= 2) {
      const auto problem = reserve_pools();
      if (!problem) return;
      buffers_.clear();
      if (pool_bytes_ / 2 < least_pool) {
        machine_.notes.push_back(to_line(*problem));
        return;
      }
    }
  }

  std::optional<Problem> reserve_pools() {
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
      // Of several nodes a policy that this process was started with might give another one.
      const MemoryNode* home = layout_.memory.size() > 1 ? home_node(layout_, cpus_[i]) : nullptr;
      Result<Buffer> buffer = Buffer::reserve(
          pool_bytes_, home == nullptr ? std::nullopt : std::optional(home->os_index));
      if (!buffer) return buffer.error();
      buffers_.push_back(std::move(*buffer));
    }
    return std::nullopt;
  }

  /// The first core measures latencies, and with them how much of each cache is ours.
  void chase() {
    if (buffers_.empty()) return;
    tell(0, "latencies");
    const double limit_s = (options_.quick ? 0.15 : 0.3) * options_.budget_s;
    std::vector<ChasePoint> curve;
    const std::size_t most = std::min(pool_bytes_, most_chased);
    run_on_cpus(std::span(cpus_).first(1), [&](unsigned) {
      curve = chase_latencies(buffers_[0], most, limit_s, watch_, options_.interrupted);
    });
    chased_bytes_ = buffers_[0].touched();
    for (std::string& note : confirm_caches(machine_.topology.caches, curve))
      machine_.notes.push_back(std::move(note));
    if (!curve.empty() && curve.back().bytes < last_level_bytes(machine_.topology))
      machine_.notes.push_back(
          "The pointer chase ended before it left the last cache: that cache's size is only "
          "reported.");
  }

  unsigned sharers(std::size_t threads) const {
    unsigned most = 1;
    for (const CacheLevel& cache : machine_.topology.caches)
      most = std::max(most, std::min(cache.shared_by, static_cast<unsigned>(threads)));
    return most;
  }

  /// Four times the last cache, or all that the chase made resident where that is more: then a
  /// cache that was found too small while others used it does no harm.
  std::size_t stream_pool_bytes() const {
    return std::max(memory_pool_bytes(last_level_bytes(machine_.topology)), chased_bytes_);
  }

  /// Memory per thread when so many stream at once.
  std::size_t stream_bytes(std::size_t threads) const {
    return stream_pool_bytes() / sharers(threads);
  }

  void touch() {
    if (buffers_.empty()) return;
    tell(0.25, "memory");
    touch_all();
  }

  /// The first core streams alone as well, so it needs the whole pool; the others their share.
  void touch_all() {
    std::size_t least_threads = cpus_.size();
    for (const ScopeGroup& group : layout_.scopes)
      if (group.cpus.size() > 1) least_threads = std::min(least_threads, group.cpus.size());
    const std::size_t share = std::min(stream_bytes(least_threads), memory_room_ / cpus_.size());
    const double limit_s = 0.15 * options_.budget_s;
    run_on_cpus(cpus_, [&](unsigned i) {
      buffers_[i].touch(i == 0 ? std::min(stream_bytes(1), pool_bytes_) : share, limit_s);
    });
    page_bytes_ = static_cast<double>(buffers_[0].page_bytes());
  }

  std::vector<Buffer*> memory_of(const std::vector<unsigned>& cpus) {
    std::vector<Buffer*> memory;
    for (const unsigned cpu : cpus) {
      const auto at = std::find(cpus_.begin(), cpus_.end(), cpu) - cpus_.begin();
      if (static_cast<std::size_t>(at) < buffers_.size())
        memory.push_back(&buffers_[static_cast<std::size_t>(at)]);
    }
    if (memory.size() != cpus.size()) memory.clear();
    return memory;
  }

  std::string memory_level(unsigned cpu) const {
    const MemoryNode* home = home_node(layout_, cpu);
    return home == nullptr ? "DRAM" : home->kind;
  }

  PlanInputs inputs_for(const ScopeGroup& group, const std::vector<Buffer*>& memory) {
    PlanInputs inputs;
    inputs.threads = static_cast<unsigned>(group.cpus.size());
    inputs.chosen = chosen_;
    inputs.memory_level = memory_level(group.cpus.front());
    if (memory.empty()) return inputs;
    inputs.caches = cache_working_sets(machine_.topology, inputs.threads);
    std::size_t have = memory.front()->touched();
    for (const Buffer* buffer : memory) have = std::min(have, buffer->touched());
    constexpr std::size_t skews = 16384;  // arrays start a little apart
    const std::size_t wanted = stream_bytes(group.cpus.size());
    inputs.memory_set_bytes = std::min(wanted, have) - std::min(have, skews);
    const std::size_t last = std::max(last_level_bytes(machine_.topology), stream_pool_bytes() / 6);
    inputs.memory_warm_bytes = std::min(last / sharers(group.cpus.size()), inputs.memory_set_bytes);
    small_pool_ = have < wanted;
    return inputs;
  }

  StageLimits limits_for(double share_s) const {
    StageLimits limits;
    limits.least_s = options_.quick ? 0.3 : 1.0;
    limits.most_s = std::min(share_s, options_.quick ? 1.2 : 5.0);
    limits.samples = options_.quick ? 20 : 60;
    limits.trial_rounds = options_.quick ? 3 : 5;
    limits.interrupted = options_.interrupted;
    return limits;
  }

  /// Measures one group of cores; `what` is for the progress line.
  void measure(const ScopeGroup& group, PlanInputs::Extent extent, double share_s, double done,
               double span) {
    const std::vector<Buffer*> memory = memory_of(group.cpus);
    PlanInputs inputs = inputs_for(group, memory);
    inputs.extent = extent;
    Plan plan = plan_stage(kernels_, inputs);
    const std::string what = group.cpus.size() == 1 ? std::string("one core")
                                                    : fmt::format("{} cores", group.cpus.size());
    const bool bound = run_stage(plan.tasks, group.cpus, memory, limits_for(share_s), watch_,
                                 [&](double part) { tell(done + span * part, what); });
    if (is_interrupted()) return;
    if (!bound) note_unbound();
    watch_.recalibrate();
    Harvest harvest = harvest_stage(plan, group.scope, inputs.threads, page_bytes_);
    if (!machine_.clock_hz && harvest.clock_hz > 0) machine_.clock_hz = harvest.clock_hz;
    for (ComputeCeiling& ceiling : harvest.compute) {
      if (group.core_kind == "E") ceiling.flags.emplace_back("core_kind:E");
      machine_.compute.push_back(std::move(ceiling));
    }
    for (BandwidthCeiling& ceiling : harvest.bandwidth) {
      const bool memory_ceiling = ceiling.level == inputs.memory_level;
      if (memory_ceiling && small_pool_) ceiling.flags.emplace_back("small_pool");
      if (group.core_kind == "E") ceiling.flags.emplace_back("core_kind:E");
      machine_.bandwidth.push_back(std::move(ceiling));
    }
    if (small_pool_ && !memory.empty()) any_small_pool_ = true;
    if (chosen_.empty()) chosen_ = harvest.best_kernels;
  }

  void note_unbound() {
    if (std::exchange(noted_unbound_, true)) return;
    machine_.notes.push_back("Threads could not be bound to cores: the ceilings may be low.");
  }

  std::vector<ScopeGroup> whole_scopes() const {
    std::vector<ScopeGroup> groups;
    for (const ScopeGroup& group : layout_.scopes)
      if (group.cpus.size() > 1 || group.scope == "core") groups.push_back(group);
    return groups;
  }

  /// The same memory in pages of the smallest size, as a program has it that asks for nothing where
  /// the system gives large pages only on request: what its streams can have is less, for every
  /// page of a few lines costs a walk.
  void measure_base_pages() {
    const auto base = static_cast<double>(sysconf(_SC_PAGESIZE));
    if (buffers_.empty() || page_bytes_ <= base) return;
    if (left_s() < sustained_s + placements_s() + base_pages_s / 2) {
      machine_.notes.push_back(
          "No time was left to measure memory in small pages: programs in such pages are held "
          "against large ones.");
      return;
    }
    tell(0.8, "small pages");
    for (Buffer& buffer : buffers_)
      if (!buffer.use_base_pages()) return;
    touch_all();
    if (page_bytes_ > base) return;  // the system gives large ones all the same
    const std::vector<ScopeGroup> groups = whole_scopes();
    for (std::size_t i = 0; i < groups.size() && !is_interrupted(); ++i)
      measure(groups[i], PlanInputs::Extent::memory,
              (left_s() - sustained_s - placements_s()) / static_cast<double>(groups.size() - i),
              0.8, 0.05);
  }

  /// Other kinds of memory, remote memory, the hardware threads of a core.
  void measure_placements() {
    if (placements_.empty()) return;
    std::vector<std::string> left_out;
    if (options_.quick || buffers_.empty()) {
      for (const Placement& placement : placements_) left_out.push_back(description_of(placement));
      machine_.notes.push_back(fmt::format("Not measured{}: {}.",
                                           options_.quick ? " in a hurry (--quick)" : "",
                                           fmt::join(left_out, ", ")));
      return;
    }
    const std::size_t stream_bytes = stream_pool_bytes();
    buffers_.clear();  // the room is needed
    for (std::size_t i = 0; i < placements_.size() && !is_interrupted(); ++i) {
      const std::string what = description_of(placements_[i]);
      // The last ones give way to the first.
      constexpr double worth_starting_s = 0.3;
      const double room_s = left_s() - sustained_s;
      const double affordable = std::floor(room_s / worth_starting_s);
      if (affordable < 1) {
        left_out.push_back(what);
        continue;
      }
      tell(0.85 + 0.05 * static_cast<double>(i) / static_cast<double>(placements_.size()), what);
      measure(placements_[i], stream_bytes,
              room_s / std::min(affordable, static_cast<double>(placements_.size() - i)));
    }
    if (!left_out.empty())
      machine_.notes.push_back(
          fmt::format("No time was left to measure: {}.", fmt::join(left_out, ", ")));
  }

  /// Those that were the fastest on one core's own memory, one a pattern.
  std::set<const Kernel*> memory_kernels() const {
    std::set<const Kernel*> best;
    for (const BandwidthCeiling& own : machine_.bandwidth)
      for (const Kernel* kernel : kernels_)
        if (own.threads == 1 && own.level == memory_level(cpus_.front()) &&
            kernel->kind == Kernel::Kind::bandwidth && own.pattern == kernel->operation &&
            own.isa == isa_name(*kernel))
          best.insert(kernel);
    return best;
  }

  void measure(const Placement& placement, std::size_t stream_bytes, double share_s) {
    const std::size_t threads = placement.cpus.size();
    const std::set<const Kernel*> chosen = placement.name == "smt" ? chosen_ : memory_kernels();
    PlacementSetting setting{machine_.topology, kernels_, chosen};
    // The caches that the threads don't share are passed by each of them.
    const std::size_t caches = placement.name == "smt" ? 1 : threads / sharers(threads);
    setting.stream_bytes = stream_bytes * std::max<std::size_t>(caches, 1);
    setting.warm_bytes = setting.stream_bytes / 6;
    setting.room_bytes = available_memory_bytes() / 3;
    constexpr double least_touch_s = 0.4;  // for nothing, if the memory is not there in time
    setting.touch_s = std::max(share_s / 2, least_touch_s);
    setting.limits = limits_for(share_s);
    setting.limits.least_s = std::min(setting.limits.least_s, share_s / 2);
    setting.limits.trial_rounds = 2;  // the kernels are chosen
    auto made = measure_placement(placement, setting, watch_);
    if (is_interrupted()) return;
    if (!made) return machine_.notes.push_back(to_line(made.error()));
    if (!made->bound) note_unbound();
    const bool apart = !placement.name.empty();
    auto& compute = apart ? machine_.apart_compute : machine_.compute;
    auto& bandwidth = apart ? machine_.apart_bandwidth : machine_.bandwidth;
    compute.insert(compute.end(), made->compute.begin(), made->compute.end());
    bandwidth.insert(bandwidth.end(), made->bandwidth.begin(), made->bandwidth.end());
  }

  /// Scopes from core to machine, then the curve over cores as far as time is left.
  void measure_scopes() {
    using Extent = PlanInputs::Extent;
    std::vector<std::pair<ScopeGroup, Extent>> stages;
    for (const ScopeGroup& group : whole_scopes()) stages.emplace_back(group, Extent::all);
    for (std::size_t threads = 2; threads < cpus_.size() && !options_.quick; threads *= 2) {
      const bool known = std::any_of(stages.begin(), stages.end(), [&](const auto& stage) {
        return stage.first.cpus.size() == threads;
      });
      if (!known)
        stages.emplace_back(
            ScopeGroup{"machine", {cpus_.begin(), cpus_.begin() + static_cast<long>(threads)}, {}},
            Extent::widest);
    }
    for (std::size_t i = 0; i < stages.size() && !is_interrupted(); ++i) {
      const double share_s = (left_s() - sustained_s - base_pages_s - placements_s()) /
                             static_cast<double>(stages.size() - i);
      constexpr double worth_starting_s = 0.2;
      if (i > 0 && share_s < worth_starting_s) {
        machine_.notes.push_back(
            fmt::format("No time was left for {} of {} scopes.", stages.size() - i, stages.size()));
        break;
      }
      const double span = 0.5 / static_cast<double>(stages.size());
      measure(stages[i].first, stages[i].second, share_s, 0.3 + span * static_cast<double>(i),
              span);
    }
    if (any_small_pool_)
      machine_.notes.push_back(
          "Memory was measured over less than 4 x the last cache (time or memory did not allow "
          "more): "
          "ceilings flagged small_pool may read high.");
  }

  /// One core is the whole machine.
  void copy_core_to_machine() {
    auto copy = [](auto& ceilings) {
      const std::size_t count = ceilings.size();
      for (std::size_t i = 0; i < count; ++i) {
        auto ceiling = ceilings[i];
        ceiling.scope = "machine";
        ceilings.push_back(ceiling);
      }
    };
    copy(machine_.compute);
    copy(machine_.bandwidth);
  }

  /// All cores at their widest FMA for a second: what the clock comes down to.
  void measure_sustained() {
    if (options_.quick || left_s() < 1.2) {
      if (!options_.quick)
        machine_.notes.push_back(
            "No time was left for the sustained clock: compute ceilings are bursts.");
      return;
    }
    PlanInputs inputs;
    inputs.threads = static_cast<unsigned>(cpus_.size());
    inputs.extent = PlanInputs::Extent::widest;
    inputs.chosen = chosen_;
    Plan plan = plan_stage(kernels_, inputs);
    StageLimits limits;
    limits.least_s = limits.most_s = 1.1;
    limits.trial_rounds = 0;
    limits.interrupted = options_.interrupted;
    run_stage(plan.tasks, cpus_, {}, limits, watch_,
              [&](double part) { tell(0.9 + 0.1 * part, "sustained"); });
    if (is_interrupted()) return;
    // The clock settles in the first half.
    for (Task& task : plan.tasks)
      task.rates.erase(task.rates.begin(),
                       task.rates.begin() + static_cast<long>(task.rates.size() / 2));
    for (ComputeCeiling& ceiling :
         harvest_stage(plan, "machine", inputs.threads, page_bytes_).compute) {
      ceiling.sustained = true;
      machine_.compute.push_back(std::move(ceiling));
    }
  }

  Machine finish() {
    if (watch_.uses_tsc()) machine_.tsc_hz = watch_.hz();
    machine_.measured_at = now_text();
    check_machine(machine_);
    note_noise();
    tell(1, "done");
    return std::move(machine_);
  }

  void note_noise() {
    const auto [noisy, all] = noisy_ceilings(machine_);
    if (noisy != 0)
      machine_.notes.push_back(
          fmt::format("{} of {} ceilings are flagged noisy: even their fastest windows disagree by "
                      "more than 5 %.",
                      noisy, all));
  }

  const MachineLayout& layout_;
  const MeasureOptions& options_;
  Stopwatch& watch_;
  const MeasureProgress& progress_;
  const std::vector<const Kernel*> kernels_;
  const std::vector<unsigned> cpus_;
  const std::vector<Placement> placements_;
  Machine machine_;
  std::vector<Buffer> buffers_;
  std::size_t pool_bytes_ = 0, memory_room_ = 0, chased_bytes_ = 0;
  double page_bytes_ = 0;
  double started_s_ = 0, told_s_ = 0;
  bool small_pool_ = false, any_small_pool_ = false, noted_unbound_ = false;
  std::set<const Kernel*> chosen_;
};

}  // namespace

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

Machine calibrate(const MachineLayout& layout, const MeasureOptions& options, Stopwatch& watch,
                  const MeasureProgress& progress) {
  return Calibration(layout, options, watch, progress).run();
}

}  // namespace roofmark
