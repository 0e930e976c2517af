// Starts a program as a shell would, and says which of 125, 126, 127 it is when that fails.
#pragma once

#include <sys/types.h>

#include <analysis/machine/stopwatch.hpp>
#include <csignal>
#include <functional>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

struct Launch {
  std::vector<std::string> command;
  std::vector<std::string> environment;  ///< "NAME=value"
  /// Used when the kernel refuses `environment` as too large; empty: no second attempt.
  std::vector<std::string> smaller_environment;
  sigset_t signal_mask{};  ///< the mask that the program starts with
  /// Runs in the child before the program is executed: descriptors, namespaces. An errno, or 0.
  std::function<int()> prepare;
  /// Runs in this process while the child waits, prepared, to be executed. May be empty.
  std::function<void(pid_t child)> before_exec;
};

struct Launched {
  pid_t pid = -1;
  double started_s = 0;              ///< when its exec began, on monotonic_s()
  bool smaller_environment = false;  ///< it runs without what `environment` had added
};

struct LaunchFailure {
  int exit_code = 125;  ///< 125: not started, 126: not executable, 127: not found
  Problem problem;
};

/// Returns when the program runs (its exec has succeeded) or can't be run.
tl::expected<Launched, LaunchFailure> launch(const Launch& launch);

/// The environment of this process.
std::vector<std::string> current_environment();
/// Sets NAME to value in `environment`; with `separator`, before the value that it already has.
void set_variable(std::vector<std::string>& environment, const std::string& name,
                  const std::string& value, char separator = '\0');

}  // namespace roofmark
