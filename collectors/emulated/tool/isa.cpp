#include "isa.hpp"

namespace roofmark::emulator {
namespace {
constinit Vector<const HChar*> objects;

const HChar* base_name(const HChar* path) {
  const HChar* slash = VG_(strrchr)(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool is_loader(const HChar* name) {
  return VG_(strncmp)(name, "ld-linux", 8) == 0 || VG_(strncmp)(name, "ld-2", 4) == 0 ||
         VG_(strncmp)(name, "ld.so", 5) == 0 || VG_(strncmp)(name, "ld64.so", 7) == 0;
}
}  // namespace

void isa_queried(DiEpoch epoch, Addr address) {
  const HChar* path = nullptr;
  if (!VG_(get_objname)(epoch, address, &path)) path = "(unknown)";
  const HChar* name = base_name(path);
  if (is_loader(name)) return;
  for (const HChar* known : objects)
    if (VG_(strcmp)(known, name) == 0) return;
  objects.push(VG_(strdup)("roofmark.isa", name));
}

const Vector<const HChar*>& isa_queries() {
  return objects;
}

}  // namespace roofmark::emulator
