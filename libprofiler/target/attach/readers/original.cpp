#include "original.hpp"

#include <dlfcn.h>
#include <link.h>

namespace roofmark::readers {
namespace {

struct Search {
  const char* symbol;
  const char* library;
  const void* ours;
  void* found;
};

bool is_called(const char* path, const char* library) {
  const char* name = path;
  for (const char* at = path; *at != '\0'; ++at)
    if (*at == '/') name = at + 1;
  for (; *library != '\0'; ++library, ++name)
    if (*name != *library) return false;
  return true;
}

int look_into(dl_phdr_info* object, size_t, void* data) {
  auto* const search = static_cast<Search*>(data);
  if (object->dlpi_name == nullptr || !is_called(object->dlpi_name, search->library)) return 0;
  void* const handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return 0;
  void* const found = dlsym(handle, search->symbol);
  dlclose(handle);
  if (found == search->ours) return 0;
  search->found = found;
  return found != nullptr;
}

}  // namespace

void* find_original(const char* symbol, const char* library, const void* ours) {
  void* const next = dlsym(RTLD_NEXT, symbol);
  if (next != nullptr && next != ours) return next;
  Search search = {symbol, library, ours, nullptr};
  dl_iterate_phdr(look_into, &search);
  return search.found;
}

}  // namespace roofmark::readers
