#include "string_moves.hpp"

#if defined(VGA_amd64)
extern "C" {
#include <libvex_guest_amd64.h>
}
#include "caches.hpp"
#include "faults.hpp"

namespace roofmark::emulator::string_moves {
namespace {

// Fewer are not worth a call. After that many bytes signals and other threads get their turn.
constexpr ULong fewest = 16;
constexpr ULong most_bytes = 1 << 16;

template <class Element>
void copy(Addr to, Addr from, ULong n);
template <class Element>
void fill(Addr to, ULong value, ULong n);

// The processor's own instruction: also what overlaps comes out as the program would have it.
#define STRING_MOVES(Element, suffix)                                                \
  template <>                                                                        \
  void copy<Element>(Addr to, Addr from, ULong n) {                                  \
    __asm__ volatile("rep movs" suffix : "+D"(to), "+S"(from), "+c"(n)::"memory");   \
  }                                                                                  \
  template <>                                                                        \
  void fill<Element>(Addr to, ULong value, ULong n) {                                \
    __asm__ volatile("rep stos" suffix : "+D"(to), "+c"(n) : "a"(value) : "memory"); \
  }
STRING_MOVES(UChar, "b")
STRING_MOVES(UShort, "w")
STRING_MOVES(UInt, "l")
STRING_MOVES(ULong, "q")
#undef STRING_MOVES

/// What faults has to fault where the program can see it. Behind the end of a file that is mapped
/// memory may be missing, which a program that handles that has to see at the right place.
bool may(Addr first, ULong bytes, UInt access) {
  if (!VG_(am_is_valid_for_client)(first, bytes, access)) return false;
  if (!faults::handled()) return true;
  const NSegment* segment = VG_(am_find_nsegment)(first);
  return segment != nullptr && segment->kind == SkAnonC && first + bytes - 1 <= segment->end;
}

template <class Element, bool fills>
ULong ahead(VexGuestAMD64State* guest, ULong simulate) {
  if (guest->guest_RCX < fewest || guest->guest_DFLAG != 1) return 0;
  // The last element stays for the instruction itself, and with it all that follows it.
  ULong n = guest->guest_RCX - 1;
  if (n > most_bytes / sizeof(Element)) n = most_bytes / sizeof(Element);
  const ULong bytes = n * sizeof(Element);
  const Addr to = guest->guest_RDI;
  const Addr from = guest->guest_RSI;
  if (!may(to, bytes, VKI_PROT_WRITE) || (!fills && !may(from, bytes, VKI_PROT_READ))) return 0;
  if constexpr (fills)
    fill<Element>(to, guest->guest_RAX, n);
  else
    copy<Element>(to, from, n);
  if (simulate != 0) caches::string_moved(fills ? 0 : from, to, bytes);
  guest->guest_RDI += bytes;
  if (!fills) guest->guest_RSI += bytes;
  guest->guest_RCX -= n;
  return n;
}

template <bool fills>
void* helper(UInt element_bytes) {
  switch (element_bytes) {
    case 1:
      return reinterpret_cast<void*>(&ahead<UChar, fills>);
    case 2:
      return reinterpret_cast<void*>(&ahead<UShort, fills>);
    case 4:
      return reinterpret_cast<void*>(&ahead<UInt, fills>);
    default:
      return reinterpret_cast<void*>(&ahead<ULong, fills>);
  }
}

void add_effect(IRDirty* d, IREffect effect, UWord offset) {
  auto& state = d->fxState[d->nFxState++];
  state = {};
  state.fx = effect;
  state.offset = static_cast<UShort>(offset);
  state.size = sizeof(ULong);
}

}  // namespace

IRExpr* emit_ahead(Emitter& out, const Work& work, bool simulate) {
  const IRTemp moved = newIRTemp(out.block()->tyenv, Ity_I64);
  IRDirty* d = unsafeIRDirty_1_N(
      moved, 0, "string_ahead",
      work.fills ? helper<true>(work.element_bytes) : helper<false>(work.element_bytes),
      mkIRExprVec_2(IRExpr_GSPTR(), Emitter::u64(simulate ? 1 : 0)));
  add_effect(d, Ifx_Modify, offsetof(VexGuestAMD64State, guest_RDI));
  add_effect(d, Ifx_Modify, offsetof(VexGuestAMD64State, guest_RCX));
  add_effect(d, Ifx_Read, offsetof(VexGuestAMD64State, guest_DFLAG));
  if (work.fills)
    add_effect(d, Ifx_Read, offsetof(VexGuestAMD64State, guest_RAX));
  else
    add_effect(d, Ifx_Modify, offsetof(VexGuestAMD64State, guest_RSI));
  out.add(IRStmt_Dirty(d));
  return IRExpr_RdTmp(moved);
}

}  // namespace roofmark::emulator::string_moves
#else
namespace roofmark::emulator::string_moves {

IRExpr* emit_ahead(Emitter&, const Work&, bool) {
  return nullptr;
}

}  // namespace roofmark::emulator::string_moves
#endif
