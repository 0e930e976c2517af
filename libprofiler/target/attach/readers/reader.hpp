// What the readers of other tools' annotations share: whether one is wanted, entering and leaving,
// and the regions that this thread has open where the tool's end does not say which one it ends.
#pragma once

#include <roofmark/roofmark.h>

#include <cstddef>
#include <cstdint>

#define ROOFMARK_READER_EXPORT extern "C" __attribute__((visibility("default")))

namespace roofmark::readers {

enum class Tool : unsigned { nvtx, itt, likwid, papi, caliper, kokkos, cyg, openmp };

/// Named in ROOFMARK_ANNOTATIONS, or that is not set.
bool reads(Tool tool);

/// The runtime's table, or null: nothing is recorded.
const roofmark_api* runtime();

/// Not the C library's: what that does inside a region would be counted as the program's.
size_t length_of(const char* text);

/// A region of that name; null has the name of nothing.
roofmark_token enter(const char* name);
roofmark_token enter(const char* name, size_t length);
void leave(roofmark_token token);
/// The innermost open region of this thread that bears that name.
void leave_named(const char* name);

/// Which of a thread's open regions an end means: a tool, and a domain, kernel or section of its.
struct Key {
  Tool tool;
  uint64_t of;
};

/// Opens a region that pop() of the same key closes. The depth of that key before, from 0.
int push(Key key, const char* name);
int push(Key key, const char* name, size_t length);
/// Closes this thread's innermost region of that key, and with it what is open inside. Its depth;
/// -1: there was none.
int pop(Key key);

/// The same for a region that begins and ends by an identity of its own and need not nest: `key` is
/// one that no other open region has. In another thread than began it nothing is closed; the
/// runtime flags the region.
void begin(Key key, const char* name, size_t length);
void end(Key key);

}  // namespace roofmark::readers
