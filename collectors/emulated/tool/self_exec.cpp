// A program that executes itself again by /proc/self/exe.
//
// Valgrind answers readlink() of that name with the program's file, but hands execve() of it to the
// kernel, for which it is this tool: the program would end there. The linker hands us the call into
// Valgrind's own handling (--wrap), which gets the file's name in its place.
#include "executable.hpp"

namespace {

/// As Valgrind's core has them, which no header for tools says.
struct SystemCall {
  Word number;
  UWord arguments[8];
};

using Handler = void(ThreadId, void* layout, SystemCall*, void* status, UWord* flags);

}  // namespace

extern "C" {
[[gnu::weak]] Handler __real_vgSysWrap_generic_sys_execve_before;
[[gnu::weak]] Handler __real_vgSysWrap_linux_sys_execveat_before;
Handler __wrap_vgSysWrap_generic_sys_execve_before;
Handler __wrap_vgSysWrap_linux_sys_execveat_before;
/// Memory of the program's: Valgrind takes a name from no other.
SysRes vgPlain_am_mmap_anon_float_client(SizeT length, Int protection);
}

namespace roofmark::emulator {
namespace {

bool is_own_file(UWord address) {
  constexpr UWord longest = 40;  // "/proc/PID/exe"
  if (!VG_(am_is_valid_for_client)(address, 1, VKI_PROT_READ)) return false;
  const auto* const name = reinterpret_cast<const HChar*>(address);
  UWord length = 0;
  while (length < longest && VG_(am_is_valid_for_client)(address + length, 1, VKI_PROT_READ) &&
         name[length] != 0)
    ++length;
  if (length == longest) return false;
  HChar by_number[longest];
  VG_(snprintf)(by_number, sizeof by_number, "/proc/%d/exe", VG_(getpid)());
  return VG_(strcmp)(name, "/proc/self/exe") == 0 ||
         VG_(strcmp)(name, "/proc/thread-self/exe") == 0 || VG_(strcmp)(name, by_number) == 0;
}

/// The executable's name where the program could have it; 0: there is no memory for it.
UWord name_for_program() {
  constinit static UWord kept = 0;
  if (kept != 0) return kept;
  const SizeT bytes = VG_(strlen)(executable()) + 1;
  const SysRes mapped = vgPlain_am_mmap_anon_float_client(
      (bytes + VKI_PAGE_SIZE - 1) & ~(VKI_PAGE_SIZE - 1), VKI_PROT_READ | VKI_PROT_WRITE);
  if (sr_isError(mapped)) return 0;
  kept = sr_Res(mapped);
  VG_(memcpy)(reinterpret_cast<void*>(kept), executable(), bytes);
  return kept;
}

void name_own_file(UWord& argument) {
  if (!is_own_file(argument)) return;
  if (const UWord name = name_for_program(); name != 0) argument = name;
}

}  // namespace
}  // namespace roofmark::emulator

void __wrap_vgSysWrap_generic_sys_execve_before(ThreadId thread, void* layout, SystemCall* call,
                                                void* status, UWord* flags) {
  roofmark::emulator::name_own_file(call->arguments[0]);
  __real_vgSysWrap_generic_sys_execve_before(thread, layout, call, status, flags);
}

void __wrap_vgSysWrap_linux_sys_execveat_before(ThreadId thread, void* layout, SystemCall* call,
                                                void* status, UWord* flags) {
  roofmark::emulator::name_own_file(call->arguments[1]);
  __real_vgSysWrap_linux_sys_execveat_before(thread, layout, call, status, flags);
}
