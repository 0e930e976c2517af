#include "isa.hpp"

namespace roofmark::emulator {
namespace {
constinit Vector<const HChar*> objects;

const HChar* base_name(const HChar* path) {
  const HChar* slash = VG_(strrchr)(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool starts_with(const HChar* name, const HChar* start) {
  return VG_(strncmp)(name, start, VG_(strlen)(start)) == 0;
}

template <UWord n>
bool starts_with_any(const HChar* name, const HChar* const (&starts)[n]) {
  for (const HChar* start : starts)
    if (starts_with(name, start)) return true;
  return false;
}

constexpr const HChar* always_ask[] = {"ld-linux",  "ld-2",         "ld.so",
                                       "ld64.so",   "libc.so",      "libc-2",
                                       "libgcc_s.", "libstdc++.so", "libm.so"};
// The C library's own, in a static program.
constexpr const HChar* libc_asks[] = {"__libc_start",
                                      "__libc_main",
                                      "init_cpu_features",
                                      "cpu_features",
                                      "update_active",
                                      "get_extended_indices",
                                      "handle_intel",
                                      "intel_check_word",
                                      "get_common_cache",
                                      "dl_init_cacheinfo",
                                      "_dl_relocate_static_pie",
                                      "__cache_sysconf"};

const HChar* object_of(DiEpoch epoch, Addr address) {
  const HChar* path = nullptr;
  return VG_(get_objname)(epoch, address, &path) ? base_name(path) : "(unknown)";
}

bool has_asked(const HChar* object) {
  for (const HChar* known : objects)
    if (VG_(strcmp)(known, object) == 0) return true;
  return false;
}

}  // namespace

void isa_queried(DiEpoch epoch, Addr address) {
  const HChar* function = nullptr;
  if (VG_(get_fnname)(epoch, address, &function) && starts_with_any(function, libc_asks)) return;
  const HChar* object = object_of(epoch, address);
  if (starts_with_any(object, always_ask) || has_asked(object)) return;
  objects.push(VG_(strdup)("roofmark.isa", object));
}

bool may_dispatch(DiEpoch epoch, Addr address) {
  return !objects.empty() && has_asked(object_of(epoch, address));
}

const Vector<const HChar*>& isa_queries() {
  return objects;
}

}  // namespace roofmark::emulator
