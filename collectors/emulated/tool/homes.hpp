// Where the value of a temporary also lies in memory while a block is translated: in the guest's
// register file or in a scratch slot. So a helper can be told a place instead of being handed
// lanes.
#pragma once

#include "emit.hpp"

namespace roofmark::emulator {

inline constexpr UInt slot_bytes = 32;
inline constexpr UInt slots = 64;
/// Scratch memory of translated code; a slot's content matters within one block only.
struct alignas(64) Scratch {
  UChar bytes[slots * slot_bytes];
};
extern Scratch scratch;

struct Place {
  enum class Kind : UChar { none, guest, slot };
  Kind kind = Kind::none;
  bool negated = false;  ///< the value is what lies there with its sign changed
  UShort offset = 0;     ///< in the register file or in `scratch`
};

class Homes {
 public:
  void start(const IRTypeEnv* types);
  /// Every statement that goes out, in order.
  void note(const IRStmt* s);
  /// The place of an atom's value, if it is still there.
  Place place_of(const IRExpr* atom) const;
  /// Says that a temporary's value now lies at a place that was written just now.
  void set(IRTemp t, Place place);
  void guest_written(UInt offset, UInt size);
  /// A slot of its own: what lay there is forgotten.
  UShort new_slot();

  /// Base and constant distance of an address, for seeing that accesses are neighbours.
  struct Address {
    IRTemp base = IRTemp_INVALID;
    Long distance = 0;
    bool operator==(const Address&) const = default;
  };
  Address resolve(const IRExpr* address) const;

 private:
  struct Home {
    Place place;
    UChar size;
    UInt version;
  };
  static constexpr UInt granule = 4;
  static constexpr UInt granules = 512;

  bool valid(const Home& home) const;
  void define(IRTemp t, const IRExpr* e);

  const IRTypeEnv* types_ = nullptr;
  Vector<Home> homes_;
  Vector<Address> addresses_;
  UInt now_ = 0;
  UInt everything_ = 0;          ///< version of the last write to an unknown place
  UInt written_[granules] = {};  ///< version of the last write per granule of the register file
  UInt slot_made_[slots] = {};
  UInt next_slot_ = 0;
};

}  // namespace roofmark::emulator
