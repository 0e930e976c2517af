#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/files/descriptor.hpp>
#include <analysis/files/proc_text.hpp>
#include <analysis/machine/stopwatch.hpp>
#include <analysis/record/processes.hpp>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>
#include <thread>

namespace roofmark {
namespace {

std::string read_whole(const std::string& path) {
  Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while (fd && ((got = read(fd.get(), buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)))
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

bool has_argument(const std::string& command_line, const std::string& argument) {
  const auto arguments = zero_ended(command_line);
  return std::find(arguments.begin(), arguments.end(), argument) != arguments.end();
}

}  // namespace

bool is_alive(pid_t pid) {
  const std::string line = read_whole("/proc/" + std::to_string(pid) + "/stat");
  const auto field = stat_field(line, 3);
  if (!field || field->empty()) return false;
  const char state = field->front();
  return state != 'Z' && state != 'X';
}

std::string executable_of(pid_t pid) {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", unknown).string();
}

std::vector<pid_t> processes_with(const std::string& argument) {
  std::vector<pid_t> found;
  DIR* const directory = opendir("/proc");
  if (directory == nullptr) return found;
  std::vector<pid_t> all;
  while (const dirent* entry = readdir(directory)) {
    pid_t pid = 0;
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, pid).ptr == end) all.push_back(pid);
  }
  closedir(directory);
  for (const pid_t pid : all)
    if (pid != getpid() &&
        has_argument(read_whole("/proc/" + std::to_string(pid) + "/cmdline"), argument) &&
        is_alive(pid))
      found.push_back(pid);
  return found;
}

std::size_t end_processes_with(const std::string& argument, double linger_s, double grace_s) {
  constexpr auto interval = std::chrono::milliseconds(20);
  constexpr double given_up_s = 2;  // after SIGKILL: one that the kernel can't end
  const double started_s = monotonic_s();
  std::set<pid_t> seen, asked;
  for (;; std::this_thread::sleep_for(interval)) {
    const std::vector<pid_t> left = processes_with(argument);
    seen.insert(left.begin(), left.end());
    const double elapsed_s = monotonic_s() - started_s;
    if (left.empty() || elapsed_s > linger_s + grace_s + given_up_s) return seen.size();
    for (const pid_t pid : left) {
      if (elapsed_s > linger_s + grace_s)
        kill(pid, SIGKILL);
      else if (elapsed_s >= linger_s && asked.insert(pid).second)
        kill(pid, SIGTERM);
    }
  }
}

}  // namespace roofmark
