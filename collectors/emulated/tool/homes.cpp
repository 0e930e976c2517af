#include "homes.hpp"

namespace roofmark::emulator {

constinit Scratch scratch = {};

void Homes::start(const IRTypeEnv* types) {
  types_ = types;
  homes_.clear();
  addresses_.clear();
  ++now_;
  everything_ = now_;  // nothing from an earlier block holds
}

bool Homes::valid(const Home& home) const {
  if (home.place.kind == Place::Kind::none) return false;
  if (home.place.kind == Place::Kind::slot)
    return slot_made_[home.place.offset / slot_bytes] <= home.version;
  if (home.version < everything_) return false;
  const UInt last = (home.place.offset + home.size - 1U) / granule;
  if (last >= granules) return false;
  for (UInt g = home.place.offset / granule; g <= last; ++g)
    if (written_[g] > home.version) return false;
  return true;
}

Place Homes::place_of(const IRExpr* atom) const {
  if (atom->tag != Iex_RdTmp || atom->Iex.RdTmp.tmp >= homes_.size()) return {};
  const Home& home = homes_[atom->Iex.RdTmp.tmp];
  return valid(home) ? home.place : Place{};
}

void Homes::set(IRTemp t, Place place) {
  if (homes_.size() <= t) homes_.resize(t + 1UL);
  const auto size = static_cast<UChar>(sizeofIRType(typeOfIRTemp(types_, t)));
  homes_[t] = {place, size, now_};
}

void Homes::guest_written(UInt offset, UInt size) {
  ++now_;
  for (UInt g = offset / granule; g <= (offset + size - 1) / granule; ++g) {
    if (g >= granules) {
      everything_ = now_;
      return;
    }
    written_[g] = now_;
  }
}

UShort Homes::new_slot() {
  const UInt slot = next_slot_;
  next_slot_ = (next_slot_ + 1) % slots;
  slot_made_[slot] = ++now_;
  return static_cast<UShort>(slot * slot_bytes);
}

Homes::Address Homes::resolve(const IRExpr* address) const {
  if (address->tag == Iex_Const)
    return {IRTemp_INVALID, static_cast<Long>(address->Iex.Const.con->Ico.U64)};
  const IRTemp t = address->Iex.RdTmp.tmp;
  if (t < addresses_.size() && addresses_[t].base != 0) {
    Address a = addresses_[t];
    --a.base;  // stored plus one: 0 says "not known"
    return a;
  }
  return {t, 0};
}

void Homes::define(IRTemp t, const IRExpr* e) {
  if (e->tag == Iex_Get) {
    set(t, {Place::Kind::guest, false, static_cast<UShort>(e->Iex.Get.offset)});
    return;
  }
  if (e->tag == Iex_RdTmp) {
    const Place place = place_of(e);
    if (place.kind != Place::Kind::none) set(t, place);
    return;
  }
  if (e->tag == Iex_Unop && (e->Iex.Unop.op == Iop_NegF64 || e->Iex.Unop.op == Iop_NegF32)) {
    Place place = place_of(e->Iex.Unop.arg);
    if (place.kind == Place::Kind::none) return;
    place.negated = !place.negated;
    set(t, place);
    return;
  }
  if (e->tag != Iex_Binop || e->Iex.Binop.arg1->tag != Iex_RdTmp ||
      e->Iex.Binop.arg2->tag != Iex_Const)
    return;
  const bool add = e->Iex.Binop.op == Iop_Add64;
  if (!add && e->Iex.Binop.op != Iop_Sub64) return;
  Address a = resolve(e->Iex.Binop.arg1);
  const auto step = static_cast<Long>(e->Iex.Binop.arg2->Iex.Const.con->Ico.U64);
  a.distance += add ? step : -step;
  ++a.base;
  if (addresses_.size() <= t) addresses_.resize(t + 1UL);
  addresses_[t] = a;
}

void Homes::note(const IRStmt* s) {
  switch (s->tag) {
    case Ist_WrTmp:
      define(s->Ist.WrTmp.tmp, s->Ist.WrTmp.data);
      break;
    case Ist_Put: {
      const IRType type = typeOfIRExpr(types_, s->Ist.Put.data);
      const auto offset = static_cast<UInt>(s->Ist.Put.offset);
      guest_written(offset, static_cast<UInt>(sizeofIRType(type)));
      const IRExpr* value = s->Ist.Put.data;
      const bool lane = type == Ity_F64 || type == Ity_F32;
      if (lane && value->tag == Iex_RdTmp && place_of(value).kind == Place::Kind::none)
        set(value->Iex.RdTmp.tmp, {Place::Kind::guest, false, static_cast<UShort>(offset)});
      break;
    }
    case Ist_PutI:
      everything_ = ++now_;
      break;
    case Ist_Dirty:
      if (s->Ist.Dirty.details->nFxState > 0) everything_ = ++now_;
      break;
    default:
      break;
  }
}

}  // namespace roofmark::emulator
