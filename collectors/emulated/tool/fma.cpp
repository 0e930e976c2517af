#include "fma.hpp"

#include "fma_helpers.hpp"

namespace roofmark::emulator {
namespace {

constexpr UInt most_lanes = 8;
constexpr Int longest_group = 256;

bool is_multiply_add(const IRStmt* s) {
  if (s->tag != Ist_WrTmp || s->Ist.WrTmp.data->tag != Iex_Qop) return false;
  const IROp op = s->Ist.WrTmp.data->Iex.Qop.details->op;
  return op == Iop_MAddF64 || op == Iop_MAddF32;
}

/// Temporaries that depend on a result of the group.
class Dependents {
 public:
  explicit Dependents(UInt temps) { marks_.resize(temps); }
  ~Dependents() { marks_.free(); }
  void mark(IRTemp t) { marks_[t] = 1; }
  bool reads(const IRExpr* e) const {
    switch (e->tag) {
      case Iex_RdTmp:
        return marks_[e->Iex.RdTmp.tmp] != 0;
      case Iex_Unop:
        return reads(e->Iex.Unop.arg);
      case Iex_Binop:
        return reads(e->Iex.Binop.arg1) || reads(e->Iex.Binop.arg2);
      case Iex_Triop: {
        const IRTriop* t = e->Iex.Triop.details;
        return reads(t->arg1) || reads(t->arg2) || reads(t->arg3);
      }
      case Iex_Qop: {
        const IRQop* q = e->Iex.Qop.details;
        return reads(q->arg1) || reads(q->arg2) || reads(q->arg3) || reads(q->arg4);
      }
      case Iex_ITE:
        return reads(e->Iex.ITE.cond) || reads(e->Iex.ITE.iftrue) || reads(e->Iex.ITE.iffalse);
      case Iex_Load:
        return reads(e->Iex.Load.addr);
      case Iex_Get:
      case Iex_Const:
        return false;
      default:
        return true;
    }
  }

 private:
  Vector<UChar> marks_;
};

struct Written {
  Int offset;
  Int size;
  bool overlaps(Int other, Int other_size) const {
    return other < offset + size && offset < other + other_size;
  }
};

class Batch {
 public:
  Batch(const Group& group, Emitter& out, Homes& homes, Sink& sink)
      : group_(group),
        out_(out),
        homes_(homes),
        sink_(sink),
        dependents_(static_cast<UInt>(group.block->tyenv->types_used)) {}

  bool run() {
    if (group_.last - group_.first > longest_group || !sort_statements()) return false;
    lane_bytes_ = op_ == Iop_MAddF64 ? 8 : 4;
    helper_ = fma_helper(lanes_, lane_bytes_);
    if (helper_ == nullptr) return false;
    find_results();
    emit_before();
    emit_call();
    emit_after();
    return true;
  }

 private:
  IRStmt* at(Int i) const { return group_.block->stmts[i]; }
  bool after(Int i) const { return after_[i - group_.first]; }
  const IRExpr* factor(UInt lane, UInt which) const {
    const IRQop* q = at(lane_[lane])->Ist.WrTmp.data->Iex.Qop.details;
    return which == 0 ? q->arg2 : which == 1 ? q->arg3 : q->arg4;
  }
  IRTemp result(UInt lane) const { return at(lane_[lane])->Ist.WrTmp.tmp; }
  IRType lane_type() const { return lane_bytes_ == 8 ? Ity_F64 : Ity_F32; }

  // Which statements go before the call and which after; false where the order can't be kept.
  bool sort_statements() {
    for (Int i = group_.first; i < group_.last; ++i) {
      const IRStmt* s = at(i);
      bool& later = after_[i - group_.first];
      later = false;
      if (is_multiply_add(s)) {
        const IRQop* q = s->Ist.WrTmp.data->Iex.Qop.details;
        const bool fits = lanes_ < most_lanes && (lanes_ == 0 || q->op == op_) &&
                          q->arg1->tag == Iex_Const && !dependents_.reads(s->Ist.WrTmp.data);
        if (!fits) return false;
        op_ = q->op;
        dependents_.mark(s->Ist.WrTmp.tmp);
        lane_[lanes_++] = i;
        later = true;
        continue;
      }
      switch (s->tag) {
        case Ist_NoOp:
        case Ist_IMark:
        case Ist_AbiHint:
          break;
        case Ist_Put: {
          const Written w{s->Ist.Put.offset, size_of(s->Ist.Put.data)};
          later = dependents_.reads(s->Ist.Put.data);
          if (later) {
            if (writes_ == most_lanes) return false;
            written_[writes_++] = w;
          } else if (overlaps_a_later_write(w)) {
            return false;
          }
          break;
        }
        case Ist_WrTmp: {
          const IRExpr* e = s->Ist.WrTmp.data;
          later = dependents_.reads(e);
          if (later) {
            if (e->tag == Iex_Load || e->tag == Iex_CCall || e->tag == Iex_GetI) return false;
            dependents_.mark(s->Ist.WrTmp.tmp);
          } else if (e->tag == Iex_Get &&
                     overlaps_a_later_write({e->Iex.Get.offset, sizeofIRType(e->Iex.Get.ty)})) {
            return false;
          } else if (e->tag == Iex_GetI) {
            return false;
          }
          break;
        }
        default:
          return false;
      }
    }
    return lanes_ > 0;
  }
  bool overlaps_a_later_write(const Written& w) const {
    for (UInt i = 0; i < writes_; ++i)
      if (written_[i].overlaps(w.offset, w.size)) return true;
    return false;
  }
  Int size_of(const IRExpr* e) const { return sizeofIRType(typeOfIRExpr(group_.block->tyenv, e)); }

  Int definition(const IRExpr* atom) const {
    if (atom->tag != Iex_RdTmp) return -1;
    for (Int i = group_.first; i < group_.last; ++i)
      if (at(i)->tag == Ist_WrTmp && at(i)->Ist.WrTmp.tmp == atom->Iex.RdTmp.tmp) return i;
    return -1;
  }
  Int lane_of_result(const IRExpr* atom) const {
    for (UInt l = 0; l < lanes_; ++l)
      if (atom->tag == Iex_RdTmp && result(l) == atom->Iex.RdTmp.tmp) return static_cast<Int>(l);
    return -1;
  }

  // Do all lanes go to neighbouring places of the register file? Then the helper writes them there.
  void find_results() {
    UInt found = 0;
    Int first = 0;
    for (Int i = group_.first; i < group_.last; ++i) {
      if (!after(i) || at(i)->tag != Ist_Put) continue;
      const Int lane = lane_of_result(at(i)->Ist.Put.data);
      const Int base = at(i)->Ist.Put.offset - lane * static_cast<Int>(lane_bytes_);
      if (lane < 0 || (found != 0 && base != first) || (found >> lane & 1) != 0) return;
      first = base;
      found |= 1U << lane;
    }
    if (found != (1U << lanes_) - 1) return;
    to_guest_ = true;
    guest_offset_ = static_cast<UShort>(first);
  }

  // A factor whose lanes are neighbours in memory is read with one wide load into a slot.
  Int wide_load_of(UInt which) const {
    if (lanes_ == 1) return -1;
    Homes::Address start;
    Int first = -1;
    for (UInt l = 0; l < lanes_; ++l) {
      const Int d = definition(factor(l, which));
      if (d < 0 || at(d)->Ist.WrTmp.data->tag != Iex_Load) return -1;
      const Homes::Address a = homes_.resolve(at(d)->Ist.WrTmp.data->Iex.Load.addr);
      if (l == 0) {
        start = a;
        first = d;
      } else if (a.base != start.base ||
                 a.distance != start.distance + static_cast<Long>(l * lane_bytes_)) {
        return -1;
      }
    }
    return first;
  }

  void emit_before() {
    // Addresses have to be known before the loads are looked at.
    for (Int i = group_.first; i < group_.last; ++i)
      if (!after(i) && at(i)->tag == Ist_WrTmp && at(i)->Ist.WrTmp.data->tag != Iex_Load &&
          at(i)->Ist.WrTmp.data->tag != Iex_Get)
        homes_.note(at(i));
    Int wide[3];
    for (UInt which = 0; which < 3; ++which) wide[which] = wide_load_of(which);
    for (Int i = group_.first; i < group_.last; ++i) {
      if (after(i)) continue;
      const Int which = loaded_lane(i, wide);
      if (which < 0)
        sink_.statement(at(i));
      else if (i == wide[which])
        load_wide(static_cast<UInt>(which), i);
    }
  }
  Int loaded_lane(Int i, const Int (&wide)[3]) const {
    for (UInt which = 0; which < 3; ++which)
      for (UInt l = 0; wide[which] >= 0 && l < lanes_; ++l)
        if (definition(factor(l, which)) == i) return static_cast<Int>(which);
    return -1;
  }
  void load_wide(UInt which, Int statement) {
    const UInt bytes = lanes_ * lane_bytes_;
    const IRType type = bytes == 32 ? Ity_V256 : Ity_V128;
    const IRTemp value = newIRTemp(out_.block()->tyenv, type);
    const IRExpr* load = at(statement)->Ist.WrTmp.data;
    sink_.statement(
        IRStmt_WrTmp(value, IRExpr_Load(load->Iex.Load.end, type, load->Iex.Load.addr)));
    const UShort slot = homes_.new_slot();
    out_.store(Emitter::address(scratch.bytes + slot), IRExpr_RdTmp(value));
    for (UInt l = 0; l < lanes_; ++l) {
      const IRTemp lane = factor(l, which)->Iex.RdTmp.tmp;
      define_from({Place::Kind::slot, false, slot}, l, lane);
    }
  }

  // A temporary gets the value that lies at a place; a later pass drops it where nobody asks.
  void define_from(const Place& place, UInt lane, IRTemp t) {
    const auto offset = static_cast<UShort>(place.offset + lane * lane_bytes_);
    IRExpr* value = place.kind == Place::Kind::guest
                        ? IRExpr_Get(offset, lane_type())
                        : IRExpr_Load(Emitter::host_endness(), lane_type(),
                                      Emitter::address(scratch.bytes + offset));
    out_.add(IRStmt_WrTmp(t, value));
    homes_.set(t, {place.kind, false, offset});
  }

  // Where a factor's lanes lie next to each other; put into a slot where they do not.
  Place gather(UInt which) {
    const Place first = homes_.place_of(factor(0, which));
    bool together = first.kind != Place::Kind::none;
    for (UInt l = 1; l < lanes_ && together; ++l) {
      const Place p = homes_.place_of(factor(l, which));
      together = p.kind == first.kind && p.negated == first.negated &&
                 p.offset == first.offset + l * lane_bytes_;
    }
    if (together) return first;
    const Place slot{Place::Kind::slot, false, homes_.new_slot()};
    for (UInt l = 0; l < lanes_; ++l)
      out_.store(Emitter::address(scratch.bytes + slot.offset + l * lane_bytes_),
                 deepCopyIRExpr(factor(l, which)));
    return slot;
  }

  void emit_call() {
    Place places[4];
    for (UInt which = 0; which < 3; ++which) places[which] = gather(which);
    if (to_guest_)
      places[3] = {Place::Kind::guest, false, guest_offset_};
    else
      places[3] = {Place::Kind::slot, false, homes_.new_slot()};
    IRDirty* d = unsafeIRDirty_0_N(0, "fma", helper_,
                                   mkIRExprVec_2(IRExpr_GSPTR(), Emitter::u64(encode(places))));
    d->mFx = Ifx_Modify;
    d->mAddr = Emitter::address(scratch.bytes);
    d->mSize = sizeof scratch;
    bool uses_guest = false;
    for (UInt i = 0; i < 4; ++i) {
      if (places[i].kind != Place::Kind::guest) continue;
      auto& effect = d->fxState[d->nFxState++];
      VG_(memset)(&effect, 0, sizeof effect);
      effect.fx = i < 3 ? Ifx_Read : Ifx_Write;
      effect.offset = places[i].offset;
      effect.size = static_cast<UShort>(lanes_ * lane_bytes_);
      uses_guest = true;
    }
    // VEX wants a use of the guest state where its pointer is passed.
    if (!uses_guest) d->args = mkIRExprVec_2(Emitter::u64(0), Emitter::u64(encode(places)));
    out_.add(IRStmt_Dirty(d));
    if (to_guest_) homes_.guest_written(guest_offset_, lanes_ * lane_bytes_);
    for (UInt l = 0; l < lanes_; ++l) define_from(places[3], l, result(l));
  }

  void emit_after() {
    for (Int i = group_.first; i < group_.last; ++i) {
      if (!after(i) || is_multiply_add(at(i))) continue;
      const bool stored =
          to_guest_ && at(i)->tag == Ist_Put && lane_of_result(at(i)->Ist.Put.data) >= 0;
      if (!stored) sink_.statement(at(i));
    }
  }

  const Group& group_;
  Emitter& out_;
  Homes& homes_;
  Sink& sink_;
  Dependents dependents_;
  bool after_[longest_group];
  IROp op_ = Iop_INVALID;
  Int lane_[most_lanes];
  UInt lanes_ = 0;
  UInt lane_bytes_ = 0;
  Written written_[most_lanes];
  UInt writes_ = 0;
  void* helper_ = nullptr;
  bool to_guest_ = false;
  UShort guest_offset_ = 0;
};

}  // namespace

bool batch_fma(const Group& group, Emitter& out, Homes& homes, Sink& sink) {
  return Batch(group, out, homes, sink).run();
}

}  // namespace roofmark::emulator
