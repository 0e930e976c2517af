// Short words for building VEX's intermediate code.
#pragma once

#include "support.hpp"

namespace roofmark::emulator {

/// Where new statements go; temporaries get their definition's home through `on_new`.
class Emitter {
 public:
  explicit Emitter(IRSB* block) : block_(block) {}

  IRSB* block() { return block_; }
  void add(IRStmt* s) { addStmtToIRSB(block_, s); }
  IRTemp assign(IRType type, IRExpr* e) {
    const IRTemp t = newIRTemp(block_->tyenv, type);
    add(IRStmt_WrTmp(t, e));
    return t;
  }
  /// A constant or the value of a new temporary: an atom either way.
  IRExpr* atom(IRType type, IRExpr* e) { return IRExpr_RdTmp(assign(type, e)); }
  static IRExpr* u64(ULong v) { return IRExpr_Const(IRConst_U64(v)); }
  static IRExpr* address(const void* p) { return u64(reinterpret_cast<UWord>(p)); }
  IRExpr* load(IRType type, IRExpr* from) {
    return atom(type, IRExpr_Load(host_endness(), type, from));
  }
  void store(IRExpr* to, IRExpr* value) { add(IRStmt_Store(host_endness(), to, value)); }
  IRExpr* binop(IROp op, IRType type, IRExpr* a, IRExpr* b) {
    return atom(type, IRExpr_Binop(op, a, b));
  }
  IRExpr* unop(IROp op, IRType type, IRExpr* a) { return atom(type, IRExpr_Unop(op, a)); }
  IRDirty* call(UInt regparms, const HChar* name, void* function, IRExpr** arguments) {
    IRDirty* d = unsafeIRDirty_0_N(static_cast<Int>(regparms), name, function, arguments);
    add(IRStmt_Dirty(d));
    return d;
  }
  IRType type_of(const IRExpr* e) const { return typeOfIRExpr(block_->tyenv, e); }

  static IREndness host_endness() {
#if defined(VG_BIGENDIAN)
    return Iend_BE;
#else
    return Iend_LE;
#endif
  }

 private:
  IRSB* block_;
};

}  // namespace roofmark::emulator
