#include "caches.hpp"

#include "options.hpp"

namespace roofmark::emulator::caches {
namespace {

using cache::Core;
using cache::Hierarchy;

constinit Hierarchy hierarchy;
constinit Vector<Core*> core_of_thread;
constinit Core* thread_core = nullptr;  // of the thread that runs
constinit Core* core = nullptr;         // the same, or null while nothing is to be simulated
constinit bool any_simulated = false;

void* zeroed(void*, std::uint64_t bytes) {
  return map_zeroed(bytes);
}

template <Kind kind>
inline void simulate(Core* c, Addr address, UInt bytes) {
  if constexpr (kind == Kind::load)
    c->load(address, bytes);
  else if constexpr (kind == Kind::store)
    c->store(address, bytes);
  else
    c->store_nontemporal(address, bytes);
}

template <Kind kind>
VG_REGPARM(2)
void access_one(Addr address, UWord bytes) {
  if (core != nullptr) simulate<kind>(core, address, static_cast<UInt>(bytes));
}

// Sizes of both in one word: the first in the low half.
template <Kind first, Kind second>
VG_REGPARM(3)
void access_two(Addr a, Addr b, UWord bytes) {
  Core* c = core;
  if (c == nullptr) return;
  simulate<first>(c, a, static_cast<UInt>(bytes & 0xFFFFFFFF));
  simulate<second>(c, b, static_cast<UInt>(bytes >> 32));
}

template <Kind first>
void* two(Kind second) {
  switch (second) {
    case Kind::load:
      return reinterpret_cast<void*>(&access_two<first, Kind::load>);
    case Kind::store:
      return reinterpret_cast<void*>(&access_two<first, Kind::store>);
    default:
      return reinterpret_cast<void*>(&access_two<first, Kind::nontemporal>);
  }
}

void* helper(Kind first, Kind second) {
  switch (first) {
    case Kind::load:
      return two<Kind::load>(second);
    case Kind::store:
      return two<Kind::store>(second);
    default:
      return two<Kind::nontemporal>(second);
  }
}

void* helper(Kind kind) {
  switch (kind) {
    case Kind::load:
      return reinterpret_cast<void*>(&access_one<Kind::load>);
    case Kind::store:
      return reinterpret_cast<void*>(&access_one<Kind::store>);
    default:
      return reinterpret_cast<void*>(&access_one<Kind::nontemporal>);
  }
}

bool same_atom(const IRExpr* a, const IRExpr* b) {
  if (a->tag != b->tag) return false;
  return a->tag == Iex_RdTmp ? a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp
                             : a->Iex.Const.con->Ico.U64 == b->Iex.Const.con->Ico.U64;
}

}  // namespace

const HChar* start() {
  if (!options.caches) return nullptr;
  const cache::Memory memory{&zeroed, nullptr};
  return hierarchy.create(memory, options.geometry, options.sampling);
}

bool wanted() {
  return options.caches && (options.outside || any_simulated);
}

void charge(UInt row, bool simulated) {
  if (!options.caches) return;
  core = simulated ? thread_core : nullptr;
  if (core != nullptr) core->set_owner(row);
  if (!simulated || any_simulated) return;
  const bool was_wanted = wanted();
  any_simulated = true;
  // Code translated so far reports no accesses: translate it again.
  if (!was_wanted) VG_(discard_translations_safely)(0x1000, ~static_cast<SizeT>(0xFFF), "roofmark");
}

void thread_runs(UInt serial) {
  if (!options.caches) return;
  if (core_of_thread.size() <= serial) core_of_thread.resize(serial + 1UL);
  if (core_of_thread[serial] == nullptr) core_of_thread[serial] = hierarchy.attach();
  thread_core = core_of_thread[serial];
}

void thread_ended(UInt serial) {
  if (serial >= core_of_thread.size() || core_of_thread[serial] == nullptr) return;
  hierarchy.detach(core_of_thread[serial]);
  core_of_thread[serial] = nullptr;
}

void forget() {
  if (options.caches) hierarchy.forget();
}

void flush() {
  if (options.caches) hierarchy.flush();
}

cache::TrafficBytes traffic_of(UInt row) {
  const cache::Traffic* t = hierarchy.traffic_of(row);
  return t == nullptr ? cache::TrafficBytes{} : cache::bytes_of(*t, hierarchy.sampling());
}

const cache::Sampling& sampling() {
  return hierarchy.sampling();
}

void string_moved(Addr from, Addr to, ULong bytes) {
  if (core == nullptr) return;
  // In turns, as the elements would have been.
  constexpr UInt turn_bytes = 64;
  while (bytes != 0) {
    const UInt n = bytes < turn_bytes ? static_cast<UInt>(bytes) : turn_bytes;
    if (from != 0) core->load(from, n);
    core->store(to, n);
    if (from != 0) from += n;
    to += n;
    bytes -= n;
  }
}

void Reporter::add(const Access& access) {
  if (access.guard != nullptr) {
    flush();
    emit(access);
    return;
  }
  if (!holds_) {
    pending_ = access;
    holds_ = true;
    return;
  }
  // A load that is stored to at once needs the store alone.
  if (pending_.kind == Kind::load && access.kind == Kind::store && pending_.bytes == access.bytes &&
      same_atom(pending_.address, access.address)) {
    pending_.kind = Kind::store;
    return;
  }
  emit(pending_, access);
  holds_ = false;
}

void Reporter::flush() {
  if (holds_) emit(pending_);
  holds_ = false;
}

void Reporter::emit(const Access& a) {
  IRDirty* d = unsafeIRDirty_0_N(2, "access", helper(a.kind),
                                 mkIRExprVec_2(deepCopyIRExpr(a.address), Emitter::u64(a.bytes)));
  if (a.guard != nullptr) d->guard = deepCopyIRExpr(a.guard);
  out_.add(IRStmt_Dirty(d));
}

void Reporter::emit(const Access& a, const Access& b) {
  out_.call(3, "access_two", helper(a.kind, b.kind),
            mkIRExprVec_3(deepCopyIRExpr(a.address), deepCopyIRExpr(b.address),
                          Emitter::u64(a.bytes | static_cast<ULong>(b.bytes) << 32)));
}

}  // namespace roofmark::emulator::caches
