#include "stage.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <optional>
#include <random>

#include "statistics.hpp"
#include "team.hpp"

namespace roofmark {
namespace {

/// Arrays start a little more than whole pages apart, so that a store and the next loads don't
/// share the low twelve bits of their address.
constexpr std::size_t array_skew = 1088;
constexpr std::size_t placement_step = 4096;

/// The trials bring a handful of windows, of which a task's own rank would be the luckiest one.
constexpr double rank_of_trial = 0.75;

std::size_t array_bytes(const Task& task) {
  return std::max(task.set_bytes / task.arrays / kernel_chunk_bytes, std::size_t{1}) *
         kernel_chunk_bytes;
}

std::size_t whole_chunks(double bytes) {
  return std::max(static_cast<std::size_t>(bytes) / kernel_chunk_bytes, std::size_t{1}) *
         kernel_chunk_bytes;
}

/// One thread's place in its memory.
struct Place {
  std::byte* base = nullptr;
  std::size_t stride = 0;  ///< from one array to the next
  std::size_t cursor = 0;  ///< of a stream

  KernelArrays arrays(std::size_t offset) const {
    std::byte* at = base + offset;
    return {at, at + stride, at + 2 * stride};
  }
};

/// The kernels write a and read b and c: with fewer arrays the missing ones are not used, but
/// read-only patterns must find theirs inside the buffer.
KernelArrays shifted_for(const Task& task, KernelArrays arrays) {
  if (task.arrays == 1) arrays.b = arrays.c = arrays.a;
  if (task.arrays == 2) arrays.c = arrays.b;
  return arrays;
}

struct alignas(128) Window {
  std::uint64_t start = 0, end = 0;
};

class Stage {
 public:
  Stage(std::vector<Task>& tasks, std::size_t threads, StageMemory memory,
        const StageLimits& limits, const Stopwatch& watch,
        const std::function<void(double)>& progress)
      : tasks_(tasks),
        threads_(threads),
        memory_(memory),
        limits_(limits),
        watch_(watch),
        progress_(progress),
        barrier_(static_cast<unsigned>(threads)),
        windows_(threads) {}

  void work(unsigned thread) {
    std::vector<Place> places(tasks_.size());
    double stream_at = 0;
    std::mt19937_64 random(thread + 1);
    if (thread == 0) started_s_ = monotonic_s();
    for (unsigned round = 0;; ++round) {
      if (thread == 0) decide(round);
      barrier_.wait();
      if (done_) return;
      for (std::size_t i = 0; i < tasks_.size(); ++i)
        if (takes_part_[i]) visit(tasks_[i], places[i], stream_at, thread, random);
      // Nobody decides on the next round while another still reads who is in this one.
      barrier_.wait();
    }
  }

 private:
  std::size_t wanted(const Task& task) const {
    const std::size_t part = task.window_factor > 1 ? 3 : 1;
    return std::max<std::size_t>(limits_.samples / part, 1);
  }
  double share_of_samples(const Task& task) const {
    return std::min(1.0,
                    static_cast<double>(task.rates.size()) / static_cast<double>(wanted(task)));
  }

  bool trial() const { return !last_trial_; }

  /// Who is in the next round. Dear tasks get this share of the time; what has twice its samples
  /// may rest. Half of the rounds are without those that lower the clock for a while: an upper
  /// quantile of the others' rates comes from these.
  void choose(double elapsed, unsigned round) {
    constexpr double dear_share = 0.4;
    const bool all_dear =
        std::all_of(tasks_.begin(), tasks_.end(), [](const Task& task) { return task.seldom; });
    const bool dear = all_dear || dear_s_ <= dear_share * elapsed;
    takes_part_.assign(tasks_.size(), false);
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const bool rests = tasks_[i].seldom && tasks_[i].rates.size() >= 2 * wanted(tasks_[i]);
      const bool unknown = tasks_[i].rates.empty();
      const bool away = tasks_[i].lowers_clock && !unknown && !trial() && round % 2 == 1;
      takes_part_[i] = !dropped_[i] && !rests && !away && (dear || unknown || !tasks_[i].seldom);
    }
  }

  /// The leader alone, while the others wait.
  void decide(unsigned round) {
    const double elapsed = monotonic_s() - started_s_;
    if (round == 0) dropped_.assign(tasks_.size(), false);
    // One trial has to do where it took all the time: threads that wait for each other on cores
    // that other programs use take a hundred times as long.
    const bool late = round > 0 && elapsed >= limits_.most_s;
    if (trial() && (round == limits_.trial_rounds || late)) {
      keep_best_two();
      last_trial_ = round;
    }
    double fewest = 1;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (!dropped_[i]) fewest = std::min(fewest, share_of_samples(tasks_[i]));
    const bool enough = fewest >= 1 && elapsed >= limits_.least_s;
    choose(elapsed, round);
    // The round after the trials is always made: on a slow machine these take all the time, and
    // most of what they brought was thrown away. Less time means fewer windows and not fewer
    // ceilings.
    const bool measured = last_trial_ && round > *last_trial_;
    done_ = measured && (enough || elapsed >= limits_.most_s);
    if (limits_.interrupted && limits_.interrupted()) done_ = true;
    if (progress_) {
      progress_(std::clamp(
          std::max(elapsed / limits_.most_s, std::min(fewest, elapsed / limits_.least_s)), 0.0,
          1.0));
    }
  }

  void keep_best_two() {
    std::map<std::size_t, std::vector<std::pair<double, std::size_t>>> by_ceiling;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      by_ceiling[tasks_[i].ceiling].emplace_back(quantile(tasks_[i].rates, rank_of_trial), i);
      // What was seen during the trials came before its windows had their length, but in long
      // streams.
      if (!tasks_[i].seldom) tasks_[i].rates.clear();
    }
    for (auto& [ceiling, candidates] : by_ceiling) {
      std::sort(candidates.rbegin(), candidates.rend());
      for (std::size_t rank = 2; rank < candidates.size(); ++rank)
        dropped_[candidates[rank].second] = true;
    }
  }

  /// `stream_at`: how far the streams of this thread have come in its memory, 0 to 1. They go on
  /// where the one before stopped: memory that another has just walked would still be in a cache.
  void visit(Task& task, Place& place, double& stream_at, unsigned thread,
             std::mt19937_64& random) {
    const bool moves = !task.level.empty();
    const double begun_s = thread == 0 && task.seldom ? monotonic_s() : 0;
    const auto one = static_cast<double>(array_bytes(task));
    if (task.in_place)
      place.cursor =
          static_cast<std::size_t>(stream_at * one) / kernel_chunk_bytes * kernel_chunk_bytes;
    if (moves && !prepare(task, place, thread, random)) {
      // Too little memory on this thread; all threads see the same sizes, so all agree.
      return;
    }
    for (unsigned i = 0; i < task.windows; ++i) {
      // Everybody's windows begin together and the leader adds them up.
      barrier_.wait();
      Window& window = windows_[thread];
      window.start = watch_.ticks();
      run(task, place);
      window.end = watch_.ticks();
      barrier_.wait();
      if (thread == 0) record(task);
    }
    if (task.in_place) stream_at = static_cast<double>(place.cursor) / one;
    if (thread == 0 && task.seldom) dear_s_ += monotonic_s() - begun_s;
    barrier_.wait();
  }

  bool prepare(const Task& task, Place& place, unsigned thread, std::mt19937_64& random) const {
    const Buffer& buffer = *memory_[thread];
    const std::size_t one = array_bytes(task);
    place.stride = one + array_skew;
    const std::size_t need = task.arrays * place.stride;
    const std::size_t have = smallest_memory();
    if (need > have) return false;
    if (task.in_place) {
      place.base = buffer.data();
    } else {
      // Another place each time: physical pages and cache sets differ in luck.
      const std::size_t places = (have - need) / placement_step + 1;
      place.base = buffer.data() + random() % places * placement_step;
      place.cursor = 0;
    }
    if (task.flushed) {
      place.cursor = 0;
      flush_from_caches(place.base, need);
      return true;
    }
    std::size_t warm = whole_chunks(static_cast<double>(task.warm_bytes) / task.arrays);
    while (warm != 0 && task.warm_bytes != 0) {
      if (place.cursor >= one) place.cursor = 0;
      const std::size_t step = std::min(warm, one - place.cursor);
      run_passes(*task.kernel, shifted_for(task, place.arrays(place.cursor)), step, 1);
      place.cursor += step;
      warm -= step;
    }
    return true;
  }

  void run(const Task& task, Place& place) const {
    if (task.level.empty()) return run_iterations(*task.kernel, task.repeats);
    if (task.slice_bytes == 0)
      return run_passes(*task.kernel, shifted_for(task, place.arrays(0)), array_bytes(task),
                        task.repeats);
    if (place.cursor + task.slice_bytes > array_bytes(task)) place.cursor = 0;
    run_passes(*task.kernel, shifted_for(task, place.arrays(place.cursor)), task.slice_bytes, 1);
    place.cursor += task.slice_bytes;
  }

  void record(Task& task) const {
    std::uint64_t first = windows_[0].start, last = windows_[0].end;
    for (const Window& window : windows_) {
      first = std::min(first, window.start);
      last = std::max(last, window.end);
    }
    const double seconds = watch_.window_s(last - first);
    task.rates.push_back(work_of(task) * static_cast<double>(threads_) / seconds);
    adapt(task, seconds);
  }

  /// Windows of the wanted length: long enough for the clock, short enough to be undisturbed.
  void adapt(Task& task, double seconds) const {
    const double factor = task.window_factor * limits_.window_s / seconds;
    if (factor > 0.5 && factor < 1.5) return;
    // A disturbed window is no reason to shorten the next ones, but by a little.
    const double step = std::clamp(factor, 0.7, 16.0);
    if (task.slice_bytes == 0) {
      task.repeats = std::max<std::uint64_t>(
          static_cast<std::uint64_t>(static_cast<double>(task.repeats) * step), 1);
      return;
    }
    task.slice_bytes =
        std::min(whole_chunks(static_cast<double>(task.slice_bytes) * step), array_bytes(task));
  }

  std::size_t smallest_memory() const {
    std::size_t least = memory_.empty() ? 0 : memory_[0]->touched();
    for (const Buffer* buffer : memory_) least = std::min(least, buffer->touched());
    return least;
  }

  std::vector<Task>& tasks_;
  const std::size_t threads_;
  StageMemory memory_;
  const StageLimits& limits_;
  const Stopwatch& watch_;
  const std::function<void(double)>& progress_;
  Barrier barrier_;
  std::vector<Window> windows_;
  std::vector<bool> dropped_;
  std::vector<bool> takes_part_;
  std::optional<unsigned> last_trial_;  ///< the round before which the best were chosen
  double started_s_ = 0;
  double dear_s_ = 0;  ///< spent on tasks that are `seldom`
  bool done_ = false;
};

}  // namespace

double work_of(const Task& task) {
  const auto repeats = static_cast<double>(task.repeats);
  if (task.kernel->kind == Kernel::Kind::clock)
    return repeats * static_cast<double>(task.kernel->instructions);
  if (task.level.empty()) return repeats * flop_per_iteration(*task.kernel);
  const std::size_t bytes = task.slice_bytes == 0 ? array_bytes(task) : task.slice_bytes;
  return static_cast<double>(bytes * task.arrays) * (task.slice_bytes == 0 ? repeats : 1);
}

const Task* best_task(std::span<const Task> tasks, std::size_t ceiling) {
  const Task* best = nullptr;
  for (const Task& task : tasks)
    if (task.ceiling == ceiling && !task.rates.empty() &&
        (best == nullptr || quantile(task.rates, task.rank) > quantile(best->rates, best->rank)))
      best = &task;
  return best;
}

bool run_stage(std::vector<Task>& tasks, std::span<const unsigned> cpus, StageMemory memory,
               const StageLimits& limits, const Stopwatch& watch,
               const std::function<void(double)>& progress) {
  if (tasks.empty() || cpus.empty()) return true;
  Stage stage(tasks, cpus.size(), memory.first(std::min(memory.size(), cpus.size())), limits, watch,
              progress);
  return run_on_cpus(cpus, [&](unsigned thread) { stage.work(thread); });
}

}  // namespace roofmark
