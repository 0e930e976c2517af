// Which vector sets the program asked about.
#pragma once

#include "support.hpp"

namespace roofmark::emulator {

/// An instruction that asks for the processor's features was translated.
void isa_queried(DiEpoch epoch, Addr address);
/// Names of the objects that asked. Left out are those that ask whatever the program is: the
/// loader, the C library, and the compiler's support libraries.
const Vector<const HChar*>& isa_queries();
/// Does the code at that address belong to an object that asked?
bool may_dispatch(DiEpoch epoch, Addr address);

}  // namespace roofmark::emulator
