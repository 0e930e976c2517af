#include "translate.hpp"

#include "caches.hpp"
#include "code_rows.hpp"
#include "counters.hpp"
#include "cpuid.hpp"
#include "decode.hpp"
#include "entries.hpp"
#include "faults.hpp"
#include "fma.hpp"
#include "focus.hpp"
#include "isa.hpp"
#include "operands.hpp"
#include "options.hpp"
#include "own_code.hpp"
#include "puts.hpp"
#include "string_moves.hpp"

namespace roofmark::emulator {
namespace {

constinit CrossCheck checked = {};
constinit Vector<CheckedInstruction> checked_forms;
constinit Homes homes = {};

/// Exits for faults that a correct program never takes: they do not end a segment.
bool is_fault(IRJumpKind kind) {
  switch (kind) {
    case Ijk_SigSEGV:
    case Ijk_SigBUS:
    case Ijk_SigILL:
    case Ijk_SigTRAP:
    case Ijk_SigFPE:
    case Ijk_SigFPE_IntDiv:
    case Ijk_SigFPE_IntOvf:
    case Ijk_EmWarn:
    case Ijk_EmFail:
      return true;
    default:
      return false;
  }
}

/// Identifies a block's code: addresses and bytes of its instructions, which of them are counted,
/// and the shape of its statements.
ULong key_of(const IRSB* block, OwnCode& own_code) {
  ULong key = faults::seen() ? ~hash_start : hash_start;  // other segments
  for (Int i = 0; i < block->stmts_used; ++i) {
    const IRStmt* s = block->stmts[i];
    key = (key ^ static_cast<ULong>(s->tag)) * 0x100000001B3ULL;
    if (s->tag != Ist_IMark) continue;
    key = hash_bytes(key, &s->Ist.IMark.addr, sizeof s->Ist.IMark.addr);
    key = hash_bytes(key, reinterpret_cast<const void*>(s->Ist.IMark.addr), s->Ist.IMark.len);
    if (own_code.holds(s->Ist.IMark.addr)) key = ~key;
    if (!code_rows::wanted()) continue;
    // Equal code of another object may have other rows, and so other segments.
    const Node* node = code_rows::node_at(s->Ist.IMark.addr);
    key = hash_bytes(key, &node, sizeof node);
  }
  return key | 1;
}

class Translation : public Sink {
 public:
  Translation(IRSB* in, Int offset_of_stack_pointer)
      : in_(in),
        offset_of_stack_pointer_(offset_of_stack_pointer),
        out_(deepCopyIRSBExceptStmts(in)),
        reporter_(out_),
        simulate_(caches::wanted()),
        forward_(!focus::counting()) {}

  IRSB* run() {
    epoch_ = VG_(current_DiEpoch)();
    homes.start(out_.block()->tyenv);
    if (!forward_) segments.begin_block(key_of(in_, own_code_));
    Int i = 0;
    for (; i < in_->stmts_used && in_->stmts[i]->tag != Ist_IMark; ++i) out_.add(in_->stmts[i]);
    while (i < in_->stmts_used) {
      if (in_->stmts[i]->tag != Ist_IMark) {
        statement(in_->stmts[i++]);
        continue;
      }
      const Int first = i + 1;
      instruction(in_->stmts[i]);
      i = first;
      if (!work_.fma || !options.host_fma || skipping_) continue;
      Int last = first;
      while (last < in_->stmts_used && in_->stmts[last]->tag != Ist_IMark &&
             in_->stmts[last]->tag != Ist_Exit)
        ++last;
      if (!batch_fma({in_, first, last}, out_, homes, *this)) continue;
      for (; i < last; ++i) classify_batched(in_->stmts[i]);
    }
    finish_instruction();
    close_segment();
    if (entries::wanted() && in_->jumpkind == Ijk_Ret)
      entries::emit_return(out_, offset_of_stack_pointer_);
    if (!forward_) segments.end_block();
    return out_.block();
  }

  void statement(IRStmt* s) override {
    if (skipping_) {
      emit(s);
      return;
    }
    if (forward_) {
      if (s->tag == Ist_Dirty)
        emit(with_identity(s));
      else
        emit(s);
      return;
    }
    switch (s->tag) {
      case Ist_WrTmp: {
        IRExpr* e = s->Ist.WrTmp.data;
        emit(s);
        if (e->tag == Iex_Load)
          access(e->Iex.Load.addr, size_of(e->Iex.Load.ty), false,
                 condition_of_lane(in_, work_, e->Iex.Load.addr));
        else if (classifies_ir())
          operation(e);
        break;
      }
      case Ist_Put:
        // The count of a string goes down once an element is there: the store may fault.
        if (work_.repeats())
          held_.push(s);
        else
          emit(s);
        break;
      case Ist_Store:
        emit(s);
        emit_held();
        access(s->Ist.Store.addr, size_of(out_.type_of(s->Ist.Store.data)), true, nullptr);
        break;
      case Ist_StoreG: {
        const IRStoreG* g = s->Ist.StoreG.details;
        emit(s);
        access(g->addr, size_of(out_.type_of(g->data)), true, g->guard);
        break;
      }
      case Ist_LoadG: {
        const IRLoadG* g = s->Ist.LoadG.details;
        IRType result;
        IRType loaded;
        typeOfIRLoadGOp(g->cvt, &result, &loaded);
        emit(s);
        access(g->addr, size_of(loaded), false, g->guard);
        break;
      }
      case Ist_CAS: {
        const IRCAS* c = s->Ist.CAS.details;
        const UInt parts = c->dataHi == nullptr ? 1 : 2;
        const UInt bytes = parts * size_of(out_.type_of(c->dataLo));
        emit(s);
        // A locked instruction has read the operand already, to compute what is stored.
        if (!operands_.was_last_read(c->addr)) access(c->addr, bytes, false, nullptr);
        access(c->addr, bytes, true, nullptr);
        break;
      }
      case Ist_LLSC: {
        emit(s);
        const bool store = s->Ist.LLSC.storedata != nullptr;
        const IRType type = store ? out_.type_of(s->Ist.LLSC.storedata)
                                  : typeOfIRTemp(out_.block()->tyenv, s->Ist.LLSC.result);
        access(s->Ist.LLSC.addr, size_of(type), store, nullptr);
        break;
      }
      case Ist_Dirty:
        dirty(s);
        break;
      case Ist_Exit:
        if (is_fault(s->Ist.Exit.jk)) {
          emit(s);
          break;
        }
        // A repeated string instruction leaves its loop here, once.
        if (work_.repeats()) guarded_.push({address_, s->Ist.Exit.guard, Guarded::string_ends});
        emit_held();
        close_segment();
        emit(s);
        break;
      default:
        emit(s);
        break;
    }
  }

 private:
  static UInt size_of(IRType t) { return static_cast<UInt>(sizeofIRType(t)); }
  void emit(IRStmt* s) {
    out_.add(s);
    homes.note(s);
  }

  void emit_held() {
    for (IRStmt* s : held_) emit(s);
    held_.clear();
  }

  static bool by_bytes() { return decodes_bytes && !options.by_ir; }
  bool classifies_ir() const { return !forward_ && (options.cross_check || !by_bytes()); }

  void instruction(IRStmt* mark) {
    finish_instruction();
    address_ = mark->Ist.IMark.addr;
    length_ = mark->Ist.IMark.len;
    subleaf_.pass(address_, length_);
    work_ = {};
    operands_ = {};
    const bool skip = own_code_.holds(address_);
    if (skip && !skipping_) close_segment();
    skipping_ = skip;
    if (const Int entry = entries::wanted() && !skip ? entries::at(address_) : -1; entry >= 0) {
      close_segment();
      entries::emit_entry(out_, entry, offset_of_stack_pointer_);
      checked_block_ = max_counter_blocks;  // another row's counters
    }
    if (skip) {
      begun_ = true;
      emit(mark);
      return;
    }
    if (by_bytes()) {
      work_ = decode_bytes(reinterpret_cast<const UChar*>(address_), length_);
      if (work_.queries_isa) isa_queried(epoch_, address_);
    }
    if (forward_) {
      move_string_ahead();
      emit(mark);
      return;
    }
    // What a fault interrupts is executed again and counted then.
    if (faults::seen()) close_segment();
    if (code_rows::wanted()) arrive();
    move_string_ahead();
    if (!work_.repeats()) {
      open_segment();
      segments.add_instruction();
    }
    emit(mark);
    for (UInt i = 0; i < work_.count; ++i) cost(work_.parts[i].cost_class, work_.parts[i].amount);
  }

  // By intermediate code: an instruction's operations are grouped, so that the width of a
  // multiply-add that was split into lanes is found again.
  void operation(const IRExpr* e) {
    const Work w = decode_ir(e);
    if (w.count == 0) return;
    if (!by_bytes() && !w.fma)
      for (UInt i = 0; i < w.count; ++i) cost(w.parts[i].cost_class, w.parts[i].amount);
    ir_flop_ += flop_of(w);
    if (w.fma) {
      fma_flop_ += flop_of(w);
      fma_precision_ = precision_of(w.parts[0].cost_class);
    }
  }
  // A batched multiply-add does not come past as a statement.
  void classify_batched(const IRStmt* s) {
    if (!classifies_ir() || s->tag != Ist_WrTmp || s->Ist.WrTmp.data->tag != Iex_Qop) return;
    operation(s->Ist.WrTmp.data);
  }
  void finish_instruction() {
    emit_held();
    if (options.cross_check && address_ != 0 && !skipping_) compare();
    if (!by_bytes() && fma_flop_ != 0) {
      const UInt bits = fma_flop_ / 2 * (fma_precision_ == Precision::f64 ? 64 : 32);
      const Width w = bits >= 256 ? Width::w256 : bits >= 128 ? Width::w128 : Width::scalar;
      cost(flop_class(fma_precision_, w, Operation::fma), fma_flop_);
    }
    ir_flop_ = fma_flop_ = 0;
  }

  void compare() const {
    const UInt flop_by_bytes = flop_of(work_);
    if (flop_by_bytes == 0 && ir_flop_ == 0) return;
    ++checked.instructions;
    if (flop_by_bytes != ir_flop_) ++checked.differ;
    CheckedInstruction one{{}, length_, flop_by_bytes, ir_flop_};
    if (length_ > sizeof one.bytes) return;
    VG_(memcpy)(one.bytes, reinterpret_cast<const void*>(address_), length_);
    for (const CheckedInstruction& known : checked_forms)
      if (known.length == one.length && VG_(memcmp)(known.bytes, one.bytes, one.length) == 0)
        return;
    checked_forms.push(one);
  }

  /// CPUID answers for the host.
  IRStmt* with_identity(IRStmt* s) const {
    if (!options.host_identity) return s;
    const IRDirty* ours = with_host_identity(s->Ist.Dirty.details, subleaf_.value());
    return ours == nullptr ? s : IRStmt_Dirty(const_cast<IRDirty*>(ours));
  }

  void dirty(IRStmt* s) {
    s = with_identity(s);
    const IRDirty* d = s->Ist.Dirty.details;
    emit(s);
    if (d->mFx == Ifx_None) return;
    const bool always = d->guard->tag == Iex_Const;
    IRExpr* guard = always ? nullptr : d->guard;
    const auto bytes = static_cast<UInt>(d->mSize);
    if (d->mFx != Ifx_Write) access(d->mAddr, bytes, false, guard);
    if (d->mFx != Ifx_Read) access(d->mAddr, bytes, true, guard);
  }

  void access(IRExpr* address, UInt bytes, bool store, IRExpr* guard) {
    if (store ? !work_.writes : !work_.reads) return;
    const bool past_caches = store && work_.nontemporal;
    if (guard == nullptr) {
      // The value may be known without the load that the instruction does: and $0, or $-1.
      if (store && work_.rewrites && !operands_.has_read()) {
        const Operands::Asked read = operands_.ask(work_, false, address, bytes);
        cost(Other::loads, read.accesses);
        cost(Other::load_bytes, read.bytes);
      }
      const Operands::Asked asked = operands_.ask(work_, store, address, bytes);
      if (!work_.repeats()) cost(store ? Other::stores : Other::loads, asked.accesses);
      cost(store ? Other::store_bytes : Other::load_bytes, asked.bytes);
      if (past_caches) cost(Other::nt_store_bytes, asked.bytes);
    } else {
      guarded_.push({address_, guard, store ? Guarded::stored : Guarded::loaded, bytes});
    }
    if (!simulate_) return;
    using caches::Kind;
    reporter_.add({address, guard, bytes,
                   past_caches ? Kind::nontemporal
                   : store     ? Kind::store
                               : Kind::load});
  }

  void cost(CostClass c, UInt amount) {
    open_segment();
    segments.add_cost({address_, amount, c});
  }

  void open_segment() {
    if (open_) return;
    open_ = true;
    segment_ = segments.open(address_, epoch_);
    if (code_rows::wanted()) code_rows::note(segment_, code_);
    need_counters(segment_);
  }

  /// At an instruction: it may lie in other code than the one before.
  void arrive() {
    Node* const code = code_rows::node_at(address_);
    if (has_arrived_ && code == code_) return;
    close_segment();
    code_ = code;
    has_arrived_ = true;
    if (simulate_) code_rows::emit_arrival(out_, code);
  }

  // The current region's counters have to be there before a block counts in them.
  void need_counters(SegmentId id) {
    const UInt block = block_of(id);
    if (block == checked_block_) return;
    checked_block_ = block;
    tl_assert(block < max_counter_blocks);
    IRExpr* counters = out_.load(Ity_I64, Emitter::address(&counter_directory[block]));
    IRExpr* missing = out_.binop(Iop_CmpEQ64, Ity_I1, counters, Emitter::u64(0));
    IRDirty* d =
        unsafeIRDirty_0_N(1, "counters_missing", reinterpret_cast<void*>(&counters_missing),
                          mkIRExprVec_1(Emitter::u64(block)));
    d->guard = missing;
    out_.add(IRStmt_Dirty(d));
  }

  void count(SegmentId id, IRExpr* by) {
    const ULong offset = id % counters_per_block * sizeof(ULong);
    IRExpr* base = out_.load(Ity_I64, Emitter::address(&counter_directory[block_of(id)]));
    // Two equal sums: each folds into its access's addressing mode.
    IRExpr* from = out_.binop(Iop_Add64, Ity_I64, base, Emitter::u64(offset));
    IRExpr* sum = out_.binop(Iop_Add64, Ity_I64, out_.load(Ity_I64, from), by);
    IRExpr* to = out_.binop(Iop_Add64, Ity_I64, deepCopyIRExpr(base), Emitter::u64(offset));
    out_.store(to, sum);
  }

  void close_segment() {
    reporter_.flush();
    if (open_) count(segment_, Emitter::u64(1));
    open_ = false;
    // What happens under a condition has counts of its own.
    for (const Guarded& g : guarded_) {
      const SegmentId id = open_apart(g.address);
      if (g.what == Guarded::string_ends) {
        segments.add_instruction();
        segments.add_cost({g.address, work_.fills ? 0U : 1U, Other::loads});
        segments.add_cost({g.address, 1, Other::stores});
      } else {
        const bool store = g.what == Guarded::stored;
        segments.add_cost({g.address, 1, store ? Other::stores : Other::loads});
        segments.add_cost({g.address, g.bytes, store ? Other::store_bytes : Other::load_bytes});
      }
      count(id, out_.unop(Iop_1Uto64, Ity_I64, deepCopyIRExpr(g.guard)));
    }
    guarded_.clear();
  }

  /// A segment that is not executed as often as what stands around it.
  SegmentId open_apart(Addr address) {
    const SegmentId id = segments.open(address, epoch_);
    if (code_rows::wanted()) code_rows::note(id, code_);
    need_counters(id);
    return id;
  }

  // Where a block begins with one, so that nothing of the guest's registers is held elsewhere.
  void move_string_ahead() {
    const bool first = !begun_;
    begun_ = true;
    if (!first || !work_.repeats() || !work_.flat_addresses) return;
    IRExpr* moved = string_moves::emit_ahead(out_, work_, simulate_ && !forward_);
    if (moved == nullptr || forward_) return;
    const SegmentId id = open_apart(address_);
    segments.add_cost({address_, work_.fills ? 0 : work_.element_bytes, Other::load_bytes});
    segments.add_cost({address_, work_.element_bytes, Other::store_bytes});
    count(id, moved);
  }

  struct Guarded {
    enum What : UChar { loaded, stored, string_ends };
    Addr address;
    IRExpr* guard;
    What what;
    UInt bytes = 0;
  };

  IRSB* in_;
  Int offset_of_stack_pointer_;
  Emitter out_;
  caches::Reporter reporter_;
  bool simulate_;
  bool forward_;  ///< nothing is counted yet
  OwnCode own_code_{};
  DiEpoch epoch_{};
  Addr address_ = 0;
  UInt length_ = 0;
  Subleaf subleaf_;
  Work work_{};
  Operands operands_{};
  bool skipping_ = false;
  bool begun_ = false;  ///< not at the block's first instruction any more
  bool open_ = false;
  Node* code_ = nullptr;  ///< whose row this code's work goes to
  bool has_arrived_ = false;
  SegmentId segment_ = 0;
  UInt checked_block_ = max_counter_blocks;
  UInt ir_flop_ = 0;
  UInt fma_flop_ = 0;
  Precision fma_precision_ = Precision::f64;
  static Vector<Guarded> guarded_;
  static Vector<IRStmt*> held_;  ///< writes of registers
};

constinit Vector<IRStmt*> Translation::held_;
constinit Vector<Translation::Guarded> Translation::guarded_;

}  // namespace

IRSB* translate(VgCallbackClosure*, IRSB* in, const VexGuestLayout* layout, const VexGuestExtents*,
                const VexArchInfo*, IRType, IRType) {
  IRSB* out = Translation(in, layout->offset_SP).run();
  drop_unseen_puts(out, *layout);
  return out;
}

CrossCheck cross_check() {
  return checked;
}

const Vector<CheckedInstruction>& checked_instructions() {
  return checked_forms;
}

}  // namespace roofmark::emulator
