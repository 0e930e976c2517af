// Translated code is cut into segments: runs of instructions that are executed together or not at
// all. What a segment costs is known when it is translated; at run time only a number of executions
// is counted, so any number of classes costs nothing.
#pragma once

#include "classes.hpp"
#include "support.hpp"

namespace roofmark::emulator {

using SegmentId = UInt;

struct Segment {
  Addr address;       ///< of its first instruction
  UInt first_cost;    ///< index into the table of costs
  UInt costs;         ///< number of costs
  UInt instructions;  ///< not among the costs: every segment has them
  DiEpoch epoch;      ///< for names and lines
};

/// The segments of one translated block, consecutive.
struct BlockSegments {
  SegmentId first;
  UInt count;
};

/// All segments ever translated. Code that is translated again with equal bytes gets its segments
/// back, so that the table is bounded by the code of the program.
class Segments {
 public:
  /// Starts a block; `key` (not 0) identifies its code. True: the segments are known already and
  /// `add` hands them out again.
  bool begin_block(ULong key);
  /// Starts the next segment of the block.
  SegmentId open(Addr address, DiEpoch epoch);
  void add_cost(const Cost& cost);
  void add_instruction();
  void end_block();

  UWord size() const { return segments_.size(); }
  const Segment& operator[](SegmentId id) const { return segments_[id]; }
  const Cost* costs_of(const Segment& s) const { return &costs_[s.first_cost]; }

 private:
  Vector<Segment> segments_;
  Vector<Cost> costs_;
  Map<BlockSegments> blocks_;
  ULong key_ = 0;
  BlockSegments block_{};  ///< of the block being translated
  bool known_ = false;
  UInt reused_ = 0;  ///< segments of a known block handed out so far
};

extern Segments segments;

}  // namespace roofmark::emulator
