#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <analysis/files/descriptor.hpp>
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

struct Opened {
  Descriptor descriptor;
  fs::path path;
};

/// A new file in the same directory, so that it can take the other's place. A short name of its
/// own: a suffix might make the other's too long.
Opened open_beside(const fs::path& target) {
  constexpr int most_names = 100;
  Opened opened;
  for (int number = 0; number < most_names; ++number) {
    opened.path = target.parent_path() /
                  (".roofmark-" + std::to_string(getpid()) + "-" + std::to_string(number) + ".tmp");
    // The kernel applies the umask, which can't be read without setting it for all threads.
    opened.descriptor =
        Descriptor(open(opened.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (opened.descriptor || errno != EEXIST) break;
  }
  return opened;
}

/// 0 or an error.
int write_directly(const fs::path& path, std::string_view text) {
  const NoBrokenPipeSignal guard;
  Descriptor descriptor(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return descriptor ? write_all(descriptor.get(), text) : errno;
}

/// 0 or an error.
int replace(const fs::path& target, const struct stat* old, std::string_view text) {
  if (old != nullptr && access(target.c_str(), W_OK) != 0) return errno;
  Opened beside = open_beside(target);
  if (!beside.descriptor) return errno;
  const int descriptor = beside.descriptor.get();
  if (old != nullptr) {
    // The owner first: changing it may clear bits of the mode. It may not be allowed.
    [[maybe_unused]] const int owned = fchown(descriptor, old->st_uid, old->st_gid);
    fchmod(descriptor, old->st_mode & 07777);
  }
  int error = write_all(descriptor, text);
  // Some file systems tell only here that the disk is full.
  if (error == 0 && fsync(descriptor) != 0) error = errno;
  if (error == 0 && rename(beside.path.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) unlink(beside.path.c_str());
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
