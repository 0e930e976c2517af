#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace roofmark {
namespace {

Problem system_problem(const std::string& where, int error, const std::string& remedy = "") {
  return {std::strerror(error), where, remedy};
}

/// A closed pipe is an error to report by the exit status, not a signal to die by.
void ignore_broken_pipes() {
  std::signal(SIGPIPE, SIG_IGN);
}

std::optional<Problem> write_and_close(int descriptor, const std::string& path,
                                       std::string_view text) {
  int error = write_all(descriptor, text);
  // Some file systems tell only here that the disk is full.
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) return system_problem(path, error, "give another file with -o");
  return std::nullopt;
}

}  // namespace

Result<std::string> write_new_file(const std::string& stem, const std::string& suffix,
                                   std::string_view text) {
  constexpr int most_names = 10000;
  for (int number = 1; number <= most_names; ++number) {
    const std::string path =
        stem + (number == 1 ? std::string() : "-" + std::to_string(number)) + suffix;
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0)
      return tl::unexpected(system_problem(path, errno, "give another file with -o"));
    if (auto problem = write_and_close(descriptor, path, text)) {
      unlink(path.c_str());
      return tl::unexpected(*problem);
    }
    return path;
  }
  return tl::unexpected(
      Problem{"too many reports of this name", stem + suffix, "give a file with -o"});
}

std::optional<Problem> write_standard_output(std::string_view text) {
  ignore_broken_pipes();
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0) return std::nullopt;
  if (error == EPIPE) return Problem{};
  return system_problem("standard output", error);
}

Result<std::string> read_input(const std::string& path, const std::string& give) {
  const bool standard = path == "-";
  const int descriptor = standard ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return tl::unexpected(system_problem(path, errno, give));
  // Larger than any profile of 10^6 regions; without a limit /dev/zero would never end.
  constexpr std::size_t most_bytes = std::size_t{2} << 30;
  std::string text;
  char buffer[1 << 16];
  std::optional<Problem> problem;
  while (true) {
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) problem = system_problem(path, errno, give);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > most_bytes) {
      problem = Problem{"larger than 2 GiB", path, give};
      break;
    }
  }
  if (!standard) close(descriptor);
  if (problem) return tl::unexpected(*problem);
  return text;
}

}  // namespace roofmark
