#include "segments.hpp"

namespace roofmark::emulator {

constinit Segments segments;

bool Segments::begin_block(ULong key) {
  key_ = key;
  const BlockSegments* old = blocks_.find(key);
  known_ = old != nullptr;
  reused_ = 0;
  block_ = known_ ? *old : BlockSegments{static_cast<SegmentId>(segments_.size()), 0};
  return known_;
}

SegmentId Segments::open(Addr address, DiEpoch epoch) {
  if (known_) {
    // Equal code gives equal segments; the table would be wrong without this.
    tl_assert(reused_ < block_.count);
    return block_.first + reused_++;
  }
  segments_.push({address, static_cast<UInt>(costs_.size()), 0, 0, epoch});
  ++block_.count;
  return block_.first + block_.count - 1;
}

void Segments::add_cost(const Cost& cost) {
  if (known_ || cost.amount == 0) return;
  Segment& segment = segments_.back();
  // Equal costs of one instruction are one entry: the last few are enough to find them.
  for (UInt i = 0; i < segment.costs; ++i) {
    Cost& earlier = costs_[segment.first_cost + segment.costs - 1 - i];
    if (earlier.address != cost.address) break;
    if (earlier.cost_class != cost.cost_class) continue;
    earlier.amount += cost.amount;
    return;
  }
  costs_.push(cost);
  ++segment.costs;
}

void Segments::add_instruction() {
  if (!known_) ++segments_.back().instructions;
}

void Segments::end_block() {
  if (!known_) blocks_.insert(key_, block_);
}

}  // namespace roofmark::emulator
