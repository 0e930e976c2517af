// Fused multiply-add by the host's instruction. VEX computes it lane by lane in software, some 58
// ns each; here all lanes of one instruction go to one helper.
#pragma once

#include "homes.hpp"

namespace roofmark::emulator {

/// The statements of one instruction, first..last (exclusive).
struct Group {
  IRSB* block;
  Int first;
  Int last;
};

/// Passes a statement on: instruments and emits it.
struct Sink {
  virtual void statement(IRStmt* s) = 0;
};

/// True: the whole group went out with its multiply-adds batched. False: nothing was emitted, the
/// shape is not the expected one.
bool batch_fma(const Group& group, Emitter& out, Homes& homes, Sink& sink);

}  // namespace roofmark::emulator
