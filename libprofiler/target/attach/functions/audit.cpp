// The loader's side: which functions are redirected. The loader asks, for each dynamic symbol that
// it binds, what to bind it to, whether lazily, at once, or for dlsym(); and it does not slow down
// calls of others, since no entry into them is asked for here.
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooks.hpp"
#include "pattern.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace roofmark::functions {
namespace {

constexpr unsigned most_patterns = 64;

struct Pattern {
  const char* function;
  size_t function_length;
  const char* library;  ///< "": any but the executable
  size_t library_length;
};
Pattern patterns[most_patterns];
unsigned pattern_count;

/// What is known of a loaded object; where there is no memory for it nothing binds to it.
struct Object {
  uint64_t patterns;  ///< whose library it is
  bool is_ours;       ///< Roofmark's
  const char* path;
};

/// In the program's library; null: that is not loaded (yet).
Table* table;
const char* stubs;

const char* base_name(const char* path) {
  const char* name = path;
  for (const char* at = path; *at != '\0'; ++at)
    if (*at == '/') name = at + 1;
  return name;
}

/// Functions of which no call can be redirected: they return twice, look at who called them, are
/// called by no convention of the platform, or belong to the machinery of calls itself.
bool can_be_redirected(const char* symbol) {
  constexpr const char* never[] = {"setjmp",
                                   "_setjmp",
                                   "__sigsetjmp",
                                   "sigsetjmp",
                                   "__setjmp",
                                   "savectx",
                                   "getcontext",
                                   "swapcontext",
                                   "makecontext",
                                   "setcontext",
                                   "vfork",
                                   "__vfork",
                                   "clone",
                                   "__clone",
                                   "dlopen",
                                   "dlmopen",
                                   "dlsym",
                                   "dlvsym",
                                   "dlinfo",
                                   "dl_iterate_phdr",
                                   "__libc_start_main",
                                   "__libc_start_call_main",
                                   "__cxa_finalize",
                                   "__gmon_start__",
                                   "mcount",
                                   "_mcount",
                                   "__fentry__",
                                   "__tls_get_addr",
                                   "__tls_get_addr_opt",
                                   "_dl_find_object",
                                   "__stack_chk_fail",
                                   "_init",
                                   "_fini"};
  for (const char* one : never)
    if (strcmp(symbol, one) == 0) return false;
  constexpr const char* never_starts[] = {"_Unwind_",    "_dl_",    "__libc_",  "__nptl_",
                                          "__pthread_",  "__rtld_", "_ITM_",    "__cyg_profile",
                                          "__asan_",     "__tsan_", "__ubsan_", "__gxx_personality",
                                          "__sanitizer_"};
  for (const char* start : never_starts)
    if (strncmp(symbol, start, strlen(start)) == 0) return false;
  return true;
}

/// Functions at which calls end that do not return: always redirected, so that the calls' regions
/// end there too.
Kind kind_of(const char* symbol) {
  if (strcmp(symbol, "__cxa_begin_catch") == 0) return Kind::lands;
  constexpr const char* jumps[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};
  for (const char* one : jumps)
    if (strcmp(symbol, one) == 0) return Kind::jumps;
  return Kind::region;
}

bool is_function(const Elf64_Sym& symbol) {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  if (type != STT_FUNC && type != STT_GNU_IFUNC) return false;
#if defined(__aarch64__)
  if ((symbol.st_other & 0x80) != 0) return false;  // STO_AARCH64_VARIANT_PCS
#endif
  return true;
}

bool is_meant(const Object& home, const char* symbol) {
  char qualified[1024];
  size_t qualified_length = 0;
  bool read = false;
  const size_t length = strlen(symbol);
  for (unsigned i = 0; i < pattern_count; ++i) {
    if ((home.patterns >> i & 1) == 0) continue;
    const Pattern& one = patterns[i];
    if (matches(one.function, one.function_length, symbol, length)) return true;
    if (!read) {
      qualified_length = qualified_name(symbol, qualified, sizeof qualified);
      read = true;
    }
    if (qualified_length > 0 &&
        matches(one.function, one.function_length, qualified, qualified_length))
      return true;
  }
  return false;
}

/// A copy in the program's table, which outlives the object that the name lies in.
const char* keep(const char* text) {
  const size_t bytes = strlen(text) + 1;
  const size_t at = __atomic_fetch_add(&table->name_bytes, bytes, __ATOMIC_RELAXED);
  if (at + bytes > name_room) return nullptr;
  memcpy(table->names + at, text, bytes);
  return table->names + at;
}

const char* stub_of(uint32_t hook) {
  return stubs + size_t{hook} * ROOFMARK_STUB_BYTES;
}

/// In a library of our own that is mapped and not relocated yet: its few symbols one by one.
void* find_symbol(const link_map& map, const char* name) {
  const auto place = [&](const ElfW(Dyn) & entry) {  // some loaders have added the base already
    const uintptr_t value = entry.d_un.d_ptr;
    return value < map.l_addr ? value + map.l_addr : value;
  };
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(place(*entry));
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(place(*entry));
  }
  // The linker lays the names behind the symbols.
  if (symbols == nullptr || strings == nullptr) return nullptr;
  for (; reinterpret_cast<const char*>(symbols + 1) <= strings; ++symbols)
    if (symbols->st_value != 0 && strcmp(strings + symbols->st_name, name) == 0)
      return reinterpret_cast<void*>(map.l_addr + symbols->st_value);
  return nullptr;
}

/// Two threads that bind the same symbol at once may make two: they have one name, and one region.
const char* redirect(const char* symbol, Kind kind, const Object& home, void* target) {
  const uint32_t used = __atomic_load_n(&table->used, __ATOMIC_ACQUIRE);
  for (uint32_t i = 1; i < used && i < most_hooks; ++i) {
    Hook& hook = table->hooks[i];
    if (__atomic_load_n(&hook.target, __ATOMIC_ACQUIRE) == target && hook.site.name != nullptr &&
        strcmp(hook.site.name, symbol) == 0)
      return stub_of(i);
  }
  const uint32_t index = __atomic_fetch_add(&table->used, 1, __ATOMIC_ACQ_REL);
  if (index >= most_hooks) return nullptr;
  Hook& hook = table->hooks[index];
  hook.kind = kind;
  hook.site.name = keep(symbol);
  hook.object = keep(home.path);
  if (hook.site.name == nullptr || hook.object == nullptr) return nullptr;
  hook.site.length = static_cast<uint32_t>(strlen(symbol));
  __atomic_store_n(&hook.target, target, __ATOMIC_RELEASE);
  return stub_of(index);
}

/// GLOB[@LIB],...
void read_patterns(const char* list) {
  while (*list != '\0' && pattern_count < most_patterns) {
    const size_t length = strcspn(list, ",");
    const auto* const at = static_cast<const char*>(memrchr(list, '@', length));
    const size_t function_length = at != nullptr ? static_cast<size_t>(at - list) : length;
    if (function_length > 0)
      patterns[pattern_count++] = {list, function_length, at != nullptr ? at + 1 : "",
                                   at != nullptr ? length - function_length - 1 : 0};
    list += length;
    if (*list == ',') ++list;
  }
}

bool is_own_library(const char* path) {
  constexpr const char prefix[] = "libroofmark-";
  return strncmp(base_name(path), prefix, sizeof prefix - 1) == 0;
}

}  // namespace
}  // namespace roofmark::functions

using namespace roofmark::functions;

EXPORTED unsigned la_version(unsigned version) {
  const char* const list = secure_getenv("ROOFMARK_FUNCTIONS");
  if (list == nullptr || version == 0) return 0;  // not asked for: the loader lets us go
  read_patterns(list);
  return pattern_count == 0 ? 0 : (version < LAV_CURRENT ? version : LAV_CURRENT);
}

EXPORTED unsigned la_objopen(struct link_map* map, Lmid_t space, uintptr_t* cookie) {
  *cookie = 0;
  if (space != LM_ID_BASE) return 0;
  const char* const path = map->l_name != nullptr ? map->l_name : "";
  auto* const object = static_cast<Object*>(malloc(sizeof(Object)));
  if (object == nullptr) return 0;
  *object = {0, is_own_library(path), path};
  *cookie = reinterpret_cast<uintptr_t>(object);
  if (object->is_ours) {
    constexpr const char mine[] = "libroofmark-functions.so";
    if (table == nullptr && strcmp(base_name(path), mine) == 0) {
      stubs = static_cast<const char*>(find_symbol(*map, stubs_symbol));
      if (stubs != nullptr) table = static_cast<Table*>(find_symbol(*map, table_symbol));
      if (table != nullptr) table->is_asked = table->used = 1;
    }
    return 0;
  }
  // The executable's own functions are not called through the loader, but for a few: they have
  // other means.
  if (path[0] == '\0') return LA_FLG_BINDFROM | LA_FLG_BINDTO;
  const char* const name = base_name(path);
  for (unsigned i = 0; i < pattern_count; ++i)
    if (patterns[i].library_length == 0 ||
        matches(patterns[i].library, patterns[i].library_length, name, strlen(name)))
      object->patterns |= uint64_t{1} << i;
  return LA_FLG_BINDFROM | LA_FLG_BINDTO;
}

EXPORTED unsigned la_objclose(uintptr_t* cookie) {
  free(reinterpret_cast<Object*>(*cookie));
  *cookie = 0;
  return 0;
}

EXPORTED uintptr_t la_symbind64(Elf64_Sym* symbol, unsigned, uintptr_t* from, uintptr_t* to,
                                unsigned* flags, const char* name) {
  const auto* const caller = reinterpret_cast<const Object*>(*from);
  const auto* const home = reinterpret_cast<const Object*>(*to);
  *flags |= LA_SYMB_NOPLTENTER | LA_SYMB_NOPLTEXIT;
  if (table == nullptr || caller == nullptr || home == nullptr || caller->is_ours ||
      !is_function(*symbol) || symbol->st_value == 0 || !can_be_redirected(name))
    return symbol->st_value;
  const Kind kind = kind_of(name);
  if (home->is_ours || (kind == Kind::region && !is_meant(*home, name))) return symbol->st_value;
  const char* const stub = redirect(name, kind, *home, reinterpret_cast<void*>(symbol->st_value));
  return stub != nullptr ? reinterpret_cast<uintptr_t>(stub) : symbol->st_value;
}
