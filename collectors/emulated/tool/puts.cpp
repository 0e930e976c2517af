#include "puts.hpp"

#include "faults.hpp"
#include "support.hpp"

namespace roofmark::emulator {
namespace {

constexpr Int most_guest_bytes = 4096;

/// Which bytes of the guest state are written again before they can be read, at one place of a
/// block that is walked from its end to its start.
class Replaced {
 public:
  explicit Replaced(const VexGuestLayout& layout) : layout_(layout) {
    tl_assert(layout.total_sizeB <= most_guest_bytes);
    none();
  }

  void none() { VG_(memset)(bytes_, 0, static_cast<SizeT>(layout_.total_sizeB)); }
  void write(Int offset, Int size) { VG_(memset)(bytes_ + offset, 1, static_cast<SizeT>(size)); }
  void read(Int offset, Int size) { VG_(memset)(bytes_ + offset, 0, static_cast<SizeT>(size)); }
  bool holds(Int offset, Int size) const {
    for (Int i = offset; i < offset + size; ++i)
      if (bytes_[i] == 0) return false;
    return true;
  }
  /// A fault there may need what a stack trace is made of, and a handler of the program's all.
  void access_memory() {
    if (faults::handled()) {
      none();
      return;
    }
    read(layout_.offset_SP, layout_.sizeof_SP);
    read(layout_.offset_IP, layout_.sizeof_IP);
    read(layout_.offset_FP, layout_.sizeof_FP);
  }

 private:
  const VexGuestLayout& layout_;
  static UChar bytes_[most_guest_bytes];
};
constinit UChar Replaced::bytes_[most_guest_bytes] = {};

Int size_of(const IRTypeEnv* types, const IRExpr* e) {
  return sizeofIRType(typeOfIRExpr(types, e));
}

void read_by(const IRExpr* e, Replaced& replaced) {
  switch (e->tag) {
    case Iex_Get:
      replaced.read(e->Iex.Get.offset, sizeofIRType(e->Iex.Get.ty));
      break;
    case Iex_GetI: {
      const IRRegArray* a = e->Iex.GetI.descr;
      replaced.read(a->base, a->nElems * sizeofIRType(a->elemTy));
      break;
    }
    case Iex_Load:
      replaced.access_memory();
      break;
    default:
      break;
  }
}

void read_by(const IRDirty& d, Replaced& replaced) {
  for (Int i = 0; i < d.nFxState; ++i) {
    const auto& effect = d.fxState[i];
    // What it only writes may be left as it was, where its guard is false.
    if (effect.fx == Ifx_Write) continue;
    for (Int k = 0; k <= effect.nRepeats; ++k)
      replaced.read(effect.offset + k * effect.repeatLen, effect.size);
  }
  if (d.mFx != Ifx_None) replaced.access_memory();
}

}  // namespace

void drop_unseen_puts(IRSB* block, const VexGuestLayout& layout) {
  Replaced replaced(layout);
  replaced.write(block->offsIP, size_of(block->tyenv, block->next));
  for (Int i = block->stmts_used - 1; i >= 0; --i) {
    IRStmt* s = block->stmts[i];
    switch (s->tag) {
      case Ist_Put: {
        const Int offset = s->Ist.Put.offset;
        const Int size = size_of(block->tyenv, s->Ist.Put.data);
        if (replaced.holds(offset, size))
          block->stmts[i] = IRStmt_NoOp();
        else
          replaced.write(offset, size);
        break;
      }
      case Ist_Exit:
        // Whoever comes next may read all but the address that is written there.
        replaced.none();
        replaced.write(s->Ist.Exit.offsIP, sizeofIRType(typeOfIRConst(s->Ist.Exit.dst)));
        break;
      case Ist_WrTmp:
        read_by(s->Ist.WrTmp.data, replaced);
        break;
      case Ist_Dirty:
        read_by(*s->Ist.Dirty.details, replaced);
        break;
      case Ist_Store:
      case Ist_StoreG:
      case Ist_LoadG:
      case Ist_CAS:
      case Ist_LLSC:
        replaced.access_memory();
        break;
      default:
        break;
    }
  }
}

}  // namespace roofmark::emulator
