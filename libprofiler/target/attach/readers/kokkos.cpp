// Kokkos Tools: Kokkos loads what KOKKOS_TOOLS_LIBS names and calls what it finds there, by these
// names.
#include "reader.hpp"
#include "text.hpp"

namespace roofmark::readers {
namespace {

enum : uint64_t { region = 1, copy = 2, first_section = 3, first_kernel = uint64_t{1} << 32 };

uint64_t last_kernel = first_kernel;

void begin_kernel(const char* name, uint64_t* id) {
  if (id == nullptr) return;
  *id = __atomic_add_fetch(&last_kernel, 1, __ATOMIC_RELAXED);
  if (reads(Tool::kokkos)) begin({Tool::kokkos, *id}, name, length_of(name));
}
void end_kernel(uint64_t id) {
  if (reads(Tool::kokkos)) end({Tool::kokkos, id});
}

/// Sections have numbers of ours, and names that they keep.
constexpr uint32_t most_sections = 4096;
struct Section {
  char name[128];
};
Section sections[most_sections];
uint32_t sections_made;

}  // namespace
}  // namespace roofmark::readers

using namespace roofmark::readers;

#define KERNEL(kind)                                                                           \
  ROOFMARK_READER_EXPORT void kokkosp_begin_##kind(const char* name, uint32_t, uint64_t* id) { \
    begin_kernel(name, id);                                                                    \
  }                                                                                            \
  ROOFMARK_READER_EXPORT void kokkosp_end_##kind(uint64_t id) {                                \
    end_kernel(id);                                                                            \
  }
KERNEL(parallel_for)
KERNEL(parallel_reduce)
KERNEL(parallel_scan)
KERNEL(fence)

ROOFMARK_READER_EXPORT void kokkosp_push_profile_region(const char* name) {
  if (reads(Tool::kokkos)) push({Tool::kokkos, region}, name);
}
ROOFMARK_READER_EXPORT void kokkosp_pop_profile_region() {
  if (reads(Tool::kokkos)) pop({Tool::kokkos, region});
}

struct SpaceHandle {
  char name[64];
};
ROOFMARK_READER_EXPORT void kokkosp_begin_deep_copy(SpaceHandle, const char* to, const void*,
                                                    SpaceHandle, const char* from, const void*,
                                                    uint64_t) {
  if (!reads(Tool::kokkos)) return;
  Text name;
  name.add("deep_copy ");
  name.add(to);
  name.add(" <- ");
  name.add(from);
  push({Tool::kokkos, copy}, name.bytes, name.length);
}
ROOFMARK_READER_EXPORT void kokkosp_end_deep_copy() {
  if (reads(Tool::kokkos)) pop({Tool::kokkos, copy});
}

ROOFMARK_READER_EXPORT void kokkosp_create_profile_section(const char* name, uint32_t* id) {
  if (id == nullptr) return;
  *id = __atomic_fetch_add(&sections_made, 1, __ATOMIC_RELAXED);
  if (*id >= most_sections) return;
  Section& section = sections[*id];
  for (size_t i = 0; i + 1 < sizeof section.name && name != nullptr && name[i] != '\0'; ++i)
    section.name[i] = name[i];
}
ROOFMARK_READER_EXPORT void kokkosp_start_profile_section(uint32_t id) {
  if (reads(Tool::kokkos) && id < most_sections)
    begin({Tool::kokkos, first_section + id}, sections[id].name, length_of(sections[id].name));
}
ROOFMARK_READER_EXPORT void kokkosp_stop_profile_section(uint32_t id) {
  if (reads(Tool::kokkos)) end({Tool::kokkos, first_section + id});
}
// Its number is not given again.
ROOFMARK_READER_EXPORT void kokkosp_destroy_profile_section(uint32_t) {}

ROOFMARK_READER_EXPORT void kokkosp_init_library(int, uint64_t, uint32_t, void*) {}
ROOFMARK_READER_EXPORT void kokkosp_finalize_library() {}
