// The memory traffic of one program from its start to its end.
#pragma once

#include <memory>
#include <optional>

#include "monitor_tree.hpp"

namespace roofmark::resctrl {

/// Bytes between the program's start and its end, of the program and all that it started.
struct Traffic {
  Result<std::uint64_t> total;       ///< between its last-level caches and any memory
  Result<std::uint64_t> local;       ///< the part of it to the NUMA node of each cache
  std::optional<Problem> left_over;  ///< a group that could not be removed
};

class ProgramTraffic {
 public:
  /// Makes the group and takes the first look.
  static Result<ProgramTraffic> begin(const Monitor& monitor);

  /// In the child that will become the program, after fork. Whatever fails, the program is run.
  void join() const noexcept;

  /// The second look, and the group's end.
  Traffic end();

 private:
  /// How joining went, in memory that parent and child share.
  struct Shared {
    int state;  ///< 0: not tried, 1: joined, else -errno
  };
  struct Unmap {
    void operator()(Shared* shared) const;
  };
  ProgramTraffic(const Monitor& monitor, Group group, std::unique_ptr<Shared, Unmap> shared);

  Monitor monitor_;
  Group group_;
  Reading before_;
  std::unique_ptr<Shared, Unmap> shared_;
};

}  // namespace roofmark::resctrl
