// Records a process that runs already: its time, function by function, and what hardware counters
// count of it as a whole. Nothing is put into it, and it goes on when the recording has ended.
#pragma once

#include <sys/types.h>

#include <analysis/record/record.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace roofmark {

struct AttachOptions {
  pid_t process = 0;
  std::optional<double> duration_s;  ///< unset: until Ctrl-C, or until the process ends
  std::string counters = "auto";     ///< "auto" and "perf": hardware counters; else none
  std::filesystem::path tables;      ///< of events, as they are installed
  std::filesystem::path findings;    ///< folder of what `roofmark check` found; empty: none
  /// Ceilings that are known already: none are measured beside a process that runs. Unset: none.
  std::function<Result<std::optional<Machine>>()> kept_machine;
  /// Where a line for the user goes.
  std::function<void(const std::string&)> tell;
};

/// `not_started` says why nothing could be recorded; `end` is always this process's own success.
Recording record_process(const AttachOptions& options);

}  // namespace roofmark
