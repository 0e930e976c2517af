// The functions whose calls are redirected. There are two libraries: the loader's (LD_AUDIT, in a
// namespace of its own, with no thread-local storage, for which the loader has no room there)
// chooses functions and fills the table of the program's (LD_PRELOAD), whose trampolines then run.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ROOFMARK_DISABLE  // the types only
#include <roofmark/roofmark.h>

#include "frame.h"

namespace roofmark::functions {

enum class Kind : uint32_t {
  region,  ///< its calls are regions
  lands,   ///< where an exception is caught: calls that it left are over
  jumps,   ///< longjmp(), to be: those below the place it goes to are
};

/// One function. Written by the loader's library; complete when its stub is handed out.
struct alignas(ROOFMARK_HOOK_BYTES) Hook {
  void* target;
  roofmark_site site;  ///< its name: the symbol
  const char* object;  ///< path of the file that defines it; "": the executable
  uint32_t is_told;    ///< atomic: it stands in the list that the recording has
  Kind kind;
};
static_assert(sizeof(Hook) == ROOFMARK_HOOK_BYTES && offsetof(Hook, target) == 0);

inline constexpr uint32_t most_hooks = ROOFMARK_MOST_HOOKS;
inline constexpr size_t name_room = size_t{1} << 20;

/// The first hook belongs to no function of the program: what a redirected call costs is measured
/// with it.
struct Table {
  Hook hooks[most_hooks];
  uint32_t used;      ///< atomic; may pass most_hooks
  uint32_t is_asked;  ///< the loader's library is there and has been told what to redirect
  size_t name_bytes;  ///< atomic
  char names[name_room];
};

extern "C" {
__attribute__((visibility("hidden"))) extern Table roofmark_function_table;
/// Stub i jumps to the common trampoline with hook i.
__attribute__((visibility("hidden"))) void roofmark_function_stubs();
}
/// The two under the names by which the loader's library finds them.
inline constexpr char table_symbol[] = "roofmark_redirection_table";
inline constexpr char stubs_symbol[] = "roofmark_redirection_stubs";

}  // namespace roofmark::functions
