// A recording that is being made, found by a process that takes part in it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>

namespace roofmark::live {

struct Recording {
  pid_t pid = 0;                                  ///< the process that is recorded
  std::filesystem::path directory;                ///< of its arenas
  std::optional<std::filesystem::path> counters;  ///< the plan of what its program counts
};

/// The recording that this process is in, or that one of its descendants is in: `roofmark record`
/// itself may be named, and a shell that started it.
Result<Recording> recording_of(pid_t pid);

/// The value of a variable in the environment as /proc/PID/environ has it.
std::optional<std::string> variable_in(std::string_view environment, std::string_view name);

/// What the kernel says of a process so far.
struct ProcessTimes {
  double age_s = 0, user_s = 0, system_s = 0;
};
/// Nothing where it has ended.
std::optional<ProcessTimes> times_of(pid_t pid);
/// Fields 14, 15 and 22 of proc(5), in clock ticks: user, system and start time.
struct StatTimes {
  double user = 0, system = 0, start = 0;
};
std::optional<StatTimes> parse_stat_times(std::string_view line);

}  // namespace roofmark::live
