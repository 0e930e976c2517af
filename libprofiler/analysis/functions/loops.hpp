// The loops of a function, as its machine code has them: whatever lies between a jump back and
// where it goes.
#pragma once

#include <analysis/symbols/object_symbols.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace roofmark::functions {

/// Of x86-64 code that begins at `first` in its file; inner loops before those around them. One for
/// each head. Empty also where the code can't be read to its end.
std::vector<symbols::Extent> loops_in(std::span<const std::uint8_t> code, std::uint64_t first);

}  // namespace roofmark::functions
