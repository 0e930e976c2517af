#include <fmt/format.h>

#include <analysis/join/region_tree.hpp>
#include <analysis/record/function_names.hpp>
#include <analysis/record/recorded_trace.hpp>
#include <analysis/record/scratch.hpp>
#include <analysis/record/shortage.hpp>
#include <exception>
#include <set>
#include <string>
#include <vector>

namespace roofmark {
namespace {

/// From the files of the timed run, which are there until the recording ends: visits need not be in
/// memory while other runs go on. What can't be read becomes a sentence.
Trace read_traces(const RecordOptions& options, const JoinInput& input,
                  std::vector<std::string>& lacks) {
  Trace trace;
  trace.command = options.command;
  const std::string executable = base_name(main_executable(input));
  for (const RawProcess& process : input.native) {
    auto traced = read_trace(process, input.ticks_per_second);
    if (!traced) {
      lacks.push_back(fmt::format("The trace lacks process {}: {}.", process.pid,
                                  to_line(without_place(traced.error()))));
      continue;
    }
    traced->foreign = base_name(process.executable) != executable;
    trace.processes.push_back(std::move(*traced));
  }
  for (std::string& lack : shortcomings(trace)) lacks.push_back(std::move(lack));
  if (reads_functions(options.annotations)) {
    std::set<std::string> names;
    for (const TracedProcess& process : trace.processes) {
      names.insert(process.names.begin(), process.names.end());
      for (const auto& [tid, path] : process.entered) names.insert(path.begin(), path.end());
    }
    trace.shown_as = readable_names(names);
  }
  return trace;
}

}  // namespace

void hand_over_trace(const RecordOptions& options, const JoinInput& input, Profile& profile) {
  if (options.trace_visits == 0 || !options.keep_trace) return;
  try {
    std::vector<std::string> lacks;
    const Trace trace = read_traces(options, input, lacks);
    for (const std::string& lack : lacks) {
      if (options.tell) options.tell(lack);
      profile.notes.push_back(lack);
    }
    if (lacks.empty() && input.native.empty() && options.tell)
      options.tell("There is no trace: the program entered no region.");
    options.keep_trace(trace, nullptr);
  } catch (const std::exception& error) {
    profile.notes.push_back("There is no trace: " + to_line(shortage(error)) + ".");
  }
}

void hand_over_trace_with(const Profile& joined, const RecordOptions& options,
                          const JoinInput& input) {
  if (options.trace_visits == 0 || !options.keep_trace || input.native.empty()) return;
  try {
    std::vector<std::string> lacks;  // told already
    options.keep_trace(read_traces(options, input, lacks), &joined);
  } catch (const std::exception& error) {
    if (options.tell) options.tell("The trace has no verdicts: " + to_line(shortage(error)) + ".");
  }
}

}  // namespace roofmark
