// A disk of a given size, for a child process alone.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <string>

namespace roofmark::test {

inline void write_line(const char* path, const std::string& line) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  if (write(file, line.data(), line.size()) < 0) {
  }
  close(file);
}

/// A tmpfs over the directory in a mount namespace of this process, as root or in a user namespace.
/// `options`: "size=512k". False: not allowed here.
inline bool mount_small_disk(const std::string& directory, const char* options) {
  const auto uid = getuid();
  const auto gid = getgid();
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    write_line("/proc/self/setgroups", "deny");
    write_line("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1");
    write_line("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1");
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return mount("roofmark-test", directory.c_str(), "tmpfs", 0, options) == 0;
}

}  // namespace roofmark::test
