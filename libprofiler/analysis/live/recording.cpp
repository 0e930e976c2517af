#include "recording.hpp"

#include <unistd.h>

#include <analysis/files/read_small.hpp>
#include <analysis/record/processes.hpp>
#include <analysis/text/parsing.hpp>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <deque>
#include <fstream>
#include <sstream>

namespace roofmark::live {
namespace {

constexpr std::string_view directory_variable = "ROOFMARK_RECORDING";

std::string process_file(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

/// An environment may be longer than what a small file holds.
std::optional<std::string> environment_of(pid_t pid) {
  std::ifstream file(process_file(pid, "environ"), std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void add_children(pid_t pid, std::deque<pid_t>& queue) {
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(process_file(pid, "task"), error)) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) queue.push_back(child);
  }
}

}  // namespace

std::optional<std::string> variable_in(std::string_view environment, std::string_view name) {
  for (std::size_t at = 0; at < environment.size();) {
    const std::size_t end = std::min(environment.find('\0', at), environment.size());
    const std::string_view one = environment.substr(at, end - at);
    if (one.size() > name.size() && one.substr(0, name.size()) == name && one[name.size()] == '=')
      return std::string(one.substr(name.size() + 1));
    at = end + 1;
  }
  return std::nullopt;
}

Result<Recording> recording_of(pid_t pid) {
  const std::string where = "process " + std::to_string(pid);
  if (!is_alive(pid))
    return tl::unexpected(Problem{"there is no such process", where, "`pgrep NAME` finds it"});
  std::deque<pid_t> queue{pid};
  constexpr std::size_t most = 1000;
  bool refused = false;
  for (std::size_t looked = 0; !queue.empty() && looked < most; ++looked) {
    const pid_t one = queue.front();
    queue.pop_front();
    const auto environment = environment_of(one);
    if (!environment) refused = refused || errno == EACCES || errno == EPERM;
    const auto directory =
        environment ? variable_in(*environment, directory_variable) : std::optional<std::string>();
    std::error_code error;
    if (directory && std::filesystem::is_directory(*directory, error))
      return Recording{one, *directory};
    add_children(one, queue);
  }
  if (refused)
    return tl::unexpected(
        Problem{"its environment can't be read", where, "ask as its user, or as root"});
  return tl::unexpected(
      Problem{"it is not being recorded", where, "start it with `roofmark record -- PROGRAM`"});
}

std::optional<StatTimes> parse_stat_times(std::string_view line) {
  // The name in parentheses may hold anything: the last one ends it. Field 3 follows.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > line.size()) return std::nullopt;
  std::string_view rest = text::trimmed(line.substr(name_end + 1));
  StatTimes times;
  for (int field = 3; field <= 22; ++field) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, blank);
    double* const wanted = field == 14   ? &times.user
                           : field == 15 ? &times.system
                           : field == 22 ? &times.start
                                         : nullptr;
    if (wanted != nullptr) {
      const auto number = text::real_number(word);
      if (!number) return std::nullopt;
      *wanted = *number;
    }
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return times;
}

std::optional<ProcessTimes> times_of(pid_t pid) {
  const auto times = parse_stat_times(read_small(process_file(pid, "stat")));
  if (!times || !is_alive(pid)) return std::nullopt;
  const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const double boot_s = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  return ProcessTimes{boot_s - times->start / per_second, times->user / per_second,
                      times->system / per_second};
}

}  // namespace roofmark::live
