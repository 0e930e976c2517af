// Where the driver and CUPTI are looked for.
#include <dlfcn.h>
#include <glob.h>
#include <link.h>

#include <cstdlib>
#include <vector>

#include "cuda_driver.hpp"
#include "cupti_library.hpp"

namespace roofmark::cupti {
namespace {

template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

/// cuptiGetVersion: 130001 of CUDA 13, but 26 (12.6) of CUDA 12, counted up with each release.
constexpr unsigned major_of(unsigned version) {
  return version >= 1000 ? version / 10000 : 12;
}
constexpr unsigned built_for = major_of(CUPTI_API_VERSION);

std::vector<std::string> candidates() {
  const std::string name = "libcupti.so." + std::to_string(built_for);
  // By its bare name first: the one that the program has loaded already, if it has.
  std::vector<std::string> files{name};
  for (const char* root : {std::getenv("CUDA_HOME"), std::getenv("CUDA_PATH")})
    if (root != nullptr && *root == '/')
      for (const char* folder : {"/extras/CUPTI/lib64/", "/lib64/", "/lib/"})
        files.push_back(root + std::string(folder) + name);
  for (const char* pattern : {"/usr/local/cuda/extras/CUPTI/lib64/", "/usr/local/cuda/lib64/",
                              "/usr/local/cuda/lib/", "/usr/local/cuda-*/extras/CUPTI/lib64/",
                              "/usr/local/cuda-*/lib64/", "/usr/local/cuda-*/lib/"}) {
    glob_t found{};
    if (glob((pattern + name).c_str(), 0, nullptr, &found) == 0)
      for (std::size_t i = found.gl_pathc; i-- != 0;) files.emplace_back(found.gl_pathv[i]);
    globfree(&found);
  }
  return files;
}

std::string file_of(void* library) {
  const link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || map == nullptr) return {};
  return map->l_name;
}

/// CUPTI loads libnvperf_host.so by its bare name, which is found only if it is loaded already.
void load_host_half(const std::string& cupti_file) {
  const auto slash = cupti_file.rfind('/');
  if (slash == std::string::npos) return;
  (void)dlopen((cupti_file.substr(0, slash) + "/libnvperf_host.so").c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

bool CudaDriver::load() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  bool whole = true;
#define ROOFMARK_FIND(name, function) whole = find(library, name, function) && whole;
  ROOFMARK_CUDA_FUNCTIONS(ROOFMARK_FIND)
#undef ROOFMARK_FIND
  return whole;
}

const char* CuptiLibrary::load() {
  void* library = nullptr;
  // Whoever names one wants that one or none.
  if (const char* const named = std::getenv("ROOFMARK_CUPTI_LIBRARY");
      named != nullptr && *named != '\0') {
    file = named;
    library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
  } else {
    for (const std::string& candidate : candidates())
      if (library == nullptr) library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) return "no_cupti";
  file = file_of(library);
  load_host_half(file);
  std::uint32_t found = 0;
  if (!find(library, "cuptiGetVersion", cuptiGetVersion) ||
      cuptiGetVersion(&found) != CUPTI_SUCCESS)
    return "cupti_too_old";
  version = found;
  // Records have no size in them: another major version may lay them out otherwise.
  if (major_of(version) != built_for) return "cupti_other_major";
  bool whole = true;
#define ROOFMARK_FIND(function) whole = find(library, #function, function) && whole;
  ROOFMARK_CUPTI_FUNCTIONS(ROOFMARK_FIND)
#undef ROOFMARK_FIND
  return whole ? nullptr : "cupti_too_old";
}

}  // namespace roofmark::cupti
