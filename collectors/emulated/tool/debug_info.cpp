// Debug information that Valgrind can't read is left out instead of ending the program.
//
// Valgrind 3.19 gives up, before main, on DWARF 5 of clang with two or more source files, on split
// and on 64-bit DWARF. Its reader ends the process from deep inside by VG_(exit); the linker hands
// us both that call and the one into the reader (--wrap), so that the reading alone is given up.
// What was read until then (symbols, frames) stays; lines of that object are not known.
#include "debug_info.hpp"

extern "C" {
#include <pub_tool_libcsetjmp.h>
}

namespace roofmark::emulator {
namespace {
constinit VG_MINIMAL_JMP_BUF(before_reading) = {};
constinit bool reading = false;
constinit UInt given_up = 0;
}  // namespace

UInt unreadable_objects() {
  return given_up;
}

}  // namespace roofmark::emulator

using namespace roofmark::emulator;

// Until Valgrind 3.20 one function reads an object's symbols and its debug information; later the
// second part is read by another when somebody asks for a line. What a version lacks is null here.
extern "C" {
[[gnu::weak]] Bool __real_vgModuleLocal_read_elf_debug_info(void* object);
[[gnu::weak]] Bool __real_vgModuleLocal_read_elf_object(void* object);
[[gnu::weak]] Bool __real_vgModuleLocal_read_elf_debug(void* object);
[[noreturn]] void __real_vgPlain_exit(Int status);
Bool __wrap_vgModuleLocal_read_elf_debug_info(void* object);
Bool __wrap_vgModuleLocal_read_elf_object(void* object);
Bool __wrap_vgModuleLocal_read_elf_debug(void* object);
[[noreturn]] void __wrap_vgPlain_exit(Int status);
}

static Bool read_guarded(Bool (*read)(void*), void* object) {
  if (VG_MINIMAL_SETJMP(before_reading) != 0) {
    reading = false;
    ++given_up;
    return True;
  }
  reading = true;
  const Bool done = read(object);
  reading = false;
  return done;
}

Bool __wrap_vgModuleLocal_read_elf_debug_info(void* object) {
  return read_guarded(__real_vgModuleLocal_read_elf_debug_info, object);
}
Bool __wrap_vgModuleLocal_read_elf_object(void* object) {
  return read_guarded(__real_vgModuleLocal_read_elf_object, object);
}
Bool __wrap_vgModuleLocal_read_elf_debug(void* object) {
  return read_guarded(__real_vgModuleLocal_read_elf_debug, object);
}

void __wrap_vgPlain_exit(Int status) {
  if (reading) VG_MINIMAL_LONGJMP(before_reading);
  __real_vgPlain_exit(status);
}
