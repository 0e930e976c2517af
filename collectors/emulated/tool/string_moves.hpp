// Copies and fills by one instruction (rep movs, rep stos), which memcpy and memset use for all
// that is long. The intermediate code does them element by element, hundreds of times slower than
// the processor; here all but the last element are done at once.
#pragma once

#include "decode.hpp"
#include "emit.hpp"

namespace roofmark::emulator::string_moves {

/// Emits it before the instruction that `work` is of; it has to be the block's first. The number of
/// elements that were done; null where the host can't. `simulate`: the caches are to see it.
IRExpr* emit_ahead(Emitter& out, const Work& work, bool simulate);

}  // namespace roofmark::emulator::string_moves
