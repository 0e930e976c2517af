#include "libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <initializer_list>
#include <system_error>

namespace roofmark::check {
namespace {

/// Loads the first of the names, asks where it came from, and lets go of it again.
Library look(const char* name, std::initializer_list<const char*> files) {
  Library library{name, "", ""};
  for (const char* file : files) {
    void* const handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) continue;
    const link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr) {
      std::error_code unknown;
      // The name that is asked for is a link to one that holds the whole version.
      const auto real = std::filesystem::canonical(map->l_name, unknown);
      library.file = unknown ? std::string(map->l_name) : real.string();
      library.version = version_in_name(library.file);
    }
    dlclose(handle);
    break;
  }
  return library;
}

}  // namespace

std::string version_in_name(const std::string& file) {
  const std::size_t mark = file.rfind(".so.");
  return mark == std::string::npos ? std::string() : file.substr(mark + 4);
}

std::vector<Library> libraries_here() {
  return {look("libpfm4", {"libpfm.so.4", "libpfm.so"}),
          look("PAPI", {"libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0", "libpapi.so.7",
                        "libpapi.so.6.0", "libpapi.so.6", "libpapi.so"})};
}

}  // namespace roofmark::check
