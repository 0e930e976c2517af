// An instruction's memory operands, found again in the loads and stores that it was translated
// into.
#pragma once

#include "decode.hpp"

namespace roofmark::emulator {

/// Those of one instruction. Accesses are told in order, the conditional ones left out: each lane
/// of a masked move is one of its own.
class Operands {
 public:
  struct Asked {
    UInt accesses;
    UInt bytes;
  };
  /// What an access adds to what the instruction has asked for so far.
  Asked ask(const Work& work, bool store, const IRExpr* address, UInt bytes) {
    if (!store) last_read_ = address;
    bool& known = store ? written_ : read_;
    const bool more = known && work.one_operand;
    known = true;
    if (work.operand_bytes != 0) bytes = more ? 0 : work.operand_bytes;
    return {more ? 0U : 1U, bytes};
  }
  bool has_read() const { return read_; }
  bool was_last_read(const IRExpr* address) const {
    return last_read_ != nullptr && eqIRAtom(last_read_, address);
  }

 private:
  const IRExpr* last_read_ = nullptr;
  bool read_ = false;
  bool written_ = false;
};

/// The condition under which a load of a gather is one, or null. A lane that is switched off is
/// read from a place that is always there: the address is chosen by the condition.
inline IRExpr* condition_of_lane(const IRSB* block, const Work& work, const IRExpr* address) {
  if (!work.gathers) return nullptr;
  for (Int i = block->stmts_used - 1; i >= 0 && address->tag == Iex_RdTmp; --i) {
    const IRStmt* s = block->stmts[i];
    if (s->tag != Ist_WrTmp || s->Ist.WrTmp.tmp != address->Iex.RdTmp.tmp) continue;
    // In a loop that was unrolled it may be another name for one.
    address = s->Ist.WrTmp.data;
  }
  const bool chosen = address->tag == Iex_ITE && address->Iex.ITE.cond->tag == Iex_RdTmp;
  return chosen ? address->Iex.ITE.cond : nullptr;
}

}  // namespace roofmark::emulator
