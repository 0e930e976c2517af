// The resctrl file system: what it can monitor, and a group of our own in it.
#pragma once

#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

#include "monitor_data.hpp"

namespace roofmark::resctrl {

inline constexpr const char* default_root = "/sys/fs/resctrl";

struct Monitor {
  std::filesystem::path root;
  /// The control group that this process is in (`root` or a folder of it): a monitor group must be
  /// made inside it, since a task can't leave its control group by joining one.
  std::filesystem::path control;
  bool total = false, local = false;  ///< which counters there are
  std::string groups;                 ///< how many can be told apart, as the kernel writes it
};

/// What can be monitored below `root`, or why nothing. Changes nothing. `own_groups`: the file in
/// which the kernel names the groups of this process.
Result<Monitor> look(const std::filesystem::path& root,
                     const std::filesystem::path& own_groups = "/proc/self/cpu_resctrl_groups");

/// "res:/batch\nmon:\n" -> "/batch"; empty for the root, nothing where it is no such text.
std::optional<std::string> control_group_of(std::string_view text);

/// A monitor group with a program in it. Removed when it goes out of scope; whatever is still in it
/// then belongs to the control group again.
class Group {
 public:
  /// Removes first what a recorder that was killed has left.
  static Result<Group> create(const Monitor& monitor);
  Group(Group&& other) noexcept;
  Group& operator=(Group&&) = delete;
  ~Group();

  const std::filesystem::path& path() const { return path_; }
  const std::string& tasks() const { return tasks_; }
  Reading read() const;
  /// Also where it has been removed already. What stands in the way is a Problem.
  std::optional<Problem> remove();

 private:
  explicit Group(std::filesystem::path path);
  std::filesystem::path path_;
  std::string tasks_;  ///< file that a process is written to, to be in the group
};

/// In the child that will become the program: joins the group. An errno, or 0. Async-signal-safe.
int join_group(const char* tasks);

/// One look at `mon_data` of a group.
Reading read_group(const std::filesystem::path& group, double time_s);

/// Why a group could not be made. Depends on nothing but its arguments.
Problem why_no_group(int error, const Monitor& monitor);

/// Groups of recorders that are gone; how many were removed.
std::size_t remove_abandoned(const Monitor& monitor);

}  // namespace roofmark::resctrl
