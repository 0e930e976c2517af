/* The same work in the program, in a library of its own, and in one that bears a name of
 * Roofmark's libraries, which is loaded, unloaded and replaced by one that does not. */
#include <dlfcn.h>
#include <roofmark/roofmark.h>
#include <stdio.h>
#include <stdlib.h>

typedef double (*work_function)(double, int);

static void count_work_of(const char* library, const char* region) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == 0) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  work_function work;
  *(void**)&work = dlsym(handle, "work");
  const roofmark_token token = roofmark_begin(region);
  const double value = work(1.0, 1000);
  roofmark_end(token);
  printf("%s %g\n", region, value);
  dlclose(handle);
}

int main(int argc, char** argv) {
  (void)argc;
  count_work_of(argv[1], "others");
  count_work_of(argv[2], "own");
  count_work_of(argv[1], "others again");
  return 0;
}
