#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <analysis/files/descriptor.hpp>
#include <analysis/record/launch.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>

extern char** environ;

namespace roofmark {
namespace {

/// What the child says through the pipe, in one write.
struct Message {
  enum Kind : std::int32_t { starting, exec_failed, prepare_failed, smaller_environment };
  Kind kind;
  std::int32_t error;
  double time_s;
};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  // exec takes non-const pointers for historical reasons and does not write through them.
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

void say(int pipe, Message::Kind kind, int error) {
  const Message message{kind, error, monotonic_s()};
  [[maybe_unused]] const ssize_t written = write(pipe, &message, sizeof message);
}

/// In the child, which must not go on with what its parent was about to do.
int prepare(const Launch& launch) noexcept {
  try {
    return launch.prepare();
  } catch (const std::exception&) {
    return ENOMEM;
  }
}

/// In the child: until the parent has closed its end, or is gone.
void wait_at(Descriptor& reader, Descriptor& writer) {
  writer.close();
  char nothing = 0;
  while (reader && read(reader.get(), &nothing, 1) < 0 && errno == EINTR) {
  }
}

LaunchFailure not_executed(const std::string& name, int error) {
  const std::string reason = std::strerror(error);
  if (error == ENOENT || error == ENOTDIR) {
    const bool is_path = name.find('/') != std::string::npos;
    if (is_path && access(name.c_str(), F_OK) == 0)
      return {127,
              {"the interpreter that it names does not exist", name,
               "check its first line, or the loader that `file` shows"}};
    return {
        127,
        {"command not found", name, is_path ? "" : "check PATH, or name it with its directory"}};
  }
  std::error_code unknown;
  if (error == EACCES && std::filesystem::is_directory(name, unknown))
    return {126, {"it is a directory and no program", name, "name a program in it"}};
  const bool may_help = error == EACCES;
  return {126, {"can't be executed: " + reason, name, may_help ? "chmod +x it" : ""}};
}

}  // namespace

tl::expected<Launched, LaunchFailure> launch(const Launch& launch) {
  if (launch.command.empty())
    return tl::unexpected(
        LaunchFailure{125, {"no command was given", "", "roofmark record -- CMD"}});
  // All memory is allocated before fork: another thread may hold the allocator's lock.
  const std::vector<char*> arguments = pointers(launch.command);
  const std::vector<char*> variables = pointers(launch.environment);
  const std::vector<char*> fewer_variables = pointers(launch.smaller_environment);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return tl::unexpected(
        LaunchFailure{125, {std::string("no pipe: ") + std::strerror(errno), "", ""}});
  Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  int gate[2] = {-1, -1};  // closed: the child may go on
  if (launch.before_exec && pipe2(gate, O_CLOEXEC) != 0)
    return tl::unexpected(
        LaunchFailure{125, {std::string("no pipe: ") + std::strerror(errno), "", ""}});
  Descriptor gate_reader(gate[0]);
  Descriptor gate_writer(gate[1]);

  const pid_t pid = fork();
  if (pid < 0)
    return tl::unexpected(LaunchFailure{
        125, {std::string("no process can be made: ") + std::strerror(errno), "", ""}});
  if (pid == 0) {
    if (launch.prepare) {
      if (const int error = prepare(launch); error != 0) {
        say(writer.get(), Message::prepare_failed, error);
        _exit(125);
      }
    }
    pthread_sigmask(SIG_SETMASK, &launch.signal_mask, nullptr);
    wait_at(gate_reader, gate_writer);
    say(writer.get(), Message::starting, 0);
    execvpe(arguments[0], arguments.data(), variables.data());
    if (errno == E2BIG && !launch.smaller_environment.empty()) {
      say(writer.get(), Message::smaller_environment, 0);
      execvpe(arguments[0], arguments.data(), fewer_variables.data());
    }
    say(writer.get(), Message::exec_failed, errno);
    _exit(126);
  }

  writer.close();
  gate_reader.close();
  if (launch.before_exec) launch.before_exec(pid);
  gate_writer.close();
  Launched launched;
  launched.pid = pid;
  Message message{};
  ssize_t got = 0;
  while ((got = read(reader.get(), &message, sizeof message)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got != ssize_t{sizeof message}) break;
    if (message.kind == Message::starting) {
      launched.started_s = message.time_s;
      continue;
    }
    if (message.kind == Message::smaller_environment) {
      launched.smaller_environment = true;
      continue;
    }
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (message.kind == Message::prepare_failed)
      return tl::unexpected(LaunchFailure{
          125, {std::string("can't be prepared: ") + std::strerror(message.error), "", ""}});
    return tl::unexpected(not_executed(launch.command.front(), message.error));
  }
  return launched;
}

std::vector<std::string> current_environment() {
  std::vector<std::string> result;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    result.emplace_back(*variable);
  return result;
}

void set_variable(std::vector<std::string>& environment, const std::string& name,
                  const std::string& value, char separator) {
  const std::string start = name + "=";
  for (std::string& variable : environment) {
    if (variable.compare(0, start.size(), start) != 0) continue;
    const std::string old = variable.substr(start.size());
    variable = start + value;
    if (separator != '\0' && !old.empty()) variable += separator + old;
    return;
  }
  environment.push_back(start + value);
}

}  // namespace roofmark
