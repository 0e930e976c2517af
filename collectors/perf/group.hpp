// Groups of counters of the kernel's perf_event: opened once for a thread, enabled once, read twice
// per visit and subtracted, never stopped. The C library alone; reading allocates nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "flat_plan.hpp"

namespace roofmark::perf {

enum class Step : std::uint8_t { none, open, enable };

/// What refused a group: errno, and at which step and event of the group.
struct Refusal {
  int error = 0;
  Step step = Step::none;
  unsigned event = 0;
  explicit operator bool() const { return error != 0; }
};

struct Group {
  unsigned count = 0;  ///< 0: not open
  std::int32_t cpu = -1;
  bool by_page = false;  ///< every counter may be read without a system call
  int descriptors[most_events_per_group];
  void* pages[most_events_per_group];
};

struct Reading {
  unsigned count = 0;
  bool by_page = false;  ///< no system call was needed
  std::uint64_t enabled_ns = 0, running_ns = 0;
  std::uint64_t values[most_events_per_group];
};

/// Where the numbers of a group's descriptors lie: as the kernel gives them, or above those that
/// the program may have (descriptor_room.hpp).
enum class Descriptors : std::uint8_t { as_given, out_of_the_way };

/// Opens and enables one group: of `thread` (0: the caller), or of its CPU where the plan says so.
/// On a refusal nothing stays open. Every value that a group reports is the kernel's, 64 bits wide.
Refusal open_group(const FlatPlan& plan, unsigned index, pid_t thread, Group& group,
                   Descriptors numbers = Descriptors::as_given);
/// In a child that is about to become a program: counts it and all that it starts, from its exec
/// on. The descriptors are to go to whoever reads them; they are closed by the exec.
Refusal open_program_group(const FlatPlan& plan, unsigned index, Group& group);
/// Of a thread of another process and all that it starts from now on, threads and processes. It
/// counts between switch_group(true) and switch_group(false).
Refusal open_running_group(const FlatPlan& plan, unsigned index, pid_t thread, Group& group);
/// Also in what inherited it. 0, or errno.
int switch_group(const Group& group, bool on);
void close_group(Group& group);
/// In a fork child, of a group that the parent opened. The kernel does not map the pages there, and
/// the program may have closed the descriptors and given their numbers to files of its own.
void forget_group(Group& group);

/// 0, or errno. EINVAL where the kernel gave fewer counters than were opened.
/// A thread that reads its own group does so by `rdpmc` where every counter allows it at this
/// moment; for another thread's group `own` is false.
int read_group(const Group& group, bool own, Reading& reading);

inline constexpr unsigned most_words_of_group = 2 + most_events_per_group;
/// The same as numbers side by side, for whoever does so at every edge of a region: nanoseconds
/// enabled, running, and the values.
int read_words(const Group& group, bool own, std::uint64_t* words, bool& by_page);

enum class Ran : std::uint8_t {
  whole,      ///< all the time: the values are exact
  part,       ///< others had the counters meanwhile: the values are lower bounds
  not_at_all  ///< nothing was counted, which is not 0
};

/// What happened between two readings of one group.
struct Difference {
  unsigned count = 0;
  Ran ran = Ran::not_at_all;
  std::uint64_t enabled_ns = 0, running_ns = 0;
  std::uint64_t values[most_events_per_group];
};
Difference difference(const Reading& earlier, const Reading& later);

/// later - earlier for a counter of so many bits that may have wrapped once.
constexpr std::uint64_t wrapped_difference(std::uint64_t earlier, std::uint64_t later,
                                           unsigned width_bits) {
  const std::uint64_t distance = later - earlier;
  return width_bits == 0 || width_bits >= 64 ? distance
                                             : distance & ((std::uint64_t{1} << width_bits) - 1);
}

/// An estimate for all of the time from what was counted in a part of it, only where the user asked
/// for it. False where nothing ran; `factor` says by how much it was raised.
bool scale(std::uint64_t value, const Difference& of, std::uint64_t& scaled, double& factor);

}  // namespace roofmark::perf
