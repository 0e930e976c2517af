// Writes of guest registers that nothing can see.
#pragma once

#include "valgrind.hpp"

namespace roofmark::emulator {

/// Removes from an instrumented block each write of the guest state that a later one replaces
/// before anything can read it. The translator would do that before the tool sees a block, and with
/// the write it would drop the load that fed it: the tool has all registers kept at each
/// instruction and does this itself, after loads have been counted.
void drop_unseen_puts(IRSB* block, const VexGuestLayout& layout);

}  // namespace roofmark::emulator
