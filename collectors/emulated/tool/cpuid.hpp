// Who the processor says it is. VEX answers CPUID as one fixed model; libraries that choose a
// kernel by model, and glibc's threshold for non-temporal stores, would then choose otherwise than
// natively. So the identity and the cache leaves are the host's; the feature bits stay VEX's, since
// it can't execute more than it announces.
#pragma once

#include "valgrind.hpp"

namespace roofmark::emulator {

/// The call to make instead of VEX's own, or null when this is no CPUID.
const IRDirty* with_host_identity(const IRDirty* call);

/// Widest vector set of the host and of the emulated processor.
const HChar* host_isa();
const HChar* emulated_isa();
bool host_has_fma();

}  // namespace roofmark::emulator
