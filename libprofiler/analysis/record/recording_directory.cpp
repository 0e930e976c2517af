#include <fmt/format.h>
#include <analysis/record/called_functions.hpp>

#include <algorithm>
#include <analysis/join/join.hpp>
#include <analysis/profile/profile_fields.hpp>
#include <analysis/record/recording_directory.hpp>
#include <analysis/record/scratch.hpp>
#include <charconv>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <tuple>

#include "analysis/files/read_file.hpp"

namespace roofmark {
namespace {

namespace fs = std::filesystem;

/// What a process left when it ended by exit().
struct Ended {
  double raw_s = 0, user_s = 0, system_s = 0;
};

/// The images that one process was, and when it ran, on CLOCK_MONOTONIC_RAW of its host.
struct RecordedProcess {
  std::vector<const RawProcess*> images;  ///< oldest first
  double begin_s = 0, end_s = 0;
  std::optional<Ended> ended;
  bool is_fork = false;
};

/// Host, pid and start time: a pid alone may be two processes.
using Identity = std::tuple<std::string, int, std::uint64_t>;

fs::path beside(const RawProcess& process, const char* extension) {
  return fs::path(process.file).replace_extension(extension);
}

std::optional<Ended> read_ended(const RawProcess& process) {
  const auto text = read_file(beside(process, ".ended"));
  if (!text) return std::nullopt;
  std::map<std::string, double> values;
  for (std::size_t begin = 0; begin < text->size();) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    const std::string line = text->substr(begin, end - begin);
    const std::size_t blank = line.find(' ');
    std::uint64_t value = 0;
    if (blank == std::string::npos ||
        std::from_chars(line.data() + blank + 1, line.data() + line.size(), value).ec !=
            std::errc())
      return std::nullopt;
    values[line.substr(0, blank)] = static_cast<double>(value);
    begin = end + 1;
  }
  if (values.count("raw_ns") == 0) return std::nullopt;
  return Ended{values["raw_ns"] * 1e-9, values["user_us"] * 1e-6, values["system_us"] * 1e-6};
}

std::vector<std::string> read_command(const RawProcess& process) {
  std::vector<std::string> command;
  const auto text = read_file(beside(process, ".command"));
  if (text)
    for (std::size_t begin = 0; begin < text->size();) {
      const std::size_t end = std::min(text->find('\0', begin), text->size());
      command.push_back(text->substr(begin, end - begin));
      begin = end + 1;
    }
  if (command.empty()) command.push_back(process.executable);
  return command;
}

/// The last sign of life: of a process that was killed nothing later is known.
double last_seen_s(const RawProcess& process) {
  double latest_s = static_cast<double>(process.calibration.last_raw_ns) * 1e-9;
  const auto rate = process.ticks_per_second();
  if (!rate) return latest_s;
  const auto at_s = [&](std::uint64_t ticks) {
    return static_cast<double>(process.calibration.first_raw_ns) * 1e-9 +
           (static_cast<double>(ticks) - static_cast<double>(process.calibration.first_ticks)) /
               *rate;
  };
  for (const RawThread& thread : process.threads)
    for (const RawNode& node : thread.nodes)
      latest_s = std::max({latest_s, node.last_exit != 0 ? at_s(node.last_exit) : 0,
                           node.open_since ? at_s(*node.open_since) : 0});
  return latest_s;
}

std::map<Identity, RecordedProcess> processes_of(const std::vector<RawProcess>& images) {
  std::map<Identity, RecordedProcess> processes;
  for (const RawProcess& image : images)
    processes[{image.host, image.pid, image.process_start}].images.push_back(&image);
  for (auto& [identity, process] : processes) {
    std::sort(process.images.begin(), process.images.end(),
              [](const RawProcess* a, const RawProcess* b) { return a->sequence < b->sequence; });
    process.begin_s = static_cast<double>(process.images.front()->calibration.first_raw_ns) * 1e-9;
    process.is_fork = process.images.front()->parent_pid.has_value();
    for (const RawProcess* image : process.images) {
      process.end_s = std::max(process.end_s, last_seen_s(*image));
      if (auto ended = read_ended(*image)) process.ended = ended;
    }
    if (process.ended) process.end_s = process.ended->raw_s;
    process.end_s = std::max(process.end_s, process.begin_s);
  }
  return processes;
}

/// Those that no other recorded process started: the programs themselves.
std::vector<const RecordedProcess*> roots_of(const std::map<Identity, RecordedProcess>& processes) {
  std::set<std::pair<std::string, int>> pids;
  for (const auto& [identity, process] : processes)
    pids.insert({std::get<0>(identity), std::get<1>(identity)});
  std::vector<const RecordedProcess*> roots;
  for (const auto& [identity, process] : processes) {
    const RawProcess& first = *process.images.front();
    if (!process.is_fork && pids.count({first.host, first.ppid}) == 0) roots.push_back(&process);
  }
  std::sort(roots.begin(), roots.end(), [](const RecordedProcess* a, const RecordedProcess* b) {
    return std::tuple(a->images.front()->realtime_ns, a->images.front()->pid) <
           std::tuple(b->images.front()->realtime_ns, b->images.front()->pid);
  });
  return roots;
}

/// How long any of them ran, and after how many pauses without any.
struct Span {
  double busy_s = 0;
  std::size_t runs = 0;
};
Span span_of(std::vector<const RecordedProcess*> processes) {
  std::sort(
      processes.begin(), processes.end(),
      [](const RecordedProcess* a, const RecordedProcess* b) { return a->begin_s < b->begin_s; });
  Span span;
  double until_s = 0;
  for (const RecordedProcess* process : processes) {
    if (span.runs == 0 || process->begin_s > until_s) {
      ++span.runs;
      span.busy_s += process->end_s - process->begin_s;
      until_s = process->end_s;
    } else if (process->end_s > until_s) {
      span.busy_s += process->end_s - until_s;
      until_s = process->end_s;
    }
  }
  return span;
}

std::string rfc3339(std::uint64_t realtime_ns) {
  const auto seconds = static_cast<std::time_t>(realtime_ns / 1000000000u);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

Result<DirectoryRecording> read_recording_directory(const fs::path& directory) {
  std::vector<Problem> problems;
  JoinInput input;
  input.native = read_arenas(directory.string(), problems);
  if (input.native.empty())
    return tl::unexpected(
        !problems.empty()
            ? problems.front()
            : Problem{"there is no recording in this directory", directory.string(),
                      "start the program with LD_PRELOAD=libroofmark-preload.so and "
                      "ROOFMARK_DIRECTORY set to it, or name the file that `roofmark record` "
                      "wrote; files of ranks are put together by `roofmark merge`"});
  const auto processes = processes_of(input.native);
  const std::vector<const RecordedProcess*> roots = roots_of(processes);

  DirectoryRecording recording;
  Profile& profile = recording.profile;
  std::map<std::string, std::vector<const RecordedProcess*>> by_host;
  for (const RecordedProcess* root : roots) by_host[root->images.front()->host].push_back(root);
  std::size_t runs = 0;
  for (const auto& [host, there] : by_host) {
    recording.hosts.insert(host);
    const Span span = span_of(there);
    input.whole.wall_s = std::max(input.whole.wall_s, span.busy_s);
    runs = std::max(runs, span.runs);
  }
  std::size_t unended = 0;
  for (const auto& [identity, process] : processes) {
    if (process.ended) {
      input.whole.user_s += process.ended->user_s;
      input.whole.system_s += process.ended->system_s;
    } else if (!process.is_fork) {
      ++unended;
    }
  }
  const RecordedProcess& first = roots.empty() ? processes.begin()->second : *roots.front();
  // One that was too short to compare the clocks has the rate of another of this node.
  if (recording.hosts.size() == 1)
    for (const RawProcess& process : input.native)
      if (!input.ticks_per_second) input.ticks_per_second = process.ticks_per_second();
  input.whole.pid = first.images.front()->pid;
  input.whole.ended_raw_s = first.end_s;
  input.not_counted = Problem{
      "it was recorded without the command, which makes the run that counts", "",
      "roofmark record -- PROGRAM where that is possible, or declare() the work in the source"};

  profile.program.command = read_command(*first.images.front());
  profile.program.exit_status = unknown_exit_status;
  profile.program.started = rfc3339(first.images.front()->realtime_ns);
  profile.program.host = first.images.front()->host;
  Pass pass;
  pass.purpose = "time";
  pass.collector = "clock";
  pass.wall_s = input.whole.wall_s;
  pass.coverage = 1;
  pass.note = fmt::format("recorded without the command, {} {} on {} {}", processes.size(),
                          processes.size() == 1 ? "process" : "processes", recording.hosts.size(),
                          recording.hosts.size() == 1 ? "node" : "nodes");
  profile.passes.push_back(std::move(pass));
  join(input, profile);
  FunctionMeans means;
  means.redirected = read_redirected(directory);
  for (std::string& line : describe_functions({}, means, input, profile))
    profile.notes.push_back(std::move(line));
  const bool all_cpu_known = std::all_of(processes.begin(), processes.end(), [](const auto& entry) {
    return entry.second.ended.has_value();
  });
  if (!all_cpu_known && !profile.regions.empty() && profile.regions.front().path.empty()) {
    Region& whole = profile.regions.front();
    whole.work.thread_s.reset();
    whole.cores_used.reset();
    whole.missing.push_back({"time.thread",
                             "not every process left its CPU time: forked, killed or still running",
                             ""});
  }
  for (const Problem& problem : problems)
    profile.notes.push_back("Recording: " + to_line(without_place(problem)) + ".");
  if (runs > 1)
    profile.notes.push_back(fmt::format(
        "The directory holds {} runs that followed one another: their times are added. A "
        "directory for each (ROOFMARK_DIRECTORY) keeps them apart.",
        runs));
  if (unended > 0)
    profile.notes.push_back(fmt::format(
        "{} did not end by exit() (killed, ended by _exit(), or still running): {} times are "
        "known up to the last marker, and the CPU time is not.",
        unended == 1 ? "A process" : fmt::format("{} processes", unended),
        unended == 1 ? "its" : "their"));
  return recording;
}

}  // namespace roofmark
