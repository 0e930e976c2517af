#include "command_output.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "descriptor.hpp"
#include "write_file.hpp"

extern char** environ;

namespace roofmark {
namespace {

std::string read_from_start(int descriptor) {
  std::string text;
  if (lseek(descriptor, 0, SEEK_SET) != 0) return text;
  std::array<char, 1 << 16> part{};
  for (ssize_t got = 0; (got = read(descriptor, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

}  // namespace

CommandOutput output_of(std::vector<std::string> command, std::string_view input,
                        Messages messages) {
  CommandOutput result;
  const Descriptor in(memfd_create("input", MFD_CLOEXEC));
  const Descriptor out(memfd_create("output", MFD_CLOEXEC));
  if (!in || !out) {
    result.no_room = errno;
    return result;
  }
  result.no_room = write_all(in.get(), input);
  if (result.no_room != 0) return result;
  lseek(in.get(), 0, SEEK_SET);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.get(), STDOUT_FILENO);
  if (messages == Messages::hidden)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  result.not_started =
      posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (result.not_started != 0) return result;
  while (waitpid(child, &result.wait_status, 0) < 0 && errno == EINTR) {
  }
  result.text = read_from_start(out.get());
  return result;
}

}  // namespace roofmark
