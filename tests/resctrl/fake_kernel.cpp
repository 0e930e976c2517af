// What the kernel does when a monitor group is made or removed, for a tree of plain files:
// preloaded into the command. New groups get the text of FAKE_RESCTRL_VALUE in every counter; with
// FAKE_RESCTRL_ERRNO none can be made.
#include <dlfcn.h>
#include <ftw.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

bool is_group(const char* path) {
  return std::strstr(path, "/mon_groups/roofmark-") != nullptr;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void put(const std::string& path, const char* text) {
  if (std::FILE* file = std::fopen(path.c_str(), "w")) {
    std::fputs(text, file);
    std::fclose(file);
  }
}

int remove_one(const char* path, const struct stat*, int, struct FTW*) {
  return std::remove(path);
}

}  // namespace

extern "C" int mkdir(const char* path, mode_t mode) {
  auto* const real = next<int(const char*, mode_t)>("mkdir");
  if (!is_group(path)) return real(path, mode);
  if (const char* error = std::getenv("FAKE_RESCTRL_ERRNO")) {
    errno = std::atoi(error);
    return -1;
  }
  if (const int result = real(path, mode); result != 0) return result;
  const std::string group = path;
  const char* const value = std::getenv("FAKE_RESCTRL_VALUE");
  put(group + "/tasks", "");
  real((group + "/mon_data").c_str(), mode);
  for (const char* domain : {"mon_L3_00", "mon_L3_01"}) {
    const std::string folder = group + "/mon_data/" + domain;
    real(folder.c_str(), mode);
    for (const char* event : {"/llc_occupancy", "/mbm_total_bytes", "/mbm_local_bytes"})
      put(folder + event, value != nullptr ? value : "0\n");
  }
  return 0;
}

extern "C" int rmdir(const char* path) {
  if (!is_group(path)) return next<int(const char*)>("rmdir")(path);
  return nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
