// -finstrument-functions: each function of a program that was compiled with it calls these two,
// which the C library has too, with nothing in them.
#include <dlfcn.h>
#include <sys/mman.h>

#include "original.hpp"
#include "reader.hpp"
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

/// Null: there is no memory for it, or there are too many.
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

using Hook = void(void*, void*);

/// Another tool's hooks, which are called as if ours were not there. The C library's do nothing.
class Others {
 public:
  constexpr explicit Others(const char* symbol) : original_(symbol, "libmcount") {}
  void call(Hook* ours, void* function, void* site) {
    Hook* hook = __atomic_load_n(&hook_, __ATOMIC_ACQUIRE);
    if (hook == nullptr) {
      hook = look(ours);
      __atomic_store_n(&hook_, hook, __ATOMIC_RELEASE);
    }
    if (hook != none) hook(function, site);
  }

 private:
  static void none(void*, void*) {}
  Hook* look(Hook* ours) {
    Hook* const found = original_.get(ours);
    Dl_info where;
    if (found == nullptr || dladdr(reinterpret_cast<void*>(found), &where) == 0) return none;
    const char* name = where.dli_fname;
    for (const char* at = name; *at != '\0'; ++at)
      if (*at == '/') name = at + 1;
    return name[0] == 'l' && name[1] == 'i' && name[2] == 'b' && name[3] == 'c' && name[4] == '.'
               ? none
               : found;
  }
  Original<Hook> original_;
  Hook* hook_ = nullptr;
};

Others other_enter{"__cyg_profile_func_enter"};
Others other_exit{"__cyg_profile_func_exit"};

roofmark_site* recorded_site(void* function, const roofmark_api*& api) {
  api = reads(Tool::cyg) ? runtime() : nullptr;
  return api != nullptr ? site_of(function) : nullptr;
}

}  // namespace
}  // namespace roofmark::readers

using namespace roofmark::readers;

// The other tool's work stays out of the region.
ROOFMARK_READER_EXPORT void __cyg_profile_func_enter(void* function, void* call_site) {
  other_enter.call(__cyg_profile_func_enter, function, call_site);
  const roofmark_api* api;
  if (roofmark_site* const site = recorded_site(function, api)) (void)api->enter(site);
}

ROOFMARK_READER_EXPORT void __cyg_profile_func_exit(void* function, void* call_site) {
  const roofmark_api* api;
  if (roofmark_site* const site = recorded_site(function, api)) api->leave_site(site);
  other_exit.call(__cyg_profile_func_exit, function, call_site);
}
