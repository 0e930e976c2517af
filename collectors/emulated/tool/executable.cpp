#include "executable.hpp"

extern "C" {
#include <pub_tool_clientstate.h>
}
#undef NULL
#define NULL nullptr

namespace roofmark::emulator {
namespace {

constinit HChar name[4096] = {};

constexpr UWord program_headers = 3;  // AT_PHDR of <elf.h>

/// Where the executable's program headers lie, by the auxiliary vector behind the environment.
Addr address_in_executable() {
  if (VG_(client_envp) == nullptr) return 0;
  auto* word = reinterpret_cast<const UWord*>(VG_(client_envp));
  while (*word != 0) ++word;
  for (++word; *word != 0; word += 2)
    if (*word == program_headers) return word[1];
  return 0;
}

}  // namespace

void find_executable() {
  const NSegment* segment = VG_(am_find_nsegment)(address_in_executable());
  const HChar* file = segment != nullptr ? VG_(am_get_filename)(segment) : nullptr;
  if (file == nullptr || file[0] != '/') file = VG_(args_the_exename);
  VG_(snprintf)(name, sizeof name, "%s", file);
}

const HChar* executable() {
  return name;
}

}  // namespace roofmark::emulator
