// The host's multiply-add on lanes that lie in the guest's register file or in scratch slots.
#pragma once

#include "homes.hpp"

namespace roofmark::emulator {

/// Four places (three factors, result) as one word of 16-bit fields.
ULong encode(const Place (&places)[4]);

/// The helper for that many lanes of that size (4 or 8 bytes); null: there is none. Called with the
/// guest state and the encoded places.
void* fma_helper(UInt lanes, UInt lane_bytes);

}  // namespace roofmark::emulator
