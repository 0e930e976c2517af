#include "sites.hpp"

#include <sys/mman.h>

#include "symbols.hpp"

namespace roofmark::readers {
namespace {

struct Function {
  const void* address;
  roofmark_site site;
  char name[1];
};

/// Sites by address, open addressing. Untouched pages of it cost nothing.
constexpr size_t most_functions = size_t{1} << 17;
Function* functions[2 * most_functions];
uint32_t functions_made;

char* room;
size_t room_left;
int room_lock;

/// Memory that stays: a function may be entered until the process ends.
void* take_room(size_t size) {
  constexpr size_t piece = size_t{1} << 18;
  size = (size + 15) & ~size_t{15};
  while (__atomic_exchange_n(&room_lock, 1, __ATOMIC_ACQUIRE) != 0) {
  }
  if (room_left < size) {
    void* const mapped =
        mmap(nullptr, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    room = mapped == MAP_FAILED ? nullptr : static_cast<char*>(mapped);
    room_left = mapped == MAP_FAILED ? 0 : piece;
  }
  void* taken = nullptr;
  if (room_left >= size) {
    taken = room;
    room += size;
    room_left -= size;
  }
  __atomic_store_n(&room_lock, 0, __ATOMIC_RELEASE);
  return taken;
}

Function* make(const void* address) {
  Text name;
  name_of_function(address, name);
  auto* const made = static_cast<Function*>(take_room(sizeof(Function) + name.length));
  if (made == nullptr) return nullptr;
  made->address = address;
  for (size_t i = 0; i < name.length; ++i) made->name[i] = name.bytes[i];
  made->site = {made->name, static_cast<uint32_t>(name.length), 0, {nullptr, nullptr}};
  return made;
}

}  // namespace

roofmark_site* site_of(const void* address) {
  constexpr size_t mask = 2 * most_functions - 1;
  size_t at =
      static_cast<size_t>((reinterpret_cast<uint64_t>(address) * 0x9e3779b97f4a7c15) >> 32) & mask;
  Function* made = nullptr;
  for (;; at = (at + 1) & mask) {
    Function* known = __atomic_load_n(&functions[at], __ATOMIC_ACQUIRE);
    if (known == nullptr) {
      if (made == nullptr) {
        if (__atomic_load_n(&functions_made, __ATOMIC_RELAXED) >= most_functions) return nullptr;
        made = make(address);
        if (made == nullptr) return nullptr;
      }
      if (__atomic_compare_exchange_n(&functions[at], &known, made, false, __ATOMIC_RELEASE,
                                      __ATOMIC_ACQUIRE)) {
        __atomic_fetch_add(&functions_made, 1, __ATOMIC_RELAXED);
        return &made->site;
      }
    }
    if (known->address == address) return &known->site;
  }
}

}  // namespace roofmark::readers
