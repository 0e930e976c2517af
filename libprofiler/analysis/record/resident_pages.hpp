// Which pages a process has its data in, as /proc/PID/smaps_rollup tells.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace roofmark {

struct ResidentPages {
  std::uint64_t bytes = 0;        ///< anonymous and shared memory; files are not looked at
  std::uint64_t large_bytes = 0;  ///< of that in pages above the smallest size
};

/// Nothing where the text has no such fields.
std::optional<ResidentPages> parse_resident_pages(std::string_view smaps_rollup);

/// Of one process; nothing where it has gone, or is somebody else's.
std::optional<ResidentPages> resident_pages(pid_t process);

}  // namespace roofmark
