#include "results_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace roofmark::cupti {
namespace {

/// A write beyond RLIMIT_FSIZE raises SIGXFSZ in the thread that writes: held back there, and taken
/// away again if it was not pending before.
class SizeSignalHeld {
 public:
  SizeSignalHeld() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    pending_before_ = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    held_ = pthread_sigmask(SIG_BLOCK, &signal_, &before_) == 0;
  }
  ~SizeSignalHeld() {
    if (!held_) return;
    const timespec at_once{0, 0};
    if (!pending_before_)
      while (sigtimedwait(&signal_, nullptr, &at_once) == SIGXFSZ) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SizeSignalHeld(const SizeSignalHeld&) = delete;
  SizeSignalHeld& operator=(const SizeSignalHeld&) = delete;

 private:
  sigset_t signal_, before_;
  bool pending_before_ = false, held_ = false;
};

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

constexpr mode_t readable_by_all = 0644;

}  // namespace

bool ResultsFile::claim(const std::string& directory, std::int64_t pid) {
  // An exec keeps the pid, and a killed process may have left the beginning of a file.
  constexpr std::uint32_t most = 10000;
  for (sequence_ = 0; sequence_ < most; ++sequence_) {
    path_ = directory + "/gpu-" + std::to_string(pid) + "-" + std::to_string(sequence_) + ".jsonl";
    if (access(path_.c_str(), F_OK) == 0) continue;
    const int file =
        open((path_ + ".new").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readable_by_all);
    if (file >= 0) {
      close(file);
      return true;
    }
    if (errno != EEXIST) break;
  }
  path_.clear();
  return false;
}

bool ResultsFile::replace(std::string_view text) {
  if (path_.empty()) return false;
  const std::string fresh = path_ + ".new";
  const SizeSignalHeld held;
  const int file =
      open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, readable_by_all);
  if (file < 0) return false;
  const bool whole = write_all(file, text);
  const bool closed = close(file) == 0;
  if (whole && closed && rename(fresh.c_str(), path_.c_str()) == 0) return true;
  unlink(fresh.c_str());
  return false;
}

}  // namespace roofmark::cupti
