#include "picture.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <analysis/files/descriptor.hpp>
#include <array>
#include <cerrno>
#include <cstring>

extern char** environ;

namespace roofmark {
namespace {

constexpr const char* converter = "rsvg-convert";

/// A file in memory: both ends of the converter are files, so neither waits for the other.
Descriptor memory_file(const char* name) {
  return Descriptor(memfd_create(name, MFD_CLOEXEC));
}

bool write_all(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t part = write(fd, text.data() + at, text.size() - at);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) return false;
    at += static_cast<std::size_t>(part);
  }
  return lseek(fd, 0, SEEK_SET) == 0;
}

std::string read_all(int fd) {
  std::string text;
  if (lseek(fd, 0, SEEK_SET) != 0) return text;
  std::array<char, 1 << 16> part{};
  for (ssize_t got = 0; (got = read(fd, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

tl::unexpected<Problem> failure(const std::string& reason, const std::string& format) {
  return tl::unexpected(Problem{reason, "--format " + format, "--format svg needs no converter"});
}

}  // namespace

Result<std::string> picture_of(const std::string& svg, const std::string& format) {
  const Descriptor input = memory_file("chart.svg"), output = memory_file("chart");
  if (!input || !output || !write_all(input.get(), svg))
    return failure(std::string("no memory for the picture: ") + std::strerror(errno), format);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  std::array<std::string, 5> words{converter, "--format", format, "--zoom",
                                   format == "png" ? "2" : "1"};
  std::array<char*, 6> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  pid_t child = 0;
  const int error = posix_spawnp(&child, converter, &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    return tl::unexpected(Problem{std::string("`") + converter + "` is not installed",
                                  "--format " + format,
                                  "apt-get install librsvg2-bin, or --format svg"});
  if (error != 0)
    return failure(std::string("`") + converter + "` can't be started: " + std::strerror(error),
                   format);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::string picture = read_all(output.get());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || picture.empty())
    return failure(std::string("`") + converter + "` could not draw the chart", format);
  return picture;
}

}  // namespace roofmark
