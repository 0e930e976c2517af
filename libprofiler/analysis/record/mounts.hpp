// The mounts of this process's namespace, as /proc/self/mountinfo lists them.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace roofmark {

struct Mount {
  int id = 0;
  int parent = 0;
  std::string point;  ///< raw bytes, escapes undone
  std::string type;   ///< "ext4"
  bool read_only = false;
};

/// Lines that can't be understood are left out.
std::vector<Mount> parse_mountinfo(const std::string& text);

/// Whether a file system of this type holds files of users, rather than an interface of the kernel.
bool holds_files(const std::string& type);

}  // namespace roofmark
