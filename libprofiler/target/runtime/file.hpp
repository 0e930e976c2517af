// The recording file of this process: grows by segments that are reserved on disk first and then
// mapped, so that a store never meets a full disk. No descriptor stays open: the program may close
// or reuse any number. Every function here needs the runtime's lock.
#pragma once

#include <sys/types.h>

#include "libprofiler/arena/layout.h"

namespace roofmark::runtime {

/// The bytes of an open file, reserved on disk and then mapped; null, and why.
void* reserve_mapped(int file, uint64_t offset, uint64_t bytes, int& error);

class File {
 public:
  /// Creates DIRECTORY/HOST-PID-START-SEQUENCE.arena. False: no recording, nothing is left behind.
  bool create(const char* directory);
  /// The next segment of at least so many bytes, reserved and mapped; null: there is no room.
  arena::SegmentHeader* add_segment(uint64_t bytes);

  arena::FileHeader* header() const { return header_; }
  const char* directory() const { return directory_; }
  const char* path() const { return path_; }
  /// A mapped address as an offset in the file.
  static uint64_t offset_of(const arena::SegmentHeader* segment, uint64_t segment_offset,
                            const void* item) {
    return segment_offset + static_cast<uint64_t>(static_cast<const char*>(item) -
                                                  reinterpret_cast<const char*>(segment));
  }
  uint64_t last_segment_offset() const { return last_segment_; }

 private:
  char directory_[1024] = {};
  char path_[1600] = {};
  dev_t device_ = 0;
  ino_t inode_ = 0;
  arena::FileHeader* header_ = nullptr;
  uint64_t last_segment_ = 0;
};

}  // namespace roofmark::runtime
