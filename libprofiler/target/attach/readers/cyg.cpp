// -finstrument-functions: each function of a program that was compiled with it calls these two,
// which the C library has too, with nothing in them.
#include <dlfcn.h>

#include "original.hpp"
#include "reader.hpp"
#include "sites.hpp"

namespace roofmark::readers {
namespace {

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
