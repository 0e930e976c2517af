// Source of the format: "Trace Event Format", Google, 2016: complete events (X), begins without an
// end (B) and metadata (M); Perfetto reads it.
#include <fmt/format.h>

#include <algorithm>
#include <analysis/join/region_tree.hpp>
#include <analysis/json/json_writer.hpp>
#include <analysis/trace/trace.hpp>
#include <analysis/trace/trace_regions.hpp>
#include <analysis/trace/trace_verdicts.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

namespace roofmark {
namespace {

double first_start(const Trace& trace) {
  double first_s = std::numeric_limits<double>::infinity();
  for (const TracedProcess& process : trace.processes) {
    for (const auto& visit : process.visits) first_s = std::min(first_s, visit.start_s);
    for (const auto& open : process.open) first_s = std::min(first_s, open.start_s);
  }
  return std::isfinite(first_s) ? first_s : 0;
}

/// Microseconds, to the nanosecond.
double microseconds(double seconds) {
  return std::round(seconds * 1e9) * 1e-3;
}

class Events {
 public:
  explicit Events(double zero_s) : zero_s_(zero_s) {}

  void begin(const char* phase, std::string_view name, std::int64_t pid, std::int64_t tid) {
    json_.new_line();
    json_.open_object();
    json_.key("name");
    json_.text(name);
    json_.key("ph");
    json_.text(phase);
    json_.key("pid");
    json_.integer(pid);
    json_.key("tid");
    json_.integer(tid);
  }
  void end() { json_.close_object(); }

  void time(const char* key, double value_us) {
    json_.key(key);
    json_.raw(fmt::format("{:.3f}", value_us));
  }

  void metadata(const char* what, const std::string& name, std::int64_t pid, std::int64_t tid) {
    begin("M", what, pid, tid);
    json_.key("args");
    json_.open_object();
    json_.key("name");
    json_.text(name);
    json_.close_object();
    end();
  }

  void visit(std::string_view name, std::int64_t pid, std::int64_t tid, double start_s,
             double duration_s, bool inherited, const std::string& members) {
    begin("X", name, pid, tid);
    json_.key("cat");
    json_.text(inherited ? "region,inherited" : "region");
    time("ts", microseconds(start_s - zero_s_));
    time("dur", microseconds(duration_s));
    arguments(members);
    end();
  }

  void open(std::string_view name, std::int64_t pid, std::int64_t tid, double start_s,
            bool inherited, const std::string& members) {
    begin("B", name, pid, tid);
    json_.key("cat");
    json_.text(inherited ? "region,unclosed,inherited" : "region,unclosed");
    time("ts", microseconds(start_s - zero_s_));
    arguments(members);
    end();
  }

  JsonWriter& json() { return json_; }

 private:
  void arguments(const std::string& members) {
    if (members.empty()) return;
    json_.key("args");
    json_.raw("{" + members + "}");
  }

  JsonWriter json_;
  double zero_s_;
};

std::string name_of(const TracedProcess& process) {
  const std::string file = std::filesystem::path(process.executable).filename().string();
  std::string name = file.empty() ? "process" : file;
  if (process.rank) name = fmt::format("rank {}: {}", *process.rank, name);
  return name;
}

/// Viewers tell processes apart by number alone; two hosts of a job may have the same.
std::map<std::pair<std::string, int>, std::int64_t> numbers_of(const Trace& trace) {
  std::map<std::pair<std::string, int>, std::int64_t> numbers;
  std::set<std::int64_t> taken;
  for (const TracedProcess& process : trace.processes) {
    const std::pair key{process.host, process.pid};
    if (numbers.count(key) != 0) continue;
    std::int64_t number = process.pid;
    while (!taken.insert(number).second)
      number += std::int64_t{1} << 22;  // the most pids a host has
    numbers.emplace(key, number);
  }
  return numbers;
}

/// What each region of one process says of itself in its slices, looked up once a region.
class Arguments {
 public:
  Arguments(const TracedProcess& process, const TraceVerdicts& verdicts, bool judged) {
    if (!judged) return;
    regions_ = regions_of_visits(process);
    for (std::vector<std::string> path : regions_.paths) {
      if (process.foreign) path.front() = foreign_name(path.front(), process.executable);
      members_.push_back(&verdicts.members_of(path));
    }
  }
  const std::string& of_visit(std::size_t visit) const { return at(regions_.visits, visit); }
  const std::string& of_open(std::size_t open) const { return at(regions_.open, open); }

 private:
  const std::string& at(const std::vector<std::uint32_t>& regions, std::size_t visit) const {
    static const std::string nothing;
    static const std::string several =
        R"("verdict":"not known","why":"several regions of this name: which one it is, the trace does not say")";
    if (regions.empty()) return nothing;
    const std::uint32_t region = regions[visit];
    if (region == RegionsOfVisits::several) return several;
    return region < members_.size() ? *members_[region] : nothing;
  }

  RegionsOfVisits regions_;
  std::vector<const std::string*> members_;
};

}  // namespace

std::string render_trace_events(const Trace& trace, const Profile* judged) {
  const TraceVerdicts verdicts(judged, trace.shown_as);
  const auto shown = [&](const std::string& name) -> const std::string& {
    const auto found = trace.shown_as.find(name);
    return found == trace.shown_as.end() ? name : found->second;
  };
  const auto numbers = numbers_of(trace);
  Events events(first_start(trace));
  JsonWriter& json = events.json();
  json.open_object();
  json.key("displayTimeUnit");
  json.text("ns");
  json.key("otherData");
  json.open_object();
  json.key("producer");
  json.text("roofmark");
  json.key("command");
  json.open_array();
  for (const std::string& word : trace.command) json.text(word);
  json.close_array();
  std::uint64_t untraced = 0;
  for (const TracedProcess& process : trace.processes) untraced += process.untraced;
  json.key("visits_left_out");
  json.count(untraced);
  if (!verdicts.none_because().empty()) {
    json.key("no_verdicts");
    json.text(verdicts.none_because());
  }
  json.close_object();
  json.key("traceEvents");
  json.open_array();
  for (const TracedProcess& process : trace.processes) {
    const std::int64_t pid = numbers.at({process.host, process.pid});
    events.metadata("process_name", name_of(process), pid, pid);
    std::set<std::int32_t> threads;
    for (const auto& visit : process.visits) threads.insert(visit.tid);
    for (const auto& open : process.open) threads.insert(open.tid);
    for (const std::int32_t tid : threads)
      events.metadata("thread_name",
                      tid == process.pid ? "main thread" : fmt::format("thread {}", tid), pid, tid);
    const Arguments arguments(process, verdicts, judged != nullptr);
    std::vector<const std::string*> names;
    for (const std::string& name : process.names) names.push_back(&shown(name));
    for (std::size_t i = 0; i < process.visits.size(); ++i) {
      const auto& visit = process.visits[i];
      events.visit(*names[visit.name], pid, visit.tid, visit.start_s, visit.duration_s,
                   visit.inherited, arguments.of_visit(i));
    }
    for (std::size_t i = 0; i < process.open.size(); ++i) {
      const auto& open = process.open[i];
      events.open(shown(open.name), pid, open.tid, open.start_s, open.inherited,
                  arguments.of_open(i));
    }
  }
  json.last_line();
  json.close_array();
  json.close_object();
  return json.take() + "\n";
}

std::vector<std::string> shortcomings(const Trace& trace) {
  std::vector<std::string> sentences;
  for (const TracedProcess& process : trace.processes) {
    if (process.untraced == 0) continue;
    const std::string why =
        process.untraced_reason.empty() ? "--trace-visits keeps more" : process.untraced_reason;
    sentences.push_back(
        fmt::format("The trace of process {} holds {} of its visits and lacks {}: {}.", process.pid,
                    process.visits.size(), process.untraced, why));
  }
  return sentences;
}

}  // namespace roofmark
