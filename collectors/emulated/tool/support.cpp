#include "support.hpp"

namespace roofmark::emulator {

void* allocate_zeroed(UWord bytes) {
  constexpr UWord chunk = 1UL << 20;
  static UChar* next = nullptr;
  static UChar* end = nullptr;
  bytes = (bytes + 63) & ~63UL;
  if (bytes >= chunk / 4) return VG_(am_shadow_alloc)(bytes);
  if (next == nullptr || bytes > static_cast<UWord>(end - next)) {
    next = static_cast<UChar*>(VG_(am_shadow_alloc)(chunk));
    end = next + chunk;
  }
  void* block = next;
  next += bytes;
  return block;
}

}  // namespace roofmark::emulator

// The compiler emits calls of these; Valgrind's core provides memcpy, memmove and memset only.
extern "C" int memcmp(const void* a, const void* b, SizeT n) {
  return VG_(memcmp)(a, b, n);
}
