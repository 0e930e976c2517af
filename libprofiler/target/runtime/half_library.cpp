// A counting half in a library of its own, beside the runtime: not in a static program.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "counting.hpp"
#include "runtime.hpp"

namespace roofmark::runtime {
namespace {

const roofmark_counting_half* load_half(const char* name, size_t length) {
  Dl_info here_is;
  if (dladdr(reinterpret_cast<const void*>(&load_half), &here_is) == 0) return nullptr;
  const char* slash = strrchr(here_is.dli_fname, '/');
  if (slash == nullptr) return nullptr;
  char path[4096];
  const int written = snprintf(path, sizeof path, "%.*s/libroofmark-%.*s.so",
                               static_cast<int>(slash - here_is.dli_fname), here_is.dli_fname,
                               static_cast<int>(length), name);
  if (written < 0 || static_cast<size_t>(written) >= sizeof path) return nullptr;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  return static_cast<const roofmark_counting_half*>(dlsym(library, ROOFMARK_COUNTING_HALF_SYMBOL));
}

// Where this file is linked in, libraries can be loaded.
__attribute__((constructor)) void offer() {
  find_counting_half = load_half;
}

}  // namespace
}  // namespace roofmark::runtime
