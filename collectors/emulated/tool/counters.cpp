#include "counters.hpp"

namespace roofmark::emulator {

constinit ULong* counter_directory[max_counter_blocks] = {};

namespace {
constinit Counters* active = nullptr;
constinit Vector<UInt> filled;  // entries of the directory that are not empty
}  // namespace

ULong* Counters::block(UInt number) {
  if (ULong** found = blocks_.find(number + 1ULL)) return *found;
  auto* block = static_cast<ULong*>(allocate_zeroed(counters_per_block * sizeof(ULong)));
  return blocks_.insert(number + 1ULL, block);
}

void Counters::zero() {
  blocks_.for_each([](ULong, ULong* block) {
    VG_(memset)(block, 0, counters_per_block * sizeof(ULong));
  });
}

void counters_missing(UWord block) {
  const auto number = static_cast<UInt>(block);
  counter_directory[number] = active->block(number);
  filled.push(number);
}

void activate(Counters* counters) {
  if (counters == active) return;
  for (const UInt number : filled) counter_directory[number] = nullptr;
  filled.clear();
  active = counters;
}

}  // namespace roofmark::emulator
