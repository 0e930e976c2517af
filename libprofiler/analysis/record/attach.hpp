// Records a process that runs already: its time, function by function. Nothing is put into it, and
// it goes on when the recording has ended.
#pragma once

#include <sys/types.h>

#include <analysis/record/record.hpp>
#include <functional>
#include <optional>
#include <string>

namespace roofmark {

struct AttachOptions {
  pid_t process = 0;
  std::optional<double> duration_s;  ///< unset: until Ctrl-C, or until the process ends
  /// Where a line for the user goes.
  std::function<void(const std::string&)> tell;
};

/// `not_started` says why nothing could be recorded; `end` is always this process's own success.
Recording record_process(const AttachOptions& options);

}  // namespace roofmark
