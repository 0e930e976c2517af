#include <algorithm>
#include <analysis/join/join.hpp>
#include <analysis/join/join_ranks.hpp>
#include <analysis/join/join_times.hpp>
#include <cmath>
#include <limits>

namespace roofmark {
namespace {

/// How long a path was open on any thread: at least as long as on its longest, at most the sum, and
/// not longer than from the first entry to the last exit. Looks narrow that down: the sum divided
/// by the number of threads in it at once.
Measure wall_of(double longest_s, double sum_s, double window_s,
                const std::optional<Observed>& depth) {
  double low = longest_s;
  double high = std::max(low, std::min(sum_s, window_s));
  if (!depth || high <= low * (1 + exact_enough) || depth->value <= 0)
    return between(low, high, (low + high) / 2);
  const double best = std::clamp(sum_s / depth->value, low, high);
  if (depth->low > 0) high = std::clamp(sum_s / depth->low, best, high);
  low = std::clamp(sum_s / depth->high, low, best);
  return between(low, high, best);
}

/// What may have lasted for longer than it was seen.
Measure until_unknown_end(const Measure& seen, double unknown_s, double most_s) {
  if (!(unknown_s > 0)) return seen;
  const double low = seen.low.value_or(seen.value), high = seen.high.value_or(seen.value);
  const double last = std::max(high, std::min(high + unknown_s, most_s));
  Measure made = between(low, last, (low + last) / 2);
  if (made.high) made.source = Source::estimated;
  return made;
}

VisitTimes visit_times(const MergedRegion& region) {
  const double closed = static_cast<double>(region.closed_visits);
  // The markers inside a visit are known on average.
  const double marker_s = region.marker_s / std::max(1.0, static_cast<double>(region.visits));
  const auto without = [&](double time_s) { return std::max(0.0, time_s - marker_s); };
  VisitTimes times;
  times.min = without(region.min_s);
  times.max = without(region.max_s);
  times.first = without(region.first_s);
  const double mean_s = region.sum_s / closed;
  // A mean has in it what a forked child spent in a visit that its parent began: more than any
  // visit of its own.
  times.median = without(mean_s);
  if (const auto ticks = region.histogram.quantile(0.5); ticks && region.closed_visits > 1)
    times.median = without(*ticks / region.ticks_per_second);
  times.median = std::clamp(times.median, times.min, std::max(times.min, times.max));
  times.stddev = std::sqrt(std::max(0.0, region.sum_of_squares / closed - mean_s * mean_s));
  return times;
}

}  // namespace

Measure between(double low, double high, double best) {
  Measure measure;
  measure.source = Source::measured;
  high = std::max(low, high);
  measure.value = std::clamp(best, low, high);
  if (high > low * (1 + exact_enough)) {
    measure.low = low;
    measure.high = high;
  }
  return measure;
}

void set_times(Region& row, const MergedRegion& region, const RegionSamples& samples) {
  if (region.ticks_per_second == 0 && region.open_visits == 0) {
    row.missing.push_back({"time.wall", "the clock of this process could not be calibrated",
                           "record a run of more than a few milliseconds"});
    return;
  }
  const double window_s = region.last_possible_exit_s - region.first_entry_s;
  const auto no_limit = std::numeric_limits<double>::infinity();
  const auto set = [&](Work& work, double longest_s, double thread_s, double unknown_s) {
    work.wall_s = until_unknown_end(wall_of(longest_s, thread_s, region.window_s, samples.depth),
                                    unknown_s, window_s);
    work.thread_s =
        until_unknown_end(Measure{thread_s, Source::measured, {}, {}}, unknown_s, no_limit);
  };
  set(row.work, region.longest_s, region.thread_s, region.unknown_end_s);
  set(row.self, region.longest_self_s, region.self_thread_s, region.self_unknown_end_s);
  row.marker_s = region.marker_s;
  if (region.closed_visits > 0) row.visit_s = visit_times(region);
  const double mean_closed_s =
      region.closed_visits > 0 ? region.sum_s / static_cast<double>(region.closed_visits) : 0;
  if (row.visit_s && row.visit_s->stddev > noisy_scatter * mean_closed_s) row.flags.insert("noisy");
  row.ranks = region.ranks;
  if (region.ranks && region.ranks->mean_s > 0)
    row.imbalance = region.ranks->max_s / region.ranks->mean_s;
  else if (region.threads > 1 && region.thread_s > 0)
    row.imbalance = region.longest_s / (region.thread_s / static_cast<double>(region.threads));
  const double mean_visit_s =
      (region.thread_s + region.unknown_end_s) / static_cast<double>(region.visits);
  if (mean_visit_s < too_small_markers * region.marker_cost_s) row.flags.insert("too_small");
}

void set_counted_visits(Region& row, const SelfCounts& counts) {
  row.missing.push_back({"time.wall", "the timed run could not see its calls", ""});
  if (counts.seen && !counts.passed_over && !counts.partial) {
    row.visits = counts.visits;
    row.visits_source = Source::counted;
  } else {
    row.missing.push_back(
        {"visits", "the counted run did not see all of them", "a longer --budget"});
  }
}

void set_waiting(Region& row, const MergedRegion& region, const RegionSamples& samples) {
  if (!region.mpi_s.empty()) {
    std::vector<RankTime> times;
    double sum_s = 0;
    // A rank that made no call there has waited for none.
    std::set<unsigned> ranks;
    for (const ProcessShare& share : region.shares) ranks.insert(share.rank.value_or(0));
    for (const auto& [rank, time_s] : region.mpi_s) ranks.insert(rank);
    for (const unsigned rank : ranks) {
      const auto found = region.mpi_s.find(rank);
      times.push_back({rank, found != region.mpi_s.end() ? found->second : 0});
      sum_s += times.back().time_s;
    }
    row.mpi_s = Measure{sum_s / static_cast<double>(times.size()), Source::measured, {}, {}};
    row.mpi_ranks = spread_of(std::move(times));
  }
  if (samples.asleep && row.work.wall_s && samples.asleep->high > 0) {
    const double wall_s = *mean_rank_s(row);
    row.off_cpu_s =
        Measure{samples.asleep->value * wall_s, Source::estimated, samples.asleep->low * wall_s,
                std::min(1.0, samples.asleep->high) * wall_s};
  }
}

void set_sleep_of_job(std::vector<Region>& rows) {
  if (rows.empty() || !rows.front().path.empty() || !rows.front().mpi_s) return;
  Region& job = rows.front();
  Measure slept{0, Source::estimated, 0, 0};
  bool seen = false;
  for (const Region& row : rows) {
    if (row.path.size() != 1 || !row.off_cpu_s) continue;
    seen = true;
    slept.value += row.off_cpu_s->value;
    slept.low = *slept.low + row.off_cpu_s->low.value_or(row.off_cpu_s->value);
    slept.high = *slept.high + row.off_cpu_s->high.value_or(row.off_cpu_s->value);
  }
  if (!seen) return;
  if (job.self.wall_s) slept.high = *slept.high + job.self.wall_s->value;
  job.off_cpu_s = slept;
}

}  // namespace roofmark
