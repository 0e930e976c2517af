#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <analysis/files/descriptor.hpp>
#include <analysis/record/loaded_libraries.hpp>
#include <analysis/text/parsing.hpp>
#include <array>
#include <cerrno>
#include <sstream>
#include <string>

extern char** environ;

namespace roofmark {
namespace {

/// The loader that this process was started by: the target's too, where both are of one kind.
std::string own_loader() {
  std::string loader;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        for (int i = 0; i < object->dlpi_phnum; ++i)
          if (object->dlpi_phdr[i].p_type == PT_INTERP)
            *static_cast<std::string*>(found) =
                reinterpret_cast<const char*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        return 1;  // the first is the program
      },
      &loader);
  return loader;
}

std::string output_of(const std::string& command, std::array<std::string, 3> words) {
  const Descriptor output(memfd_create("libraries", MFD_CLOEXEC));
  if (!output) return {};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, command.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return {};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::string text;
  std::array<char, 4096> part{};
  if (lseek(output.get(), 0, SEEK_SET) != 0) return {};
  for (ssize_t got = 0; (got = read(output.get(), part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

}  // namespace

std::vector<std::string> loaded_libraries(const std::filesystem::path& program) {
  std::vector<std::string> names;
  const std::string loader = own_loader();
  if (loader.empty() || program.empty()) return names;
  std::istringstream lines(output_of(loader, {loader, "--list", program.string()}));
  // "	libblas.so.3 => /lib/libblas.so.3 (0x...)"
  for (std::string line; std::getline(lines, line);) {
    const std::string_view name = text::trimmed(std::string_view(line).substr(0, line.find(" ")));
    if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos)
      names.emplace_back(name.substr(slash + 1));
    else if (!name.empty())
      names.emplace_back(name);
  }
  return names;
}

}  // namespace roofmark
