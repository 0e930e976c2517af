#include "recording.hpp"

#include <unistd.h>

#include <analysis/files/proc_text.hpp>
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
constexpr std::string_view counters_variable = "ROOFMARK_COUNTERS";

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
  for (const std::string_view one : zero_ended(environment))
    if (one.size() > name.size() && one.substr(0, name.size()) == name && one[name.size()] == '=')
      return std::string(one.substr(name.size() + 1));
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
      return Recording{one, *directory, variable_in(*environment, counters_variable)};
    add_children(one, queue);
  }
  if (refused)
    return tl::unexpected(
        Problem{"its environment can't be read", where, "ask as its user, or as root"});
  return tl::unexpected(
      Problem{"it is not being recorded", where, "start it with `roofmark record -- PROGRAM`"});
}

std::optional<StatTimes> parse_stat_times(std::string_view line) {
  const auto number = [&](int field) {
    const auto text = stat_field(line, field);
    return text ? text::real_number(*text) : std::nullopt;
  };
  const auto user = number(14), system = number(15), start = number(22);
  if (!user || !system || !start) return std::nullopt;
  return StatTimes{*user, *system, *start};
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
