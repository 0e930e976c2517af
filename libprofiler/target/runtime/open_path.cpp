// Where the calling thread is: for plug-ins that hang what they see below the program's regions.
#include <string.h>

#include "counting.hpp"
#include "runtime.hpp"
#include "runtime_table.h"

namespace roofmark::runtime {
namespace {

/// Writes names from the end of a buffer to its beginning: they are found innermost first.
struct Backwards {
  char* begin;
  char* at;
  size_t needed = 0;

  void add(const char* bytes, uint32_t length) {
    const size_t whole = sizeof length + length;
    needed += whole;
    if (static_cast<size_t>(at - begin) < whole) {
      begin = at;  // full: nothing more fits, however short
      return;
    }
    at -= whole;
    memcpy(at, &length, sizeof length);
    memcpy(at + sizeof length, bytes, length);
  }
};

}  // namespace

size_t open_path(const void** identity, char* to, size_t room) {
  const void* const known = *identity;
  *identity = nullptr;
  if (inside_runtime || load_acquire(runtime.active) == 0) return 0;
  Thread* const thread = ready_thread();
  if (thread == nullptr) return 0;
  const Node* node = current_of(thread);
  if (node == &vfork_gate) return 0;
  const bool other = node == &thread->other;
  if (!other && is_idle(thread, node)) node = place(thread, no_name);
  if (!other && node->parent == nullptr) return 0;
  *identity = node;
  if (node == known) return ROOFMARK_SAME_PATH;
  Backwards names{to, to + room};
  if (other) names.add(arena::other_name, sizeof arena::other_name - 1);
  Locked lock;
  for (; node->parent != nullptr; node = node->parent) {
    const NameEntry* const entry = runtime.names.entry(node->name);
    names.add(entry->bytes, entry->length);
  }
  if (names.needed > room)
    *identity = nullptr;
  else
    memmove(to, names.at, names.needed);
  return names.needed;
}

}  // namespace roofmark::runtime
