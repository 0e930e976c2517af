#include "read_small.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "descriptor.hpp"

namespace roofmark {

std::string read_small(const std::string& path) {
  Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[4096];
  const ssize_t got = fd ? read(fd.get(), buffer, sizeof buffer) : -1;
  return got > 0 ? std::string(buffer, static_cast<std::size_t>(got)) : std::string();
}

}  // namespace roofmark
