#include "process_threads.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>

namespace roofmark {

std::vector<pid_t> threads_of(pid_t process) {
  namespace fs = std::filesystem;
  std::vector<pid_t> threads;
  std::error_code gone;
  fs::directory_iterator entry("/proc/" + std::to_string(process) + "/task", gone);
  for (; !gone && entry != fs::directory_iterator(); entry.increment(gone)) {
    const std::string name = entry->path().filename().string();
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc())
      threads.push_back(thread);
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

}  // namespace roofmark
