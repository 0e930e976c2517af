// The layout of a trace: every closed visit by itself, in a file beside the recording's own, with
// the same name but for its end. One TraceFileHeader and then blocks, one after the other without a
// gap, each a TraceBlock and its visits; what was left out is in the recording's header. A thread
// has a block to itself until it is full or the thread ends. Freestanding; byte order and clock are
// those of the recording.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace roofmark::arena {

inline constexpr uint64_t trace_file_magic = 0x3143525446524d52;   // "RMRFTRC1", little-endian
inline constexpr uint64_t trace_block_magic = 0x314b4c42434d4d52;  // "RMMCBLK1"
inline constexpr uint32_t trace_layout_version = 1;
inline constexpr uint64_t trace_header_bytes = 4096;

struct TraceFileHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t unused;
  uint64_t file_bytes;  // reserved so far
};

struct TraceVisit {
  uint64_t entry;  // ticks, written last; 0: nothing here (yet)
  uint64_t duration;
  uint32_t name;  // a Name in the recording: its offset / item_alignment; and trace_inherited
  int32_t tid;
};

/// In TraceVisit::name: it was open when the process was forked, and begins there.
inline constexpr uint32_t trace_inherited = 1u << 31;

struct TraceBlock {
  uint64_t magic;
  uint32_t bytes;    // this header included
  uint32_t room;     // visits
  uint64_t claimed;  // of them, atomic; may exceed `room`
  TraceVisit visits[1];
};

inline constexpr uint32_t first_trace_block_bytes = 4096;  // per thread; grows fourfold
inline constexpr uint32_t largest_trace_block_bytes = 1024 * 1024;

static_assert(sizeof(TraceVisit) == 24 && offsetof(TraceBlock, visits) == 24);
static_assert(sizeof(TraceFileHeader) <= trace_header_bytes);

}  // namespace roofmark::arena
