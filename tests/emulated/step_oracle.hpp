// Runs a program natively up to a trap of its own, from there on instruction by instruction, and
// counts what it computes between its marker instructions.
#pragma once

#include <collectors/emulated/x86/decode.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace stepped {

struct Steps {
  std::uint64_t instructions = 0;
  /// precision ("f64"), width in bits, operation -> FLOPs
  std::map<std::tuple<std::string, unsigned, std::string>, std::uint64_t> flop;
  std::map<std::string, std::uint64_t> kinds;  ///< "compare", "convert", "integer_simd"
};

/// Nothing: this process may not trace its children.
std::optional<Steps> step(const std::vector<std::string>& command);

}  // namespace stepped
