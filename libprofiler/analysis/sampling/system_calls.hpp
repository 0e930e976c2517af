// Tells code that waits for the kernel: a thread that is interrupted in a system call is seen at
// the instruction behind the call.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace roofmark::sampling {

class SystemCalls {
 public:
  /// Whether the bytes before `offset` of the file are the instruction that calls the kernel; no
  /// where the file can't be read.
  bool returns_to(const std::string& file, std::uint64_t offset);

 private:
  std::map<std::pair<std::string, std::uint64_t>, bool> known_;
};

}  // namespace roofmark::sampling
