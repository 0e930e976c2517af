#include "trace.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace roofmark::runtime {

constinit Tracing tracing;

namespace {

constexpr char suffix[] = ".trace";

struct State {
  arena::TraceFileHeader* header = nullptr;
  char path[1600] = {};
  arena::TraceBlock* spare[64] = {};  // of threads that ended
  unsigned spares = 0;                // atomic
};
State state;

// "….arena" -> "….trace"
bool take_name() {
  const char* recording = runtime.file.path();
  const size_t length = strlen(recording), end = strlen(".arena");
  if (length < end || length - end + sizeof suffix > sizeof state.path) return false;
  memcpy(state.path, recording, length - end);
  memcpy(state.path + length - end, suffix, sizeof suffix);
  return true;
}

void* reserve(int flags, uint64_t offset, uint64_t bytes, int& error) {
  const int file = open(state.path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) {
    error = errno;
    return nullptr;
  }
  void* mapped = reserve_mapped(file, offset, bytes, error);
  close(file);
  return mapped;
}

void no_more(int error) {
  if (arena::FileHeader* header = runtime.file.header(); header != nullptr)
    store(header->trace_errno, error);
  store(tracing.visits_left, uint64_t{0});
}

// Made by the first visit: a process without one leaves no file.
bool has_file() {
  if (state.header != nullptr) return true;
  if (runtime.file.header() == nullptr || !take_name()) return false;
  int error = 0;
  void* mapped = reserve(O_CREAT | O_EXCL, 0, arena::trace_header_bytes, error);
  if (mapped == nullptr) {
    if (error != EEXIST) unlink(state.path);
    no_more(error);
    return false;
  }
  auto* header = static_cast<arena::TraceFileHeader*>(mapped);
  header->version = arena::trace_layout_version;
  header->file_bytes = arena::trace_header_bytes;
  store_release(header->magic, arena::trace_file_magic);
  store_release(state.header, header);
  return true;
}

uint32_t next_block_bytes(const Thread* thread) {
  if (thread->trace == nullptr) return arena::first_trace_block_bytes;
  const uint64_t next = uint64_t{thread->trace->bytes} * 4;
  return next < arena::largest_trace_block_bytes ? static_cast<uint32_t>(next)
                                                 : arena::largest_trace_block_bytes;
}

arena::TraceBlock* new_block(uint32_t bytes) {
  if (tracing.visits_left == 0 || !has_file()) return nullptr;
  int error = 0;
  const uint64_t offset = state.header->file_bytes;
  void* mapped = reserve(0, offset, bytes, error);
  if (mapped == nullptr && bytes > arena::first_trace_block_bytes) {
    bytes = arena::first_trace_block_bytes;
    mapped = reserve(0, offset, bytes, error);
  }
  if (mapped == nullptr) {
    no_more(error);
    return nullptr;
  }
  auto* block = static_cast<arena::TraceBlock*>(mapped);
  uint64_t room = (bytes - offsetof(arena::TraceBlock, visits)) / sizeof(arena::TraceVisit);
  if (room > tracing.visits_left) room = tracing.visits_left;
  store(tracing.visits_left, tracing.visits_left - room);
  block->bytes = bytes;
  block->room = static_cast<uint32_t>(room);
  store_release(block->magic, arena::trace_block_magic);
  store_release(state.header->file_bytes, offset + bytes);
  return block;
}

arena::TraceBlock* take_spare() {
  if (state.spares == 0) return nullptr;
  store(state.spares, state.spares - 1);
  return state.spare[state.spares];
}

void count_untraced() {
  if (arena::FileHeader* header = runtime.file.header(); header != nullptr)
    __atomic_fetch_add(&header->untraced, uint64_t{1}, __ATOMIC_RELAXED);
}

}  // namespace

void begin_trace() {
  const char* text = secure_getenv("ROOFMARK_TRACE");
  if (text == nullptr) return;
  constexpr uint64_t most = 1000000000;
  uint64_t visits = 0;
  for (; *text >= '0' && *text <= '9' && visits <= most; ++text)
    visits = visits * 10 + static_cast<uint64_t>(*text - '0');
  if (*text != '\0' || visits == 0 || visits > most) return;
  tracing.visits_left = tracing.limit = visits;
  tracing.on = true;
}

arena::TraceBlock* scratch_trace_block(uint32_t room) {
  auto* block = static_cast<arena::TraceBlock*>(
      map_pages(offsetof(arena::TraceBlock, visits) + room * sizeof(arena::TraceVisit)));
  if (block != nullptr) block->room = room;
  return block;
}

void forget_parents_trace() {
  for (Thread* each = runtime.all; each != nullptr; each = each->next_all) each->trace = nullptr;
  // Blocks stay mapped, as the parent's segments do.
  tracing.visits_left = tracing.limit;
  state.header = nullptr;
  state.spares = 0;
}

void give_back_trace(Thread* thread) {
  arena::TraceBlock* block = thread->trace;
  thread->trace = nullptr;
  if (block == nullptr) return;
  constexpr unsigned most = sizeof state.spare / sizeof state.spare[0];
  const uint64_t claimed = load(block->claimed);
  if (claimed < block->room && state.spares < most) {
    state.spare[state.spares] = block;
    store(state.spares, state.spares + 1);
    return;
  }
  if (claimed < block->room)
    store(tracing.visits_left, tracing.visits_left + block->room - claimed);
  munmap(block, block->bytes);
}

void keep_visit_slow(Thread* thread, const arena::Record* record, uint64_t entry, uint64_t duration,
                     uint32_t flags) {
  // A full trace must not make the program slow.
  if (load(tracing.visits_left) == 0 && load(state.spares) == 0) return count_untraced();
  Locked lock;
  arena::TraceBlock* block = take_spare();
  if (block == nullptr) block = new_block(next_block_bytes(thread));
  if (block == nullptr) return count_untraced();
  // A full one: a handler's entry may be about to be written in it, so it stays mapped.
  thread->trace = block;
  keep_visit_in(block, thread, record, entry, duration, flags);
}

}  // namespace roofmark::runtime
