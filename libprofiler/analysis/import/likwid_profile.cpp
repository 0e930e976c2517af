#include "likwid_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <roofmark/roofline.hpp>
#include <set>

#include "analysis/profile/profile_fields.hpp"
#include "import_data.hpp"

namespace roofmark::import {
namespace {

using Json = nlohmann::json;

/// The table of metrics. Ours, and compiled in: a fault in it is a fault of the build.
const Json& table() {
  static const Json json = Json::parse(likwid_text());
  return json;
}

std::string text_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? std::string() : found->get<std::string>();
}

/// Nothing where one of the threads has no value.
std::optional<double> sum_of(const LikwidValues& row) {
  double sum = 0;
  for (const auto& value : row) {
    if (!value) return std::nullopt;
    sum += *value;
  }
  return row.empty() ? std::nullopt : std::optional(sum);
}

std::optional<double> most_of(const LikwidValues& row) {
  std::optional<double> most;
  for (const auto& value : row)
    if (value) most = std::max(most.value_or(0), *value);
  return most;
}

/// The time in which a group counted, by hardware thread.
LikwidValues times_of(const LikwidGroup& group) {
  if (!group.time_s.empty()) return group.time_s;
  for (const Json& name : table()["time"]) {
    if (const auto metric = group.metrics.find(name.get<std::string>());
        metric != group.metrics.end())
      return metric->second;
    for (const LikwidGroup::Event& event : group.events)
      if (event.name == name.get<std::string>()) return event.values;
  }
  return {};
}

bool is_time(const std::string& event) {
  return std::any_of(table()["time"].begin(), table()["time"].end(),
                     [&](const Json& name) { return name == event; });
}

/// Counters of a hardware thread are those of its core; all others count for whoever uses what they
/// are of: memory controllers, links, caches and power of a socket.
bool is_of_socket(const std::string& counter) {
  for (const Json& name : table()["core_counters"])
    if (counter.starts_with(name.get<std::string>())) return false;
  return !counter.empty();
}

EventReadings readings_of(const LikwidGroup& group, double factor) {
  EventReadings readings;
  for (const LikwidGroup::Event& event : group.events) {
    if (is_time(event.name)) continue;
    EventReading& reading = readings[event.name];
    reading.of_socket = reading.of_socket || is_of_socket(event.counter);
    const auto sum = sum_of(event.values);
    if (sum)
      reading.value += *sum * factor;
    else
      reading.problem = "a hardware thread has no value of it";
    if (factor > 1) reading.running = 1 / factor;
  }
  return readings;
}

/// Regions of one name, over its groups.
class MarkedRegion {
 public:
  MarkedRegion(const std::string& name, const std::string& cpu_type) : cpu_type_(cpu_type) {
    if (!name.empty()) region_.path = {name};
  }

  void add(const LikwidGroup& group) { groups_.push_back(&group); }

  Region region(const KnownEvents& known, bool alone) {
    put_times();
    for (const LikwidGroup* group : groups_) {
      const double factor = part_of(*group);
      Region counted;
      known.put(readings_of(*group, factor),
                {"likwid", Scope::thread, "likwid-perfctr -C CPUS -g GROUP -O ./app"}, counted);
      merge(counted.work);
      put_metrics(*group, factor);
    }
    put_missing();
    if (alone) region_.flags.insert("owns_socket");
    region_.self = region_.work;
    return region_;
  }

 private:
  void put_times() {
    double wall_s = 0, thread_s = 0, calls = 0;
    bool called = true;
    std::size_t threads = 0;
    bool timed = !groups_.empty();
    for (const LikwidGroup* group : groups_) {
      const LikwidValues times = times_of(*group);
      const auto longest = most_of(times), all = sum_of(times);
      timed = timed && longest && all && *longest > 0;
      wall_s += longest.value_or(0);
      thread_s += all.value_or(0);
      called = called && most_of(group->calls).has_value();
      calls += most_of(group->calls).value_or(0);
      std::size_t working = 0;
      for (const auto& time : times) working += time && *time > 0 ? 1 : 0;
      threads = std::max(threads, working);
    }
    region_.threads = threads;
    region_.visits = region_.path.empty() ? 1 : static_cast<std::uint64_t>(std::llround(calls));
    if (!region_.path.empty() && !called)
      region_.missing.push_back({"visits", "the table has no count of calls",
                                 "likwid-perfctr -m ..., with the table of each region's facts"});
    if (!timed) {
      region_.missing.push_back({"time.wall", "a group of the table has no time",
                                 "likwid-perfctr -g with a group of its own names"});
      return;
    }
    wall_s_ = wall_s;
    region_.work.wall_s = Measure{wall_s, Source::measured, {}, {}};
    region_.work.thread_s = Measure{thread_s, Source::measured, {}, {}};
    region_.cores_used = Measure{thread_s / wall_s, Source::measured, {}, {}};
    if (threads > 1) region_.imbalance = wall_s / (thread_s / static_cast<double>(threads));
  }

  /// All of the time to the part of it in which a group counted.
  double part_of(const LikwidGroup& group) const {
    if (groups_.size() < 2 || !wall_s_) return 1;
    const auto own = most_of(times_of(group));
    return own && *own > 0 ? *wall_s_ / *own : 1;
  }

  /// What the group counted first stays: groups have events in common.
  void merge(const Work& work) {
    for (const auto& [precision, count] : work.flop) region_.work.flop.emplace(precision, count);
    for (const auto& [name, count] : work.operations) region_.work.operations.emplace(name, count);
    for (const auto& [name, count] : work.events) region_.work.events.emplace(name, count);
    for (const auto& [level, traffic] : work.bytes) {
      Traffic& mine = region_.work.bytes[level];
      if (!mine.read) mine.read = traffic.read;
      if (!mine.write) mine.write = traffic.write;
      if (!mine.total) mine.total = traffic.total;
    }
  }

  void put_metrics(const LikwidGroup& group, double factor) {
    for (const Json& entry : table()["metrics"]) {
      const auto found = group.metrics.find(text_at(entry, "metric"));
      if (found == group.metrics.end()) continue;
      Count count;
      count.collector = "likwid";
      count.source = factor > 1 ? Source::estimated : Source::measured;
      count.scope = text_at(entry, "scope") == "socket" ? Scope::socket : Scope::thread;
      double sum = 0;
      bool whole = true;
      const LikwidValues times = times_of(group);
      for (std::size_t t = 0; t < found->second.size(); ++t) {
        const auto& value = found->second[t];
        const bool has_time = t < times.size() && times[t];
        // A thread that was never in the region has no rate, and did nothing.
        if (!value && has_time && *times[t] <= 0) continue;
        // Nor has one a rate that was there for no time.
        const bool no_time = entry.contains("per_second") && (!has_time || *times[t] <= 0);
        if (!value || (no_time && *value > 0)) {
          whole = false;
          break;
        }
        sum += entry.contains("per_second") ? *value * entry["per_second"].get<double>() * *times[t]
                                            : *value * entry["times"].get<double>();
      }
      constexpr double most = 9e18;
      if (!whole || sum * factor > most) {
        unusable_.emplace(text_at(entry, "quantity"),
                          fmt::format("{} of group {} {}", text_at(entry, "metric"), group.name,
                                      whole ? "is more than any count"
                                            : "has no usable value of a hardware thread"));
        continue;
      }
      count.value = static_cast<std::uint64_t>(std::llround(std::min(sum * factor, 9e18)));
      count.caveats.push_back("from a metric of LIKWID, as far as its printed digits go");
      if (factor > 1)
        count.caveats.push_back(
            fmt::format("counted for {:.0f} % of the time, in one of several groups, and scaled",
                        100 / factor));
      std::string quantity = text_at(entry, "quantity");
      if (const auto unless = entry.find("unless_cpu"); unless != entry.end())
        for (const Json& cpu : *unless)
          if (cpu_type_.find(cpu.get<std::string>()) != std::string::npos) {
            quantity = text_at(entry, "instead");
            count.caveats.push_back(text_at(entry, "caveat_instead"));
            break;
          }
      put_new(quantity, std::move(count));
    }
  }

  /// Where events did not give it already.
  void put_new(const std::string& quantity, Count count) {
    Work made;
    put_quantity(made, quantity, std::move(count));
    merge(made);
  }

  void put_missing() {
    for (const Json& entry : table()["ask"]) {
      const std::string quantity = text_at(entry, "quantity");
      if (is_counted(quantity)) continue;
      const auto unusable = unusable_.lower_bound(quantity);
      const bool told =
          unusable != unusable_.end() && unusable->first.compare(0, quantity.size(), quantity) == 0;
      region_.missing.push_back({quantity, told ? unusable->second : "no group in the table has it",
                                 "likwid-perfctr -g " + text_at(entry, "group") + " -O ./app"});
    }
    if (region_.work.flop.empty())
      region_.missing.push_back({"flop",
                                 unusable_.lower_bound("flop.") != unusable_.end()
                                     ? unusable_.lower_bound("flop.")->second
                                     : "no group in the table counts FLOPs",
                                 "likwid-perfctr -g FLOPS_DP -O ./app"});
  }

  bool is_counted(const std::string& quantity) const {
    if (quantity.rfind("flop.", 0) == 0) {
      const auto precision = parse_word<Precision>(quantity.substr(5));
      return precision && (region_.work.flop.count(*precision) > 0 ||
                           region_.work.flop.count(Precision::any) > 0);
    }
    const auto traffic = region_.work.bytes.find(quantity.substr(6));
    return traffic != region_.work.bytes.end() &&
           (traffic->second.total || (traffic->second.read && traffic->second.write));
  }

  const std::string& cpu_type_;
  Region region_;
  std::optional<double> wall_s_;
  std::vector<const LikwidGroup*> groups_;
  std::map<std::string, std::string> unusable_;  ///< by quantity: what of it can't be used
};

}  // namespace

Result<Profile> profile_of(const LikwidTables& tables, const std::string& name,
                           const KnownEvents& known, Machine machine, bool alone) {
  if (tables.groups.empty())
    return tl::unexpected(
        Problem{"it has groups of GPUs alone", name, "roofmark import ncu, of a table of ncu"});
  Profile profile;
  profile.program.command = {"likwid-perfctr", name};
  profile.program.exit_status = unknown_exit_status;
  profile.machine = std::move(machine);
  std::vector<std::string> order;
  std::map<std::string, MarkedRegion> regions;
  std::set<unsigned> groups;
  for (const LikwidGroup& group : tables.groups) {
    const auto [place, fresh] = regions.try_emplace(group.region, group.region, tables.cpu_type);
    if (fresh) order.push_back(group.region);
    place->second.add(group);
    groups.insert(group.number);
  }
  double total_s = 0;
  for (const std::string& region : order) {
    profile.regions.push_back(regions.at(region).region(known, alone));
    if (const auto& wall = profile.regions.back().work.wall_s) total_s += wall->value;
  }
  profile.passes.push_back({"counts", "likwid-perfctr", std::nullopt, total_s, 1.0, ""});
  if (groups.size() > 1)
    profile.notes.push_back(
        "The groups of the table counted one after the other: each number is scaled from the part "
        "of the time in which its group did.");
  const auto model = profile.machine.identity.find("cpu_model");
  if (model != profile.machine.identity.end() && !tables.cpu_name.empty() &&
      model->second != tables.cpu_name)
    profile.notes.push_back(fmt::format(
        "LIKWID ran on \"{}\", the ceilings are those of \"{}\": shares of the roof are of that "
        "machine.",
        tables.cpu_name, model->second));
  if (tables.has_gpu) profile.notes.push_back("Groups of GPUs in the table are not imported.");
  profile.notes.push_back(
      "Imported from LIKWID, which counts all that runs on the hardware threads "
      "that it was given.");
  judge(profile);
  return profile;
}

}  // namespace roofmark::import
