#include "descriptor_room.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace roofmark::perf {
namespace {

// The kernel's table of descriptors has a place for every number below the highest, and fork()
// copies it: a soft limit of a million is no reason for a table of eight megabytes.
constexpr rlim_t highest_start = 4096;

}  // namespace

DescriptorRoom::DescriptorRoom() {
  if (getrlimit(RLIMIT_NOFILE, &before_) != 0) return;
  rlim_t lowest = before_.rlim_cur;
  if (before_.rlim_max > before_.rlim_cur) {
    const rlimit whole = {before_.rlim_max, before_.rlim_max};
    raised_ = setrlimit(RLIMIT_NOFILE, &whole) == 0;
  }
  if (!raised_) lowest /= 2;
  if (lowest > highest_start) lowest = highest_start;
  lowest_ = static_cast<int>(lowest);
}

DescriptorRoom::~DescriptorRoom() {
  if (raised_) setrlimit(RLIMIT_NOFILE, &before_);
}

int DescriptorRoom::move(int descriptor) const {
  if (descriptor < 0 || descriptor >= lowest_) return descriptor;
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest_);
  const int error = errno;
  close(descriptor);
  errno = error == EINVAL && moved < 0 ? EMFILE : error;  // no number that high is allowed
  return moved;
}

}  // namespace roofmark::perf
