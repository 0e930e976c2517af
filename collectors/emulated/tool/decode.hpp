// Which work an instruction does, as costs of the emulator's classes.
#pragma once

#include "classes.hpp"

namespace roofmark::emulator {

/// Costs of one instruction, its memory accesses left out.
struct Work {
  struct Part {
    UInt amount;
    CostClass cost_class;
  };
  static constexpr UInt max_parts = 4;
  Part parts[max_parts];
  UInt count = 0;
  bool fma = false;          ///< may be handed to the host's FMA
  bool nontemporal = false;  ///< its stores bypass the caches
  bool queries_isa = false;  ///< CPUID
  Width width = Width::scalar;
  bool vector = false;  ///< uses vector registers (SSE and up)

  // What its accesses are, where the intermediate code alone doesn't say.
  bool one_operand = false;  ///< all that it reads is one load, all that it writes is one store
  bool gathers = false;      ///< one load for each lane that is not switched off
  bool reads = true;         ///< false: what the intermediate code reads, it does not
  bool writes = true;
  bool rewrites = false;   ///< it reads what it stores to, even where the code needs no value
  UInt operand_bytes = 0;  ///< of its operand in memory; 0: what is accessed

  /// A string instruction that is repeated: the intermediate code does one element after the other,
  /// but it is one instruction with one load and one store. 0: it is none.
  UInt element_bytes = 0;
  bool fills = false;           ///< it only stores
  bool flat_addresses = false;  ///< as the registers say
  bool repeats() const { return element_bytes != 0; }

  void add(CostClass c, UInt amount) {
    if (count < max_parts && amount != 0) parts[count++] = {amount, c};
  }
};

/// By the bytes of the instruction; only where the guest is x86.
#if defined(VGA_amd64) || defined(VGA_x86)
inline constexpr bool decodes_bytes = true;
Work decode_bytes(const UChar* bytes, UInt length);
#else
inline constexpr bool decodes_bytes = false;
inline Work decode_bytes(const UChar*, UInt) {
  return {};
}
#endif

/// By one operation of VEX's intermediate code: the portable way.
Work decode_ir(const IRExpr* e);

/// FLOPs among the costs.
UInt flop_of(const Work& work);

}  // namespace roofmark::emulator
