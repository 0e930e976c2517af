// Instruments one translated block.
#pragma once

#include "support.hpp"
#include "valgrind.hpp"

namespace roofmark::emulator {

IRSB* translate(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                const VexGuestExtents* extents, const VexArchInfo* arch, IRType guest_word,
                IRType host_word);

/// How many translated instructions do other FLOPs by their bytes than by intermediate code.
struct CrossCheck {
  ULong instructions;
  ULong differ;
};
CrossCheck cross_check();

/// One of them that has FLOPs either way, once for equal bytes.
struct CheckedInstruction {
  UChar bytes[16];
  UInt length;
  UInt flop_by_bytes;
  UInt flop_by_ir;
};
const Vector<CheckedInstruction>& checked_instructions();

}  // namespace roofmark::emulator
