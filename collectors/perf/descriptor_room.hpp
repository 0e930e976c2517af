// Room for descriptors that the program does not see: above what it may open itself, so that its
// own are numbered as ever and its limit is not used up. The C library alone.
#pragma once

#include <sys/resource.h>

namespace roofmark::perf {

/// Raises the soft limit of open files to the hard one for as long as it lives. Descriptors that
/// were moved stay valid when the limit is lowered again.
class DescriptorRoom {
 public:
  DescriptorRoom();
  ~DescriptorRoom();
  DescriptorRoom(const DescriptorRoom&) = delete;
  DescriptorRoom& operator=(const DescriptorRoom&) = delete;

  /// The descriptor under a number above the program's; where the hard limit leaves none, in the
  /// upper half of the program's own. -1 with errno, and the descriptor closed, where that is full.
  int move(int descriptor) const;

 private:
  rlimit before_ = {};
  bool raised_ = false;
  int lowest_ = 0;
};

}  // namespace roofmark::perf
