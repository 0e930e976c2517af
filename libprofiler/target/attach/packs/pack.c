#include "pack.h"

#include <dlfcn.h>
#include <libprofiler/target/runtime/runtime_table.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__thread struct pack_call pack_open_call __attribute__((tls_model("initial-exec"))) = {0, {0, 0}};
const roofmark_api* pack_api = 0;
void (*pack_leave)(roofmark_token, double, double) = 0;
int pack_by_shape = 0;

extern const char code_start[] __asm__("__start_roofmark_pack_code")
    __attribute__((visibility("hidden")));
extern const char code_end[] __asm__("__stop_roofmark_pack_code")
    __attribute__((visibility("hidden")));

/* Is it a function of this pack? */
PACK_CODE static int is_ours(const void* address) {
  return (const char*)address >= code_start && (const char*)address < code_end;
}

/* As the loader would have bound it without us. */
PACK_CODE static void* in_global_scope(const char* symbol) {
  void* found = dlsym(RTLD_NEXT, symbol);
  return is_ours(found) ? 0 : found;
}

/* In a library that is loaded, and in what it needs. Such a library stays: its functions are called
 * from here on. */
PACK_CODE static void* in_library(const char* file, const char* symbol) {
  void* const library = file == 0 || file[0] == 0 ? 0 : dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (library == 0) return 0;
  void* found = dlsym(library, symbol);
  if (is_ours(found)) found = 0;
  if (found == 0) dlclose(library);
  return found;
}

/* RTLD_NEXT does not see what was loaded with RTLD_LOCAL, as interpreters load their modules: the
 * module that calls knows the library that it needs. */
PACK_CODE static void* in_scope_of(const void* caller, const char* symbol) {
  Dl_info object;
  if (dladdr(caller, &object) == 0) return 0;
  return in_library(object.dli_fname, symbol);
}

struct file_names {
  char** list;
  size_t count, room;
};

PACK_CODE static int add_name(struct dl_phdr_info* object, size_t size, void* to) {
  (void)size;
  struct file_names* const names = to;
  if (object->dlpi_name == 0 || object->dlpi_name[0] == 0) return 0;
  if (names->count == names->room) {
    const size_t room = names->room * 2 + 32;
    char** const list = realloc(names->list, room * sizeof *list);
    if (list == 0) return 1;
    names->list = list;
    names->room = room;
  }
  char* const copy = strdup(object->dlpi_name);
  if (copy == 0) return 1;
  names->list[names->count++] = copy;
  return 0;
}

/* In whatever is loaded: the caller may be code without an object, or one that looked it up itself.
 * The names are gathered first, since dlopen may not be called while objects are iterated over. */
PACK_CODE static void* anywhere(const char* symbol) {
  struct file_names names = {0, 0, 0};
  void* found = 0;
  dl_iterate_phdr(add_name, &names);
  for (size_t i = 0; i < names.count; ++i) {
    if (found == 0) found = in_library(names.list[i], symbol);
    free(names.list[i]);
  }
  free(names.list);
  return found;
}

PACK_CODE static void* look_for(const char* symbol, const void* caller) {
  void* found = in_global_scope(symbol);
  if (found != 0) {
    Dl_info object;
    /* It stays loaded. */
    if (dladdr(found, &object) != 0 && object.dli_fname != 0)
      (void)dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return found;
  }
  found = in_scope_of(caller, symbol);
  return found != 0 ? found : anywhere(symbol);
}

PACK_CODE static void say(const char* text) {
  size_t left = strlen(text);
  while (left > 0) {
    const ssize_t written = write(STDERR_FILENO, text, left);
    if (written <= 0) return;
    text += written;
    left -= (size_t)written;
  }
}

/* A program that only asks whether there is such a function has found ours, and there is none: no
 * result that could be returned would be right. */
void* pack_find(struct pack_function* function, const void* caller) {
  void* const real = look_for(function->symbol, caller);
  if (real == 0) {
    say("roofmark: ");
    say(function->symbol);
    say(" was called, and no library of this program has it: record it with --packs none\n");
    abort();
  }
  __atomic_store_n(&function->real, real, __ATOMIC_RELAXED);
  return real;
}

/* Of an emulator, or of an older runtime. */
PACK_CODE static void leave_in_two_steps(roofmark_token token, double flop, double bytes) {
  pack_api->declare(token, flop, bytes);
  pack_api->leave(token);
}

const roofmark_api* pack_connect(void) {
  const roofmark_api* api = __atomic_load_n(&pack_api, __ATOMIC_ACQUIRE);
  if (api != 0) return api;
  api = dlsym(RTLD_DEFAULT, "roofmark_api_v1");
  if (api == 0 || api->abi != 1 || api->size < sizeof *api || !api->connect())
    api = (const roofmark_api*)1;
  const roofmark_runtime_table* const table = (const roofmark_runtime_table*)(const void*)api;
  /* The emulator's table has none. */
  const int has_both = (uintptr_t)api > 1 && api->size >= sizeof *table && table->leave_declared;
  __atomic_store_n(&pack_leave, has_both ? table->leave_declared : leave_in_two_steps,
                   __ATOMIC_RELAXED);
  const char* const by_shape = getenv("ROOFMARK_PACK_SHAPES");
  pack_by_shape = by_shape != 0 && strcmp(by_shape, "1") == 0;
  __atomic_store_n(&pack_api, api, __ATOMIC_RELEASE);
  return api;
}

/* The highest address of this thread's stack. */
PACK_CODE static uintptr_t top_of_stack(void) {
  static __thread uintptr_t top __attribute__((tls_model("initial-exec"))) = 0;
  pthread_attr_t attributes;
  if (top != 0 || pthread_getattr_np(pthread_self(), &attributes) != 0) return top;
  void* lowest = 0;
  size_t size = 0;
  if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) top = (uintptr_t)lowest + size;
  pthread_attr_destroy(&attributes);
  return top;
}

int pack_is_inside(const roofmark_api* api, uintptr_t mark) {
  const uintptr_t outer = pack_open_call.mark;
  /* On the thread's own stack everything above the caller may be read. A call on a stack that is
   * gone may not. */
  if (outer > mark && outer < top_of_stack() &&
      *(const volatile uintptr_t*)outer == pack_mark_at(outer))
    return 1;
  pack_open_call.mark = 0;
  if (pack_open_call.token.node != 0) api->leave(pack_open_call.token);
  return 0;
}

PACK_CODE static char* put_number(char* at, int64_t number) {
  char digits[20];
  int count = 0;
  uint64_t rest = number < 0 ? (uint64_t)0 - (uint64_t)number : (uint64_t)number;
  do digits[count++] = (char)('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (number < 0) *at++ = '-';
  while (count > 0) *at++ = digits[--count];
  return at;
}

/* Is there room for a region of these sizes? So many shapes get their own, the others share one. */
PACK_CODE static int keep_shape(struct pack_routine* routine, int count, const int64_t* sizes) {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (int i = 0; i < count; ++i) {
    hash = (hash ^ (uint64_t)sizes[i]) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  hash |= 1;
  for (int i = 0; i < pack_shapes_of_routine; ++i) {
    uint64_t* const slot = &routine->shapes[(hash / 2 + (unsigned)i) % pack_shapes_of_routine];
    uint64_t there = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (there == 0 &&
        __atomic_compare_exchange_n(slot, &there, hash, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return 1;
    if (there == hash) return 1;
  }
  return 0;
}

/* "dgemm 512x512x64" */
roofmark_token pack_enter_shape(const roofmark_api* api, struct pack_routine* routine, int count,
                                const int64_t* sizes) {
  enum { most = 8 };
  char name[32 + most * 22];
  size_t length = routine->site.length;
  memcpy(name, routine->site.name, length);
  char* at = name + length;
  if (!keep_shape(routine, count, sizes)) {
    const char others[] = " other shapes";
    memcpy(at, others, sizeof others - 1);
    return api->enter_name(name, length + sizeof others - 1);
  }
  for (int i = 0; i < count && i < most; ++i) {
    *at++ = i == 0 ? ' ' : 'x';
    at = put_number(at, sizes[i]);
  }
  return api->enter_name(name, (size_t)(at - name));
}
