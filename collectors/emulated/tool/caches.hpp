// The tool's side of the simulated cache hierarchy.
#pragma once

#include "collectors/emulated/cache/hierarchy.hpp"
#include "emit.hpp"

namespace roofmark::emulator::caches {

/// Null: done; otherwise what is wrong with the geometry.
const HChar* start();
/// Should translated code report its accesses now?
bool wanted();
/// From now on traffic belongs to this row, if what it does is to be simulated.
void charge(UInt row, bool simulated);
void thread_runs(UInt serial);
void thread_ended(UInt serial);
/// A forked child: what its parent did is not its own.
void forget();
/// Writes dirty lines back to their owners.
void flush();
/// What crossed the interfaces on behalf of a row.
cache::TrafficBytes traffic_of(UInt row);
const cache::Sampling& sampling();

/// A string that was moved, or filled where `from` is 0, beyond the translated code's sight.
void string_moved(Addr from, Addr to, ULong bytes);

enum class Kind : UChar { load, store, nontemporal };
/// One access as translated code sees it. `guard`: null, or the condition under which it happens.
struct Access {
  IRExpr* address;
  IRExpr* guard;
  UInt bytes;
  Kind kind;
};

/// Collects accesses of straight-line code and hands them to the hierarchy two by two, in order.
class Reporter {
 public:
  explicit Reporter(Emitter& out) : out_(out) {}
  void add(const Access& access);
  void flush();

 private:
  void emit(const Access& access);
  void emit(const Access& first, const Access& second);
  Emitter& out_;
  Access pending_{};
  bool holds_ = false;
};

}  // namespace roofmark::emulator::caches
