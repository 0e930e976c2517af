/* Kokkos' side of Kokkos Tools: loads what the variable names, and calls it as a program's kernels
 * and regions would have it called. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

typedef void (*begin_function)(const char*, uint32_t, uint64_t*);
typedef void (*end_function)(uint64_t);
typedef struct {
  char name[64];
} space_handle;

static void* tool;
static void* hook(const char* name) {
  return tool != NULL ? dlsym(tool, name) : NULL;
}

static void kernel(const char* kind, const char* label, int n) {
  char name[64];
  begin_function begin;
  end_function end;
  uint64_t id = 0;
  snprintf(name, sizeof name, "kokkosp_begin_%s", kind);
  *(void**)&begin = hook(name);
  snprintf(name, sizeof name, "kokkosp_end_%s", kind);
  *(void**)&end = hook(name);
  if (begin != NULL) begin(label, 0, &id);
  work(n);
  if (end != NULL) end(id);
}

int main(void) {
  const char* const path = getenv("KOKKOS_TOOLS_LIBS");
  if (path != NULL) tool = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  void (*initialise)(int, uint64_t, uint32_t, void*);
  void (*push)(const char*);
  void (*pop)(void);
  void (*create_section)(const char*, uint32_t*);
  void (*section)(uint32_t);
  void (*begin_copy)(space_handle, const char*, const void*, space_handle, const char*, const void*,
                     uint64_t);
  void (*finalise)(void);
  *(void**)&initialise = hook("kokkosp_init_library");
  *(void**)&push = hook("kokkosp_push_profile_region");
  *(void**)&pop = hook("kokkosp_pop_profile_region");
  *(void**)&create_section = hook("kokkosp_create_profile_section");
  *(void**)&begin_copy = hook("kokkosp_begin_deep_copy");
  *(void**)&finalise = hook("kokkosp_finalize_library");
  if (initialise != NULL) initialise(0, 20200520, 0, NULL);

  if (push != NULL) push("time step");
  for (int i = 0; i < 3; ++i) kernel("parallel_for", "update x", 100);
  kernel("parallel_reduce", "Kokkos::norm<double>", 10);
  kernel("parallel_scan", "prefix \xe2\x88\x91", 10);
  kernel("fence", "Kokkos::fence", 0);
  if (pop != NULL) pop();

  uint32_t number = 0;
  if (create_section != NULL) {
    create_section("phase", &number);
    for (int i = 0; i < 2; ++i) {
      *(void**)&section = hook("kokkosp_start_profile_section");
      section(number);
      work(10);
      *(void**)&section = hook("kokkosp_stop_profile_section");
      section(number);
    }
    *(void**)&section = hook("kokkosp_destroy_profile_section");
    section(number);
  }
  if (begin_copy != NULL) {
    const space_handle host = {"Host"};
    begin_copy(host, "to", &number, host, "from", &number, sizeof number);
    *(void**)&finalise = hook("kokkosp_end_deep_copy");
    finalise();
    *(void**)&finalise = hook("kokkosp_finalize_library");
    finalise();
  }
  printf("%s\n", tool != NULL ? "with a tool" : "without a tool");
  return 0;
}
