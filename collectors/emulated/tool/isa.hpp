// Which vector sets the program asked about.
#pragma once

#include "support.hpp"

namespace roofmark::emulator {

/// An instruction that asks for the processor's features was translated.
void isa_queried(DiEpoch epoch, Addr address);
/// Names of the objects that asked, the dynamic loader left out: it always does.
const Vector<const HChar*>& isa_queries();

}  // namespace roofmark::emulator
