// How long an x86-64 instruction is and where it jumps to: enough to find loops in machine code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace roofmark::functions {

struct X86Step {
  unsigned bytes = 0;
  /// Of a direct jump: from the next instruction on. Calls are none.
  std::optional<std::int32_t> jump;
};

/// Nothing where the bytes are no instruction, or end within one.
std::optional<X86Step> x86_step(std::span<const std::uint8_t> code);

}  // namespace roofmark::functions
