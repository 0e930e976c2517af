#include "snapshot.hpp"

#include <algorithm>
#include <analysis/arena/arena_reader.hpp>
#include <analysis/join/join.hpp>
#include <analysis/record/clock.hpp>
#include <array>
#include <map>
#include <roofmark/roofline.hpp>

namespace roofmark::live {
namespace {

double flop_of(const Work& work) {
  double sum = 0;
  for (const auto& [precision, count] : work.flop) sum += static_cast<double>(count.value);
  // Declared work is of no precision that a count could be added to.
  if (sum == 0 && work.declared_flop) sum = static_cast<double>(work.declared_flop->value);
  return sum;
}

double thread_seconds(const Work& work) {
  return work.thread_s ? work.thread_s->value : 0;
}

/// From the outermost on.
constexpr std::array levels = {"HBM", "DRAM", "L3", "L2", "L1"};

/// What is counted of the bytes at a level.
std::optional<double> bytes_of(const Work& work, const std::string& level) {
  const auto found = work.bytes.find(level);
  if (found == work.bytes.end()) return std::nullopt;
  const Traffic& traffic = found->second;
  if (traffic.total) return static_cast<double>(traffic.total->value);
  if (!traffic.read && !traffic.write) return std::nullopt;
  return static_cast<double>((traffic.read ? traffic.read->value : 0) +
                             (traffic.write ? traffic.write->value : 0));
}

}  // namespace

void find_level(Snapshot& snapshot) {
  for (const char* level : levels) {
    bool read = false, write = false;
    for (const Region& region : snapshot.profile.regions) {
      const auto found = region.work.bytes.find(level);
      if (found == region.work.bytes.end()) continue;
      read = read || found->second.read || found->second.total;
      write = write || found->second.write || found->second.total;
    }
    if (!read && !write) continue;
    snapshot.level = level;
    snapshot.directions = !write ? "read" : !read ? "write" : "both";
    return;
  }
}

std::optional<Snapshot> look(const Recording& recording, const Machine& machine,
                             const Counting& counting) {
  const auto times = times_of(recording.pid);
  if (!times) return std::nullopt;
  JoinInput input;
  std::vector<Problem> problems;  // a file that is just being made is none
  input.native = read_arenas(recording.directory.string(), problems);
  Snapshot now;
  now.raw_s = raw_s();
  input.whole.pid = recording.pid;
  input.whole.wall_s = times->age_s;
  input.whole.user_s = times->user_s;
  input.whole.system_s = times->system_s;
  input.whole.ended_raw_s = now.raw_s;
  now.profile.machine = machine;
  input.measured = counting.passes;
  now.why_not_counted = counting.why_not;
  join(input, now.profile);
  judge(now.profile);
  find_level(now);
  return now;
}

std::vector<Row> rows_of(const std::optional<Snapshot>& before, const Snapshot& now) {
  std::map<std::vector<std::string>, const Region*> earlier;
  if (before)
    for (const Region& region : before->profile.regions) earlier[region.path] = &region;
  const Region* whole = nullptr;
  for (const Region& region : now.profile.regions)
    if (region.path.empty()) whole = &region;
  const double interval_s = before                        ? now.raw_s - before->raw_s
                            : whole && whole->work.wall_s ? whole->work.wall_s->value
                                                          : 0;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < now.profile.regions.size(); ++i) {
    const Region& region = now.profile.regions[i];
    const auto found = earlier.find(region.path);
    const Region* const old = found == earlier.end() ? nullptr : found->second;
    Row row;
    row.region = i;
    row.open = region.flags.count("unclosed") > 0;
    if (interval_s > 0) {
      const double busy_s = thread_seconds(region.self) - (old ? thread_seconds(old->self) : 0);
      row.busy_threads = std::max(0.0, busy_s / interval_s);
      const std::uint64_t visits = region.visits - std::min(region.visits, old ? old->visits : 0);
      row.visits_per_s = static_cast<double>(visits) / interval_s;
      const double flop = flop_of(region.work) - (old ? flop_of(old->work) : 0);
      if (flop_of(region.work) > 0) row.flop_per_s = std::max(0.0, flop / interval_s);
      if (const auto bytes = bytes_of(region.work, now.level))
        row.bytes_per_s = std::max(
            0.0, (*bytes - (old ? bytes_of(old->work, now.level).value_or(0) : 0)) / interval_s);
    }
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.busy_threads > b.busy_threads; });
  return rows;
}

}  // namespace roofmark::live
