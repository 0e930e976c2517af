#include "file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "libprofiler/arena/network_file_systems.h"
#include "libprofiler/arena/rank.h"
#include "memory.hpp"

namespace roofmark::runtime {
namespace {

constexpr uint64_t header_bytes = 4096;

constexpr uint32_t network_file_systems[] = {
#define ROOFMARK_MAGIC(magic, name) magic,
    ROOFMARK_NETWORK_FILE_SYSTEMS(ROOFMARK_MAGIC)
#undef ROOFMARK_MAGIC
};

bool on_network(int file) {
  struct statfs system;
  if (fstatfs(file, &system) != 0) return false;
  for (uint32_t magic : network_file_systems)
    if (static_cast<uint32_t>(system.f_type) == magic) return true;
  return false;
}

uint64_t start_of_process() {
  char text[1024];
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  if (got <= 0) return 0;
  text[got] = '\0';
  // The second field is the name in parentheses and may hold anything; field 3 follows the last
  // ')'.
  const char* at = strrchr(text, ')');
  for (int field = 2; at != nullptr && field < 22; ++field) at = strchr(at + 1, ' ');
  uint64_t start = 0;
  if (at != nullptr)
    for (++at; *at >= '0' && *at <= '9'; ++at)
      start = start * 10 + static_cast<uint64_t>(*at - '0');
  return start;
}

uint32_t copy_host(char* to, size_t room) {
  utsname name;
  if (uname(&name) != 0) return 0;
  const size_t length = strnlen(name.nodename, room);
  memcpy(to, name.nodename, length);
  return static_cast<uint32_t>(length);
}

// The host's name as a part of a file name.
void portable(char* text) {
  for (; *text != '\0'; ++text) {
    const char c = *text;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '_' && c != '.') *text = '_';
  }
}

}  // namespace

// posix_fallocate and not ftruncate: a sparse file raises SIGBUS in the program when the disk is
// full. The limit is checked first because exceeding it raises SIGXFSZ in the program.
void* reserve_mapped(int file, uint64_t offset, uint64_t bytes, int& error) {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      offset + bytes > limit.rlim_cur) {
    error = EFBIG;
    return nullptr;
  }
  error = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  if (error != 0) return nullptr;
  void* mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  if (mapped != MAP_FAILED) return mapped;
  error = errno;
  return nullptr;
}

bool File::create(const char* directory) {
  header_ = nullptr;
  if (strlen(directory) >= sizeof directory_) return false;
  if (directory != directory_) strcpy(directory_, directory);

  char host[256] = {};
  const uint32_t host_length = copy_host(host, sizeof host - 1);
  char host_part[65] = {};
  memcpy(host_part, host, host_length < 64 ? host_length : 64);
  portable(host_part);
  const uint64_t start = start_of_process();

  // exec keeps both pid and start time: the sequence tells the images apart.
  int file = -1;
  unsigned sequence = 0;
  for (; sequence < 100000; ++sequence) {
    snprintf(path_, sizeof path_, "%s/%s-%d-%llu-%u.arena", directory_, host_part,
             static_cast<int>(getpid()), static_cast<unsigned long long>(start), sequence);
    file = open(path_, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0 || errno != EEXIST) break;
  }
  if (file < 0) return false;
  struct stat status;
  int error = 0;
  void* mapped = nullptr;
  if (!on_network(file) && fstat(file, &status) == 0)
    mapped = reserve_mapped(file, 0, header_bytes, error);
  close(file);
  if (mapped == nullptr) {
    unlink(path_);
    return false;
  }
  device_ = status.st_dev;
  inode_ = status.st_ino;

  auto* header = static_cast<arena::FileHeader*>(mapped);
  header->version = arena::layout_version;
  header->byte_order = arena::byte_order_mark;
  header->header_bytes = header_bytes;
  header->pid = getpid();
  header->ppid = getppid();
  header->process_start = start;
  header->file_sequence = sequence;
  header->file_bytes = header_bytes;
  header->host_bytes = host_length;
  memcpy(header->host, host, host_length);
  const ssize_t length = readlink("/proc/self/exe", header->executable, sizeof header->executable);
  header->executable_bytes = length > 0 ? static_cast<uint32_t>(length) : 0;
  const arena::RankNumbers rank = arena::rank_of([](const char* name) { return getenv(name); });
  if (rank.launcher != nullptr) {
    header->rank = static_cast<uint32_t>(rank.rank);
    header->ranks = static_cast<uint32_t>(rank.ranks);
  }
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  header->realtime_ns =
      static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
  store_release(header->magic, arena::file_magic);
  header_ = header;
  return true;
}

arena::SegmentHeader* File::add_segment(uint64_t bytes) {
  int error = 0;
  void* mapped = nullptr;
  const uint64_t offset = header_->file_bytes;
  const int file = open(path_, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0)
    error = errno;
  else if (status.st_dev != device_ || status.st_ino != inode_)
    error = ESTALE;
  else
    mapped = reserve_mapped(file, offset, bytes, error);
  if (file >= 0) close(file);
  if (mapped == nullptr) {
    header_->grow_errno = error;
    return nullptr;
  }
  auto* segment = static_cast<arena::SegmentHeader*>(mapped);
  segment->bytes = bytes;
  segment->used = sizeof(arena::SegmentHeader);
  store_release(segment->magic, arena::segment_magic);
  store_release(header_->file_bytes, offset + bytes);
  last_segment_ = offset;
  return segment;
}

}  // namespace roofmark::runtime
