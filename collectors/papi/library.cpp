#include "library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

namespace roofmark::papi {
namespace {

constexpr const char* install = "sudo apt install libpapi-dev (or your system's package of PAPI)";

/// The unversioned name is a link for compilers, in a package that need not be installed.
constexpr const char* names[] = {"libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0",
                                 "libpapi.so.7",   "libpapi.so.6.0", "libpapi.so.6",
                                 "libpapi.so"};

template <class Function>
bool find(void* handle, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(handle, name));
  return function != nullptr;
}

/// PAPI_library_init accepts its own version alone.
bool initialise(int (*init)(int), int own) {
  std::vector<int> versions;
  if (own != 0) versions.push_back(own);
  for (const int major : {7, 6, 5})
    for (int minor = 0; minor < 10; ++minor) versions.push_back(major << 24 | minor << 16);
  for (const int version : versions)
    if (init(version) == version) return true;
  return false;
}

}  // namespace

int version_number(const std::string& file) {
  const std::size_t mark = file.rfind(".so.");
  unsigned major = 0, minor = 0;
  if (mark == std::string::npos ||
      std::sscanf(file.c_str() + mark, ".so.%3u.%3u", &major, &minor) != 2 || major > 99 ||
      minor > 255)
    return 0;
  return static_cast<int>(major << 24 | minor << 16);
}

Result<Library> Library::load() {
  void* handle = nullptr;
  for (const char* name : names)
    if (handle == nullptr) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return tl::unexpected(Problem{"libpapi is not installed here", "PAPI", install});
  Library library;
  const link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr) {
    std::error_code unknown;
    const auto real = std::filesystem::canonical(map->l_name, unknown);
    library.file = unknown ? std::string(map->l_name) : real.string();
    const std::size_t mark = library.file.rfind(".so.");
    if (mark != std::string::npos) library.version = library.file.substr(mark + 4);
  }
  int (*init)(int) = nullptr;
  const bool whole = find(handle, "PAPI_library_init", init) &&
                     find(handle, "PAPI_event_name_to_code", library.event_name_to_code) &&
                     find(handle, "PAPI_get_event_component", library.get_event_component) &&
                     find(handle, "PAPI_get_component_info", library.get_component_info) &&
                     find(handle, "PAPI_num_components", library.num_components) &&
                     find(handle, "PAPI_create_eventset", library.create_eventset) &&
                     find(handle, "PAPI_add_named_event", library.add_named_event) &&
                     find(handle, "PAPI_start", library.start) &&
                     find(handle, "PAPI_read", library.read) &&
                     find(handle, "PAPI_stop", library.stop) &&
                     find(handle, "PAPI_cleanup_eventset", library.cleanup_eventset) &&
                     find(handle, "PAPI_destroy_eventset", library.destroy_eventset);
  if (!whole)
    return tl::unexpected(Problem{"this libpapi lacks functions that it has since version 5.4",
                                  library.file, install});
  if (!initialise(init, version_number(library.file)))
    return tl::unexpected(Problem{"this libpapi could not be initialised", library.file,
                                  "papi_component_avail (says what is wrong with it)"});
  return library;
}

std::string Library::component(int index) const {
  const void* const info = index < 0 ? nullptr : get_component_info(index);
  if (info == nullptr) return {};
  constexpr std::size_t longest = 128;  // PAPI_MAX_STR_LEN
  const char* const name = static_cast<const char*>(info);
  std::size_t length = 0;
  while (length < longest && name[length] != '\0') ++length;
  return {name, length};
}

}  // namespace roofmark::papi
