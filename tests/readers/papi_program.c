/* PAPI's high-level interface; with an argument by a plug-in, which is loaded for itself alone and
 * brings its PAPI along. */
#include <dlfcn.h>
#include <stdio.h>

#include "work.h"

#ifdef AS_PLUGIN
extern int PAPI_hl_region_begin(const char*);
extern int PAPI_hl_read(const char*);
extern int PAPI_hl_region_end(const char*);

int run(void);
int run(void) {
  for (int i = 0; i < 2; ++i) {
    if (PAPI_hl_region_begin("computation") != 17) return 1;
    work(100);
    PAPI_hl_read("computation");
    PAPI_hl_region_begin("sub region");
    work(10);
    PAPI_hl_region_end("sub region");
    if (PAPI_hl_region_end("computation") != 17) return 1;
  }
  return 0;
}
#else
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  int (*run)(void);
  *(void**)&run = dlsym(plugin, "run");
  return run();
}
#endif
