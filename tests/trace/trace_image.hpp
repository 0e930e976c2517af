// The visits that a process kept, as the runtime would write them, beside a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "libprofiler/arena/layout.h"
#include "libprofiler/arena/trace_layout.h"

namespace roofmark::test {

inline constexpr std::uint64_t name_at = 4096 + sizeof(arena::SegmentHeader);

template <class T>
void put(std::string& bytes, std::size_t at, const T& value) {
  if (bytes.size() < at + sizeof value) bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// A recording whose only item is the name "work", on a clock of nanoseconds.
inline std::string recording_of_a_trace() {
  std::string bytes;
  arena::FileHeader header{};
  header.magic = arena::file_magic;
  header.version = arena::layout_version;
  header.byte_order = arena::byte_order_mark;
  header.header_bytes = 4096;
  header.pid = 7;
  header.calibration.clock = arena::Clock::monotonic_raw;
  put(bytes, 0, header);
  arena::SegmentHeader segment{};
  segment.magic = arena::segment_magic;
  segment.bytes = arena::first_segment_bytes;
  segment.used = sizeof(segment) + sizeof(arena::Name);
  put(bytes, 4096, segment);
  arena::Name name{};
  name.item = {arena::ItemKind::name, sizeof(arena::Name)};
  name.length = 4;
  std::memcpy(name.bytes, "work", 4);
  put(bytes, name_at, name);
  bytes.resize(4096 + arena::first_segment_bytes);
  return bytes;
}

/// Two visits, and a place that was claimed and never written.
inline std::string trace_of_two_visits() {
  std::string bytes;
  put(bytes, 0,
      arena::TraceFileHeader{arena::trace_file_magic, arena::trace_layout_version, 0,
                             arena::trace_header_bytes + 4096});
  arena::TraceBlock block{arena::trace_block_magic, 4096, 100, 3, {}};
  put(bytes, 4096, block);
  const std::uint32_t name = name_at / arena::item_alignment;
  const std::size_t first = 4096 + offsetof(arena::TraceBlock, visits);
  put(bytes, first, arena::TraceVisit{2000, 500, name, 7});
  put(bytes, first + 2 * sizeof(arena::TraceVisit), arena::TraceVisit{3000, 250, name, 8});
  bytes.resize(8192);
  return bytes;
}

}  // namespace roofmark::test
