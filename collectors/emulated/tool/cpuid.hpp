// Who the processor says it is. VEX answers CPUID as one fixed model; libraries that choose a
// kernel by model, and glibc's threshold for non-temporal stores, would then choose otherwise than
// natively. So the identity and the cache leaves are the host's; the feature bits stay VEX's, since
// it can't execute more than it announces.
#pragma once

#include "valgrind.hpp"

namespace roofmark::emulator {

/// What a block's code sets ECX to before it asks CPUID. VEX says of that call that it writes ECX
/// and not that it reads it, so the setting is removed as dead where the block sets ECX again
/// behind it (seen with Valgrind 3.19).
class Subleaf {
 public:
  static constexpr ULong unknown =
      ~ULong{0};  ///< not set to a constant just before: what the state holds

  /// The next instruction of the block.
  void pass(Addr address, UInt length);
  ULong value() const { return value_; }

 private:
  ULong value_ = unknown;
  bool asked_ = false;  ///< the last instruction was CPUID
};

/// The call to make instead of VEX's own, or null when this is no CPUID.
const IRDirty* with_host_identity(const IRDirty* call, ULong subleaf);

/// Widest vector set of the host and of the emulated processor.
const HChar* host_isa();
const HChar* emulated_isa();
bool host_has_fma();

}  // namespace roofmark::emulator
