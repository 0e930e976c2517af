// Execution counts of segments, per thread and region, in memory bounded by what each region really
// executes: counters come in small blocks, and a block exists only for a region that ran its code.
//
// Translated code finds the current region's counters through one directory at a fixed address. An
// empty entry calls `counters_missing` once per block and visit; leaving a region empties the
// entries that it used.
#pragma once

#include "segments.hpp"
#include "support.hpp"

namespace roofmark::emulator {

inline constexpr UInt counters_per_block = 32;
inline constexpr UInt max_counter_blocks = 1U << 20;  ///< 32 million segments

inline constexpr UInt block_of(SegmentId id) {
  return id / counters_per_block;
}

/// The counters of one thread in one region.
class Counters {
 public:
  /// The counters of a block; made if they are not there yet.
  ULong* block(UInt number);
  void zero();
  /// f(segment id, count) for all counts that are not 0.
  template <class F>
  void for_each(F&& f) {
    blocks_.for_each([&](ULong key, ULong* block) {
      for (UInt i = 0; i < counters_per_block; ++i)
        if (block[i] != 0) f(static_cast<SegmentId>((key - 1) * counters_per_block + i), block[i]);
    });
  }

  /// Moves each count for whose segment `target_of` names other counters.
  template <class F>
  void move_if(F&& target_of) {
    blocks_.for_each([&](ULong key, ULong* block) {
      for (UInt i = 0; i < counters_per_block; ++i) {
        if (block[i] == 0) continue;
        const auto number = static_cast<UInt>(key - 1);
        Counters* to = target_of(static_cast<SegmentId>(number * counters_per_block + i));
        if (to == nullptr) continue;
        to->block(number)[i] += block[i];
        block[i] = 0;
      }
    });
  }

 private:
  Map<ULong*> blocks_;  ///< key: block number + 1
};

/// Directory entry of a counter block; null: ask `counters_missing`.
extern ULong* counter_directory[max_counter_blocks];

/// Called from translated code.
void counters_missing(UWord block);
/// Makes `counters` the ones that translated code counts in.
void activate(Counters* counters);

}  // namespace roofmark::emulator
