#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <analysis/record/stdin_capture.hpp>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

namespace roofmark {
namespace {

constexpr const char* file_instead = "give it its input as a file: CMD < FILE";

bool write_all(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(fd, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

/// Waits until `fd` is ready; false when `wake` was closed first.
bool wait_until_ready(int fd, short events, int wake) {
  for (;;) {
    std::array<pollfd, 2> entries{{{fd, events, 0}, {wake, 0, 0}}};
    if (poll(entries.data(), entries.size(), -1) < 0 && errno != EINTR) return false;
    if (entries[1].revents != 0) return false;
    if (entries[0].revents != 0) return true;
  }
}

}  // namespace

StdinCapture::StdinCapture(const std::filesystem::path& directory, std::uint64_t bound_bytes)
    : bound_bytes_(bound_bytes), copy_path_(directory / "stdin") {
  struct stat status {};
  const int descriptor_flags = fcntl(STDIN_FILENO, F_GETFD);
  // The command fills closed standard descriptors with placeholders that are closed on exec.
  if (descriptor_flags < 0 || (descriptor_flags & FD_CLOEXEC) != 0 ||
      fstat(STDIN_FILENO, &status) != 0)
    return;
  if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode)) {
    kind_ = Kind::file;
    offset_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
    return;
  }
  if (S_ISCHR(status.st_mode)) {
    kind_ = isatty(STDIN_FILENO) == 1 ? Kind::terminal : Kind::null;
    return;
  }
  kind_ = Kind::stream;
  if (bound_bytes == 0) {
    incomplete_ = true;
    why_incomplete_ = "no copy was asked for";
    return;
  }
  if (const std::string problem = stand_between(); !problem.empty()) {
    // The target gets what is there itself.
    to_target_.close();
    from_source_.close();
    incomplete_ = true;
    why_incomplete_ = "no copy of stdin could be made: " + problem;
  }
}

/// Whatever can fail does so before the target runs, which would wait for its input.
std::string StdinCapture::stand_between() {
  copy_ = Descriptor(open(copy_path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  if (!copy_) return std::strerror(errno);
  for (const auto& [reader, writer] :
       {std::pair{&to_target_, &from_source_}, std::pair{&wake_reader_, &wake_writer_}}) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return std::strerror(errno);
    *reader = Descriptor(ends[0]);
    *writer = Descriptor(ends[1]);
  }
  try {
    thread_ = std::thread([this] { pump(); });
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

StdinCapture::~StdinCapture() {
  stop();
}

void StdinCapture::target_started() {
  if (!from_source_) return;
  to_target_.close();
  const char started = 1;
  [[maybe_unused]] const ssize_t told = write(wake_writer_.get(), &started, 1);
}

void StdinCapture::pump() {
  const int wake = wake_reader_.get();
  char started = 0;
  // No byte is taken for a target that can't be started.
  while (read(wake, &started, 1) < 0 && errno == EINTR) {
  }
  if (started == 0) return;
  std::array<char, 65536> buffer;
  std::uint64_t copied = 0;
  fcntl(from_source_.get(), F_SETFL, O_NONBLOCK);
  for (;;) {
    if (!wait_until_ready(STDIN_FILENO, POLLIN, wake)) break;
    const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) break;
    const auto size = static_cast<std::size_t>(got);
    copied += size;
    if (!incomplete_ && (copied > bound_bytes_ || !write_all(copy_.get(), buffer.data(), size))) {
      why_incomplete_ = copied > bound_bytes_
                            ? "stdin was longer than " + std::to_string(bound_bytes_) + " bytes"
                            : std::string("stdin could not be copied: ") + std::strerror(errno);
      incomplete_ = true;
    }
    // The target may have closed its stdin: then there is nobody to read for.
    bool open = true;
    for (std::size_t sent = 0; open && sent < size;) {
      if (!wait_until_ready(from_source_.get(), POLLOUT, wake)) {
        open = false;
        break;
      }
      const ssize_t written = write(from_source_.get(), buffer.data() + sent, size - sent);
      if (written > 0)
        sent += static_cast<std::size_t>(written);
      else if (errno != EAGAIN && errno != EINTR)
        open = false;
    }
    if (!open) break;
  }
  from_source_.close();
}

void StdinCapture::stop() {
  wake_writer_.close();
  if (thread_.joinable()) thread_.join();
  from_source_.close();
  to_target_.close();
}

Result<Descriptor> StdinCapture::replay() const {
  if (incomplete_) return tl::unexpected(Problem{why_incomplete_, "stdin", file_instead});
  // Nobody types a second time: a program that reads the terminal finds its end there.
  const char* source = "/dev/null";
  if (kind_ == Kind::file) source = "/proc/self/fd/0";
  if (kind_ == Kind::stream) source = copy_path_.c_str();
  Descriptor fd(open(source, O_RDONLY | O_CLOEXEC));
  if (!fd)
    return tl::unexpected(Problem{std::string("can't be read again: ") + std::strerror(errno),
                                  "stdin", file_instead});
  if (kind_ == Kind::file && offset_ > 0) lseek(fd.get(), offset_, SEEK_SET);
  return fd;
}

}  // namespace roofmark
