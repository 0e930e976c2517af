#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#include <analysis/machine/stopwatch.hpp>
#include <analysis/record/executable_lock.hpp>
#include <cerrno>

namespace roofmark {
namespace {

std::optional<Descriptor> lock(const std::string& file, int how) {
  Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened) return Descriptor();
  while (flock(opened.get(), how | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::nullopt;
    if (errno != EINTR) return Descriptor();
  }
  return opened;
}

}  // namespace

std::optional<Descriptor> lock_to_probe(const std::string& file) {
  return lock(file, LOCK_EX);
}

std::optional<Descriptor> lock_to_count(const std::string& file, double patience_s) {
  const double until_s = monotonic_s() + patience_s;
  for (;;) {
    auto locked = lock(file, LOCK_SH);
    if (locked || monotonic_s() >= until_s) return locked;
    constexpr timespec a_while{0, 20'000'000};
    nanosleep(&a_while, nullptr);
  }
}

}  // namespace roofmark
