/* An interpreter: `host PLUGIN` loads the module for itself alone and calls it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  void* const plugin = dlopen(count > 1 ? arguments[1] : "", RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  int (*call)(void), (*jump)(void);
  *(void**)&call = dlsym(plugin, "plugin_call");
  *(void**)&jump = dlsym(plugin, "plugin_jump");
  const int jumped = jump();
  printf("right: %d, after the jump: %d\n", call(), jumped);
  return 0;
}
