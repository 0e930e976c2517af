#include "recorded.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (fs::temp_directory_path() / "roofmark-test-XXXXXX").string();
  path = mkdtemp(name.data());
}
TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  fs::remove_all(path, error);
}

namespace {

[[noreturn]] void become(const std::string& program, const std::string& scenario,
                         const RunOptions& options, const std::string& directory, int output) {
  dup2(output, 1);
  setenv("ROOFMARK_RECORDING", directory.c_str(), 1);
  setenv("RUNTIME_TARGETS", RUNTIME_TARGETS, 1);
  setenv("RUNTIME_LIBRARY", RUNTIME_LIBRARY, 1);
  if (options.preload) setenv("LD_PRELOAD", RUNTIME_LIBRARY, 1);
  for (std::string setting : options.environment) {
    const auto equals = setting.find('=');
    setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
  }
  if (options.before_exec) options.before_exec();
  const std::string path = std::string(RUNTIME_TARGETS) + "/" + program;
  execl(path.c_str(), program.c_str(), scenario.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

Recorded record(const std::string& program, const std::string& scenario,
                const RunOptions& options) {
  TemporaryDirectory temporary;
  const std::string directory = options.directory.empty() ? temporary.path : options.directory;
  Recorded recorded;
  int ends[2];
  if (pipe(ends) != 0) return recorded;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    become(program, scenario, options, directory, ends[1]);
  }
  close(ends[1]);
  char text[4096];
  for (ssize_t got; (got = read(ends[0], text, sizeof text)) > 0;)
    recorded.output.append(text, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  recorded.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  recorded.processes = roofmark::read_arenas(directory, recorded.problems);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error))
    if (entry.is_regular_file()) recorded.bytes += entry.file_size();
  return recorded;
}

Total total(const roofmark::RawProcess& process, const std::string& path) {
  Total sum;
  for (const auto& thread : process.threads)
    for (std::size_t i = 0; i < thread.nodes.size(); ++i) {
      std::string joined;
      for (const auto& name : thread.path(i)) joined += (joined.empty() ? "" : "|") + name;
      if (joined != path) continue;
      const auto& node = thread.nodes[i];
      sum.found = true;
      sum.visits += node.visits;
      if (node.visits != 0) sum.threads += node.threads;
      sum.adopted += node.adopted_visits;
      sum.ticks += node.sum_ticks;
      sum.flop += node.declared_flop;
      sum.bytes += node.declared_bytes;
      sum.open |= node.open_since.has_value();
      sum.mismatched |= node.mismatched;
      sum.wrong_thread |= node.wrong_thread;
      sum.inherited |= node.inherited;
      sum.unclosed |= node.unclosed;
      sum.torn |= node.torn;
    }
  return sum;
}

Total total(const Recorded& recorded, const std::string& path) {
  return recorded.processes.empty() ? Total{} : total(recorded.processes.front(), path);
}
