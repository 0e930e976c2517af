#include "monitor_tree.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <analysis/machine/stopwatch.hpp>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "kernel_option.hpp"

namespace roofmark::resctrl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "roofmark-";

std::optional<std::string> text_of(const fs::path& file, int& error) {
  // A file of the kernel: no size is known before it is read.
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    error = errno;
    return std::nullopt;
  }
  std::string text;
  char part[4096];
  ssize_t got = 0;
  while ((got = ::read(descriptor, part, sizeof part)) > 0 || (got < 0 && errno == EINTR))
    if (got > 0) text.append(part, static_cast<std::size_t>(got));
  error = got < 0 ? errno : 0;
  close(descriptor);
  return error == 0 ? std::optional<std::string>(std::move(text)) : std::nullopt;
}

bool has_line(const std::string& text, std::string_view wanted) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line == wanted) return true;
  return false;
}

Counter counter_in(const fs::path& file) {
  int error = 0;
  const auto text = text_of(file, error);
  if (text) return parse_counter(*text);
  if (error == ENOENT) return {State::absent, 0, 0};
  return {State::unreadable, 0, error};
}

Problem not_there(const fs::path& root) {
  std::error_code fault;
  if (!fs::is_directory(root, fault))
    return {
        "the kernel has no resctrl file system: it was built without, or the processor lacks "
        "monitoring",
        root.string(), kernel_with_resctrl};
  return {"resctrl is not mounted", root.string(),
          "sudo mount -t resctrl resctrl " + root.string()};
}

Problem no_permission(const std::string& what, const fs::path& where, const fs::path& groups) {
  return {"an ordinary user may not " + what, where.string(),
          "run it as root, or once: sudo chown \"$USER\" " + groups.string()};
}

/// The start time of a process (field 22 of its stat), which tells it from a later one with its
/// number; 0: there is none.
std::uint64_t start_of(long pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::ostringstream text;
  if (!file) return 0;
  text << file.rdbuf();
  const std::string stat = text.str();
  // The name before it may hold blanks and brackets.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream words(stat.substr(name_end + 1));
  std::string word;
  for (int field = 3; field <= 22; ++field)
    if (!(words >> word)) return 0;
  std::uint64_t start = 0;
  std::from_chars(word.data(), word.data() + word.size(), start);
  return start;
}

/// In which numbers of processes mean the same ones: containers may share one file system.
unsigned long pid_namespace() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? static_cast<unsigned long>(status.st_ino) : 0;
}

/// Whether the recorder that made a group of that name is gone.
bool is_abandoned(std::string_view name) {
  if (!name.starts_with(prefix)) return false;
  unsigned long space = 0;
  long pid = 0;
  unsigned long long start = 0;
  unsigned sequence = 0;
  int end = 0;
  const std::string text(name.substr(prefix.size()));
  const int fields =
      std::sscanf(text.c_str(), "%lu-%ld-%llu-%u%n", &space, &pid, &start, &sequence, &end);
  if (fields != 4 || static_cast<std::size_t>(end) != text.size() || pid <= 0) return false;
  return space == pid_namespace() && start_of(pid) != start;
}

}  // namespace

std::optional<std::string> control_group_of(std::string_view text) {
  constexpr std::string_view start = "res:/";
  if (!text.starts_with(start)) return std::nullopt;
  const std::string_view path = text.substr(start.size() - 1, text.find('\n') - start.size() + 1);
  if (path.find("..") != std::string_view::npos) return std::nullopt;
  return path == "/" ? std::string() : std::string(path);
}

Result<Monitor> look(const fs::path& root, const fs::path& own_groups) {
  int error = 0;
  const fs::path info = root / "info" / "L3_MON";
  const auto features = text_of(info / "mon_features", error);
  if (!features && (error == EACCES || error == EPERM))
    return tl::unexpected(no_permission("read resctrl", info, root / "mon_groups"));
  std::error_code fault;
  if (!features && !fs::is_directory(root / "info", fault)) return tl::unexpected(not_there(root));
  if (!features)
    return tl::unexpected(
        Problem{"this processor monitors no cache traffic", info.string(),
                "a server processor with MBM (Intel Xeon, AMD EPYC), on bare metal"});
  Monitor monitor;
  monitor.root = monitor.control = root;
  monitor.total = has_line(*features, name_of(Event::total));
  monitor.local = has_line(*features, name_of(Event::local));
  if (!monitor.total && !monitor.local)
    return tl::unexpected(
        Problem{"this processor monitors how full its cache is, and no traffic", info.string(),
                "boot without rdt=!mbmtotal,!mbmlocal where that is on the kernel's command line"});
  monitor.groups = text_of(info / "num_rmids", error).value_or("");
  while (!monitor.groups.empty() && monitor.groups.back() == '\n') monitor.groups.pop_back();
  if (const auto text = text_of(own_groups, error))
    if (const auto control = control_group_of(*text); control && !control->empty())
      monitor.control = root / control->substr(1);
  // An attempt would be surer, and would take a group from whoever measures now.
  const fs::path groups = monitor.control / "mon_groups";
  if (!fs::is_directory(groups, fault))
    return tl::unexpected(Problem{"this control group can hold no monitor groups", groups.string(),
                                  "run it in another control group"});
  if (access(groups.c_str(), W_OK | X_OK) != 0)
    return tl::unexpected(errno == EROFS ? Problem{"resctrl is mounted read-only", groups.string(),
                                                   "sudo mount -o remount,rw " + root.string()}
                                         : no_permission("make a monitor group", groups, groups));
  return monitor;
}

Problem why_no_group(int error, const Monitor& monitor) {
  const fs::path groups = monitor.control / "mon_groups";
  const std::string list = "ls " + (monitor.root / "mon_groups").string() +
                           ", and rmdir a group there that nobody needs";
  switch (error) {
    case ENOSPC:
      return {fmt::format("no monitor group is free{}",
                          monitor.groups.empty()
                              ? std::string()
                              : " of the " + monitor.groups + " that the processor has"),
              groups.string(), list};
    case EBUSY:
      return {"the numbers of removed groups are not free yet: their lines are still in the cache",
              groups.string(),
              "record again in some seconds, or raise " +
                  (monitor.root / "info/L3_MON/max_threshold_occupancy").string()};
    case EACCES:
    case EPERM:
      return no_permission("make a monitor group", groups, groups);
    case EROFS:
      return {"resctrl is mounted read-only", groups.string(),
              "sudo mount -o remount,rw " + monitor.root.string()};
    default:
      return {std::string("no monitor group can be made: ") + std::strerror(error), groups.string(),
              "cat " + (monitor.root / "info/last_cmd_status").string()};
  }
}

Group::Group(fs::path path) : path_(std::move(path)), tasks_((path_ / "tasks").string()) {}

Group::Group(Group&& other) noexcept
    : path_(std::move(other.path_)), tasks_(std::move(other.tasks_)) {
  other.path_.clear();
}

Group::~Group() {
  remove();
}

Result<Group> Group::create(const Monitor& monitor) {
  static std::atomic<unsigned> sequence = 0;
  remove_abandoned(monitor);
  const long pid = getpid();
  const fs::path path =
      monitor.control / "mon_groups" /
      fmt::format("{}{}-{}-{}-{}", prefix, pid_namespace(), pid, start_of(pid), sequence++);
  if (mkdir(path.c_str(), 0755) != 0) return tl::unexpected(why_no_group(errno, monitor));
  return Group(path);
}

Reading Group::read() const {
  return read_group(path_, monotonic_s());
}

std::optional<Problem> Group::remove() {
  if (path_.empty()) return std::nullopt;
  const fs::path path = std::move(path_);
  path_.clear();
  if (rmdir(path.c_str()) == 0 || errno == ENOENT) return std::nullopt;
  return Problem{std::string("the monitor group can't be removed: ") + std::strerror(errno),
                 path.string(), "sudo rmdir " + path.string()};
}

int join_group(const char* tasks) {
  const int file = open(tasks, O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  char text[24];
  char* start = text + sizeof text;
  for (long pid = getpid(); pid > 0 || start == text + sizeof text; pid /= 10)
    *--start = static_cast<char>('0' + pid % 10);
  const auto length = static_cast<std::size_t>(text + sizeof text - start);
  const ssize_t written = write(file, start, length);
  const int error = written < 0 ? errno : 0;
  close(file);
  return error;
}

Reading read_group(const fs::path& group, double time_s) {
  Reading reading;
  reading.time_s = time_s;
  std::error_code fault;
  for (fs::directory_iterator entry(group / "mon_data", fault), end; !fault && entry != end;
       entry.increment(fault))
    if (const auto id = domain_of(entry->path().filename().string()))
      reading.domains[*id] = {counter_in(entry->path() / name_of(Event::total)),
                              counter_in(entry->path() / name_of(Event::local))};
  return reading;
}

std::size_t remove_abandoned(const Monitor& monitor) {
  std::size_t removed = 0;
  std::error_code fault;
  std::vector<fs::path> gone;
  for (fs::directory_iterator entry(monitor.control / "mon_groups", fault), end;
       !fault && entry != end; entry.increment(fault))
    if (is_abandoned(entry->path().filename().string())) gone.push_back(entry->path());
  for (const fs::path& path : gone)
    if (rmdir(path.c_str()) == 0) ++removed;
  return removed;
}

}  // namespace roofmark::resctrl
