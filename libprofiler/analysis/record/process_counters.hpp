// The counters of a process that runs already: groups of each of its threads, with all that these
// start from then on. Nothing is put into the process, and it is not stopped.
#pragma once

#include <sys/types.h>

#include <analysis/join/measured.hpp>
#include <collectors/perf/group.hpp>
#include <functional>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// What was counted between start() and stop().
struct RunningCounts {
  std::vector<GroupCounts> counts;   ///< by the plan's groups, summed over threads
  std::vector<RawRefusal> refused;   ///< groups that some thread could not be given, or gave back
  std::optional<std::string> note;   ///< threads that came and went meanwhile
  std::optional<std::string> lacks;  ///< why the counts are lower bounds, where they are
};

class ProcessCounters {
 public:
  using ListThreads = std::function<std::vector<pid_t>(pid_t process)>;

  /// Opens the groups of the plan's first pass; those of packages are left out. A Problem where
  /// none could be opened, or where the process has ended.
  static Result<ProcessCounters> open(const MeasuredPasses& passes, pid_t process,
                                      const ListThreads& list = {});
  ProcessCounters(ProcessCounters&&) = default;
  ProcessCounters& operator=(ProcessCounters&&) = delete;
  ~ProcessCounters();

  void start();
  /// `ended`: the process has, though /proc may still list it for its parent.
  void stop(bool ended = false);
  /// After stop(); the process may have ended.
  RunningCounts read() const;

 private:
  struct OfGroup {
    std::size_t index = 0;  ///< in the plan
    std::vector<perf::Group> threads;
    std::optional<RawRefusal> refusal;
  };
  ProcessCounters() = default;
  void open_all(const perf::FlatPlan& flat, const std::vector<pid_t>& threads);
  void close_all();

  pid_t process_ = 0;
  ListThreads list_;
  std::vector<OfGroup> groups_;
  std::vector<pid_t> at_start_, at_end_;
  std::size_t unsure_ = 0;  ///< threads that were born while groups were opened
};

}  // namespace roofmark
