#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <analysis/files/descriptor.hpp>
#include <analysis/files/leftovers.hpp>
#include <analysis/files/write_file.hpp>
#include <cerrno>
#include <cstring>

namespace roofmark {
namespace {

namespace fs = std::filesystem;

/// While it lives, a write to a pipe without a reader fails in this thread, and raises nothing.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipeSignal() {
    const timespec at_once{};
    if (!was_pending_)
      while (sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

/// Where a chain of symbolic links ends, whether or not anything is there.
fs::path end_of_links(fs::path path) {
  constexpr int most_links = 40;  // as the kernel has it
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(path, error); ++i) {
    const fs::path to = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / to;  // an absolute one replaces what is before it
  }
  return path;
}

constexpr const char* beside_prefix = ".roofmark-";
constexpr const char* beside_suffix = ".tmp";

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

/// A name in the same directory, so that the file can take the other's place. A short one of its
/// own: a suffix might make the other's too long.
fs::path name_beside(const fs::path& target, int number) {
  return folder_of(target) /
         (beside_prefix + std::to_string(getpid()) + "-" + std::to_string(number) + beside_suffix);
}

constexpr int most_names = 100;

/// A new file beside `target` that has a name from the start, and is held. The kernel applies the
/// umask, which can't be read without setting it for all threads.
Descriptor make_beside(const fs::path& target, fs::path& name) {
  remove_leftovers(folder_of(target), beside_prefix, beside_suffix);
  for (int number = 0; number < most_names; ++number) {
    name = name_beside(target, number);
    Descriptor made(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (made && hold(made.get(), name)) return made;
    if (!made && errno != EEXIST) break;
  }
  return {};
}

/// Gives a name beside `target` to a file that has none. 0 or an error.
int name_file(int descriptor, const fs::path& target, fs::path& name) {
  const std::string open_file = "/proc/self/fd/" + std::to_string(descriptor);
  for (int number = 0; number < most_names; ++number) {
    name = name_beside(target, number);
    if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return 0;
    if (errno != EEXIST) break;
  }
  return errno;
}

/// 0 or an error.
int write_directly(const fs::path& path, std::string_view text) {
  const NoBrokenPipeSignal guard;
  Descriptor descriptor(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return descriptor ? write_all(descriptor.get(), text) : errno;
}

/// Writes into a new file that replaces another. 0 or an error.
int fill(int descriptor, const struct stat* old, std::string_view text) {
  if (old != nullptr) {
    // The owner first: changing it may clear bits of the mode. It may not be allowed.
    [[maybe_unused]] const int owned = fchown(descriptor, old->st_uid, old->st_gid);
    fchmod(descriptor, old->st_mode & 07777);
  }
  if (const int error = write_all(descriptor, text); error != 0) return error;
  // Some file systems tell only here that the disk is full.
  return fsync(descriptor) == 0 ? 0 : errno;
}

/// Moves the new file to the other's place. 0 or an error.
int move_to(const fs::path& target, const fs::path& name) {
  if (rename(name.c_str(), target.c_str()) == 0) return 0;
  const int error = errno;
  unlink(name.c_str());
  return error;
}

/// 0 or an error.
int replace(const fs::path& target, const struct stat* old, std::string_view text) {
  if (old != nullptr && access(target.c_str(), W_OK) != 0) return errno;
  fs::path name;
  // Without a name until it is complete: nothing is left of it if we are killed before.
  if (const Descriptor unnamed{
          open(folder_of(target).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666)}) {
    if (const int error = fill(unnamed.get(), old, text); error != 0) return error;
    if (name_file(unnamed.get(), target, name) == 0) return move_to(target, name);
  }
  // Not every file system has such files, and they get no name where /proc is not there.
  const Descriptor named = make_beside(target, name);
  if (!named) return errno;
  const int error = fill(named.get(), old, text);
  if (error == 0) return move_to(target, name);
  unlink(name.c_str());
  return error;
}

}  // namespace

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::optional<Problem> write_file(const fs::path& path, std::string_view text,
                                  const std::string& remedy) {
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  int error = 0;
  if (!exists && errno != ENOENT)
    error = errno;
  else if (exists && !S_ISREG(status.st_mode))
    error = write_directly(path, text);
  else
    error = replace(end_of_links(path), exists ? &status : nullptr, text);
  if (error == 0) return std::nullopt;
  return Problem{std::strerror(error), path.string(), remedy};
}

}  // namespace roofmark
