#include "perf_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <roofmark/roofline.hpp>
#include <set>
#include <tuple>

#include "analysis/import/event_name.hpp"
#include "analysis/profile/profile_fields.hpp"

namespace roofmark::import {
namespace {

constexpr const char* ask = "perf stat -x, -o FILE.csv -e duration_time,task-clock,{} -- ./app";

/// A share this near to all of the time is all of it: perf prints two digits.
constexpr double whole_share = 0.9995;

/// `where` of a process or thread: "name-4711".
bool is_thread(const std::string& where) {
  const std::size_t dash = where.rfind('-');
  return dash != std::string::npos && dash + 1 < where.size() &&
         where.find_first_not_of("0123456789", dash + 1) == std::string::npos &&
         where.find("-D") == std::string::npos && where.find("-C") == std::string::npos;
}

bool is_clock(const std::string& name) {
  return name == "task-clock" || name == "cpu-clock";
}

/// The time of a run as perf's clocks tell it.
class Times {
 public:
  void add(const PerfRow& row) {
    if (row.interval_end_s) last_interval_s_ = std::max(last_interval_s_, *row.interval_end_s);
    if (!row.value) return;
    const std::string name = event_name(row.event).core;
    const double value = *row.value * seconds_per_unit(row, name);
    if (name == "duration_time") {
      // Of several processors or sockets each has all of it.
      if (row.interval_end_s)
        duration_s_ = duration_s_.value_or(0) + value;
      else
        duration_s_ = std::max(duration_s_.value_or(0), value);
    }
    if (!is_clock(name)) return;
    busy_s_ = busy_s_.value_or(0) + value;
    if (!row.interval_end_s && row.where.empty() && row.metric && *row.metric > 0 &&
        row.metric_unit == "CPUs utilized") {
      const double half = 0.5 * std::pow(10.0, -row.metric_digits);
      if (*row.metric > 2 * half)
        by_cores_ = Measure{value / *row.metric, Source::measured, value / (*row.metric + half),
                            value / (*row.metric - half)};
    }
  }

  /// Versions that print no unit give clocks in milliseconds and times in nanoseconds.
  static double seconds_per_unit(const PerfRow& row, const std::string& name) {
    if (row.unit.empty()) return is_clock(name) ? 1e-3 : 1e-9;
    return row.unit == "msec" ? 1e-3 : 1e-9;
  }

  std::optional<Measure> wall() const {
    if (duration_s_ && *duration_s_ > 0) return Measure{*duration_s_, Source::measured, {}, {}};
    if (last_interval_s_ > 0) return Measure{last_interval_s_, Source::measured, {}, {}};
    return by_cores_;
  }
  std::optional<double> busy_s() const { return busy_s_; }

 private:
  std::optional<double> duration_s_, busy_s_;
  double last_interval_s_ = 0;
  std::optional<Measure> by_cores_;
};

bool is_time(const PerfRow& row) {
  if (row.unit == "msec" || row.unit == "ns") return true;
  const std::string name = event_name(row.event).core;  // old versions print no unit
  return is_clock(name) || name == "duration_time" || name == "user_time" || name == "system_time";
}

/// Rows of one event are parts of one count; where a part has no value, the whole has none.
EventReadings readings_of(const std::vector<PerfRow>& rows) {
  EventReadings all;
  std::map<std::string, std::pair<int, int>> parts;  // absent, all
  std::set<std::tuple<std::string, std::string, double>> seen;
  for (const PerfRow& row : rows) {
    if (is_time(row)) continue;
    // Asked for twice, an event of a core has all of its count in each row; PMUs of a socket that
    // perf prints under one name have their parts.
    const bool parts_of_one = !row.unit.empty() || is_outside_cores(event_name(row.event).pmu) ||
                              row.event.starts_with("unc_") || row.event.starts_with("UNC_");
    if (!parts_of_one && row.value &&
        !seen.emplace(row.event, row.where, row.interval_end_s.value_or(-1)).second)
      continue;
    EventReading& sum = all[row.event];
    sum.unit = row.unit;
    sum.of_socket = is_outside_cores(event_name(row.event).pmu);
    auto& [absent, count] = parts[row.event];
    ++count;
    if (!row.value) {
      ++absent;
      if (!sum.problem) sum.problem = row.absent;
      continue;
    }
    sum.value += *row.value;
    if (row.running < whole_share) sum.running = std::min(sum.running, row.running);
    if (row.variance && sum.caveats.empty())
      sum.caveats.push_back(
          fmt::format("the mean of several runs, ± {:.2g} %", 100 * *row.variance));
  }
  for (auto& [event, sum] : all) {
    const auto [absent, count] = parts[event];
    if (absent > 0 && absent < count)
      sum.problem = fmt::format("{} in {} of {} rows", *sum.problem, absent, count);
    else if (sum.problem)
      sum.problem = "perf says: " + *sum.problem;
  }
  return all;
}

void note_places(const std::vector<PerfRow>& rows, bool system_wide, Profile& profile) {
  std::set<std::string> places;
  for (const PerfRow& row : rows)
    if (!row.where.empty()) places.insert(row.where);
  if (places.size() > 1)
    profile.notes.push_back(
        fmt::format("Counts of {} are added up: {}, ... {}.",
                    std::all_of(places.begin(), places.end(), is_thread) ? "threads" : "processors",
                    *places.begin(), *places.rbegin()));
  if (system_wide)
    profile.notes.push_back(
        "perf counted system-wide: all programs that ran on these processors are in the counts.");
}

}  // namespace

Profile profile_of(const std::vector<PerfRow>& rows, const std::string& name,
                   const KnownEvents& known, Machine machine, bool alone) {
  Profile profile;
  profile.program.command = {"perf", "stat", name};
  profile.program.exit_status = unknown_exit_status;
  profile.machine = std::move(machine);
  Times times;
  for (const PerfRow& row : rows) times.add(row);
  const EventReadings readings = readings_of(rows);

  Region region;
  region.visits = 1;
  region.work.wall_s = times.wall();
  if (!region.work.wall_s)
    region.missing.push_back({"time.wall", "no clock of the run is in the file",
                              "perf stat -e duration_time,... (or task-clock)"});
  // Memory controllers count for all programs; what cores counted beside them did not for that.
  const bool system_wide = std::any_of(rows.begin(), rows.end(), [](const PerfRow& row) {
    return !row.where.empty() && !is_thread(row.where);
  });
  // Of all processors the busy time is no thread's: idle ones are in it. Without places in the rows
  // events of a socket are the one sign of that.
  if (const auto busy_s = times.busy_s();
      busy_s && !system_wide && !known.has_socket_events(readings)) {
    region.work.thread_s = Measure{*busy_s, Source::measured, {}, {}};
    if (const auto& wall = region.work.wall_s; wall && wall->value > 0)
      region.cores_used = Measure{*busy_s / wall->value, Source::measured, {}, {}};
  }
  known.put(readings, {"perf", system_wide ? Scope::socket : Scope::process, ask}, region);
  if (known.empty())
    region.missing.push_back(
        {"flop", "no event table is for this processor, so that its events have no meaning here",
         "--machine FILE or --cpuinfo FILE of the machine that perf ran on"});
  if (alone) region.flags.insert("owns_socket");
  region.self = region.work;
  profile.passes.push_back({"counts", "perf stat", std::nullopt,
                            region.work.wall_s ? region.work.wall_s->value : 0, 1.0, ""});
  note_places(rows, system_wide, profile);
  if (std::any_of(rows.begin(), rows.end(), [](const PerfRow& row) { return row.variance; }))
    profile.notes.push_back("The numbers are means of several runs (perf stat -r).");
  profile.notes.push_back(known.empty()
                              ? "Imported from perf stat."
                              : "Imported from perf stat; events are read by the table of " +
                                    known.title() + ".");
  profile.regions.push_back(std::move(region));
  judge(profile);
  return profile;
}

}  // namespace roofmark::import
