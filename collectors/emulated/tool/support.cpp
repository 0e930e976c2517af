#include "support.hpp"

namespace roofmark::emulator {

namespace {

// What VG_(am_shadow_alloc) answers: memory or null until Valgrind 3.20, a system call's result
// since.
[[maybe_unused]] void* memory_from(void* memory) {
  return memory;
}
[[maybe_unused]] void* memory_from(SysRes result) {
  return sr_isError(result) ? nullptr : reinterpret_cast<void*>(sr_Res(result));
}

UChar* map_or_end(UWord bytes) {
  if (void* memory = map_zeroed(bytes)) return static_cast<UChar*>(memory);
  VG_(fmsg)("roofmark: no memory left for the counts of this program\n");
  VG_(exit)(1);
  __builtin_unreachable();
}

}  // namespace

void* map_zeroed(UWord bytes) {
  return memory_from(VG_(am_shadow_alloc)(bytes));
}

void* allocate_zeroed(UWord bytes) {
  constexpr UWord chunk = 1UL << 20;
  static UChar* next = nullptr;
  static UChar* end = nullptr;
  bytes = (bytes + 63) & ~63UL;
  if (bytes >= chunk / 4) return map_or_end(bytes);
  if (next == nullptr || bytes > static_cast<UWord>(end - next)) {
    next = map_or_end(chunk);
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
