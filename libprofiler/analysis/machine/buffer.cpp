#include "buffer.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "stopwatch.hpp"

namespace roofmark {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// The field `name` of /proc/meminfo, in bytes.
std::size_t memory_field(const std::string& name) {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line))
    if (line.rfind(name + ":", 0) == 0)
      return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) * 1024;
  return 0;
}

/// What the tightest cgroup on the way to the root leaves.
std::uint64_t cgroup_room() {
  std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    const bool unified = line.rfind("0::", 0) == 0;
    if (!unified && line.find(":memory:") == std::string::npos) continue;
    const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    std::string path = line.substr(line.rfind(':') + 1);
    while (true) {
      const std::string folder = root + (path == "/" ? "" : path) + "/";
      const auto limit = number_in(folder + (unified ? "memory.max" : "memory.limit_in_bytes"));
      const auto used = number_in(folder + (unified ? "memory.current" : "memory.usage_in_bytes"));
      if (limit && used) room = std::min(room, *limit > *used ? *limit - *used : 0);
      if (path.size() <= 1) break;
      path = path.substr(0, path.rfind('/'));
    }
  }
  return room;
}

/// Binds to one node; without the right to, the pages stay where the kernel puts them.
void bind_to_node(void* data, std::size_t bytes, unsigned node) {
  constexpr unsigned bits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask(node / bits + 1, 0);
  mask[node / bits] |= 1UL << (node % bits);
  constexpr int preferred = 1;  // MPOL_PREFERRED
  syscall(SYS_mbind, data, bytes, preferred, mask.data(), mask.size() * bits + 1, 0);
}

}  // namespace

Result<Buffer> Buffer::reserve(std::size_t bytes, std::optional<unsigned> numa_node) {
  Buffer buffer;
  bytes = (bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
  const std::size_t mapped = bytes + huge_page_bytes;
  void* mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return tl::unexpected(
        Problem{"can't reserve " + std::to_string(bytes >> 20) + " MiB: " + std::strerror(errno),
                "memory", "raise `ulimit -v` or the memory limit"});
  buffer.mapping_ = static_cast<std::byte*>(mapping);
  buffer.mapped_ = mapped;
  const auto address = reinterpret_cast<std::uintptr_t>(mapping);
  buffer.data_ = buffer.mapping_ + (huge_page_bytes - address % huge_page_bytes) % huge_page_bytes;
  buffer.bytes_ = bytes;
  madvise(buffer.data_, bytes, MADV_HUGEPAGE);
  // A child of this process has no use for it.
  madvise(buffer.data_, bytes, MADV_DONTFORK);
  if (numa_node) bind_to_node(buffer.data_, bytes, *numa_node);
  return buffer;
}

Buffer::Buffer(Buffer&& other) noexcept {
  *this = std::move(other);
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(touched_, other.touched_);
  return *this;
}

Buffer::~Buffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

void Buffer::touch(std::size_t bytes, double limit_s) {
  const double start = monotonic_s();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes = std::min(bytes, bytes_);
  while (touched_ < bytes) {
    const std::size_t end = std::min(bytes, touched_ + huge_page_bytes);
    // Normal numbers, so that no kernel meets a denormal.
    constexpr double normal = 1.5;
    for (std::size_t at = touched_; at < end; at += page)
      std::fill_n(reinterpret_cast<double*>(data_ + at), page / sizeof(double), normal);
    touched_ = end;
    if (monotonic_s() - start > limit_s) break;
  }
}

std::size_t Buffer::page_bytes() const {
  const auto base = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::ifstream file("/proc/self/smaps");
  std::string line;
  bool inside = false;
  std::size_t huge = 0;
  const auto first = reinterpret_cast<std::uintptr_t>(data_);
  while (std::getline(file, line)) {
    std::uintptr_t from = 0, to = 0;
    char dash = 0;
    std::istringstream head(line);
    if (line.find('-') < 17 && head >> std::hex >> from >> dash >> to && dash == '-')
      inside = from < first + touched_ && to > first;
    else if (inside && line.rfind("AnonHugePages:", 0) == 0)
      huge += std::strtoull(line.c_str() + 14, nullptr, 10) * 1024;
  }
  const auto size = number_in("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
  return 2 * huge >= touched_ && touched_ > 0 ? size.value_or(huge_page_bytes) : base;
}

bool Buffer::use_base_pages() {
  if (mapping_ == nullptr || madvise(data_, bytes_, MADV_NOHUGEPAGE) != 0) return false;
  if (madvise(data_, bytes_, MADV_DONTNEED) != 0) return false;
  touched_ = 0;
  return true;
}

bool flush_from_caches([[maybe_unused]] const std::byte* data, [[maybe_unused]] std::size_t bytes) {
  [[maybe_unused]] constexpr std::size_t line = 64;
#if defined(__x86_64__)
  for (std::size_t at = 0; at < bytes; at += line) _mm_clflush(data + at);
  _mm_mfence();
  return true;
#elif defined(__aarch64__)
  for (std::size_t at = 0; at < bytes; at += line)
    __asm__ volatile("dc civac, %0" : : "r"(data + at) : "memory");
  __asm__ volatile("dsb sy" : : : "memory");
  return true;
#else
  return false;
#endif
}

std::size_t available_memory_bytes() {
  std::uint64_t room = memory_field("MemAvailable");
  room = std::min(room, cgroup_room());
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0;
    file >> pages;
    const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    room = std::min<std::uint64_t>(room, limit.rlim_cur > used ? limit.rlim_cur - used : 0);
  }
  return room;
}

}  // namespace roofmark
