#include <algorithm>
#include <analysis/join/concurrency.hpp>
#include <analysis/join/join_cores.hpp>
#include <analysis/join/join_notes.hpp>

namespace roofmark {
namespace {

/// Threads that could work at this look. A process that only waits for its children, as a shell
/// does for its commands, is not one of them.
std::size_t working_threads(const PlacementSample& sample, const std::set<std::int64_t>& ranks) {
  std::set<std::int64_t> parents, running;
  for (const PlacementSample::Thread& thread : sample.threads) {
    parents.insert(thread.parent_pid);
    if (thread.running) running.insert(thread.pid);
  }
  return static_cast<std::size_t>(std::count_if(
      sample.threads.begin(), sample.threads.end(), [&](const PlacementSample::Thread& thread) {
        if (!ranks.empty()) return ranks.count(thread.pid) != 0;
        return parents.count(thread.pid) == 0 || running.count(thread.pid) != 0;
      }));
}

/// Threads of all processes, where the runtime recorded each from its first instruction: it does so
/// where it counts. Otherwise it knows those alone that entered a region, and the recorder's looks
/// miss threads that live between two of them.
std::optional<std::size_t> all_threads(const std::vector<RawProcess>& processes) {
  std::size_t threads = 0;
  for (const RawProcess& process : processes) {
    if (!process.counting || process.truncated || process.lost_visits > 0) return std::nullopt;
    for (const RawThread& thread : process.threads)
      threads += thread.folded ? thread.ended_threads : 1;
  }
  return threads > 0 ? std::optional(threads) : std::nullopt;
}

/// The same from a counted run, which sees every thread from its start, where it did all that the
/// timed one did.
std::optional<std::size_t> all_threads(const std::optional<CountedPass>& counted) {
  if (!counted || counted->doubt() || counted->hot_only || counted->processes.empty())
    return std::nullopt;
  std::size_t threads = 0;
  for (const ProcessCounts& process : counted->processes) threads += process.threads.size();
  return threads > 0 ? std::optional(threads) : std::nullopt;
}

/// Each look stands for the time until the next one, the last for what is left.
double lasted_s(const std::vector<PlacementSample>& looks, std::size_t i, double wall_s) {
  const double end_s = i + 1 < looks.size() ? looks[i + 1].time_s : wall_s;
  return std::max(0.0, end_s - looks[i].time_s);
}

/// The processor time that the program got, of that which its looks say it could have had.
double share_got(const std::vector<PlacementSample>& samples, const WholeProgram& whole) {
  if (!waited_much(whole) || samples.size() < many_looks) return 1;
  double ready_s = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::set<int> processors;
    for (const PlacementSample::Thread& thread : samples[i].threads)
      if (thread.running) processors.insert(thread.processor);
    ready_s += static_cast<double>(processors.size()) * lasted_s(samples, i, whole.wall_s);
  }
  return ready_s > 0 ? std::min(1.0, (whole.user_s + whole.system_s) / ready_s) : 1;
}

}  // namespace

void set_cores(Region& row, const RegionSamples& samples, const WholeProgram& whole,
               const CoresThatThereAre& there_are) {
  if (samples.cores) {
    const Observed& seen = *samples.cores;
    const double most = std::min(seen.high, std::max(seen.value, there_are.processors));
    // How the waiting was spread over regions nobody knows.
    if (there_are.got < 1)
      row.cores_used = Measure{seen.value * there_are.got, Source::estimated, 0, most};
    else
      row.cores_used = Measure{seen.value, Source::measured, seen.low, most};
    return;
  }
  if (!row.work.wall_s || !(row.work.wall_s->value > 0) || !(whole.wall_s > 0)) return;
  // Too short to have been looked at often: its own threads at least, and at most as many as would
  // have used all of the program's processor time in it.
  const double most = there_are.most_for(row);
  // Both of its times hold what it waited for a core.
  const double ready = std::min(row.work.thread_s->value / row.work.wall_s->value, most);
  const double own = ready * there_are.got;
  const double all = (whole.user_s + whole.system_s) / row.work.wall_s->value;
  row.cores_used =
      Measure{own, Source::estimated, there_are.got < 1 ? 0 : own, std::clamp(all, own, most)};
}

CoresThatThereAre cores_that_there_are(const JoinInput& input, const Machine& machine) {
  CoresThatThereAre made;
  const Topology& topology = machine.topology;
  // Of a machine that was not measured nothing is known, not even that it has one core.
  if (!topology.caches.empty() || !machine.compute.empty() || !machine.bandwidth.empty())
    made.processors = static_cast<double>(std::max({1U, topology.cores, topology.threads}));
  made.got = share_got(input.samples, input.whole);
  auto threads = all_threads(input.native);
  if (!threads) threads = all_threads(input.counted);
  if (threads) {
    std::size_t most = *threads;
    for (const PlacementSample& sample : input.samples)
      most = std::max(most, working_threads(sample, {}));
    made.threads = static_cast<double>(most);
  }
  return made;
}

std::uint64_t threads_at_once(const std::vector<PlacementSample>& samples,
                              const std::set<std::int64_t>& ranks, double wall_s) {
  std::vector<double> time_with;
  double seen_s = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t threads = working_threads(samples[i], ranks);
    if (time_with.size() <= threads) time_with.resize(threads + 1, 0.0);
    const double with_s = lasted_s(samples, i, wall_s);
    time_with[threads] += with_s;
    seen_s += with_s;
  }
  return most_that_lasted(time_with, seen_s);
}

}  // namespace roofmark
