// A machine without libpapi, for the command that this is preloaded into.
#include <dlfcn.h>

#include <cstring>

extern "C" void* dlopen(const char* file, int mode) {
  if (file != nullptr && std::strstr(file, "libpapi.so") != nullptr) return nullptr;
  static auto* const real =
      reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  return real(file, mode);
}
