// A decoded instruction in the zoo's words.
#pragma once
#include <collectors/emulated/x86/decode.hpp>
#include <string>

namespace x86_tests {

inline std::string words(const roofmark::x86::Instruction& i) {
  using namespace roofmark::x86;
  static constexpr const char* kinds[] = {"other",        "flop",    "compare", "convert",
                                          "integer_simd", "integer", "branch",  "matrix"};
  static constexpr const char* precisions[] = {"f32", "f64", "x87", "f16", "bf16"};
  static constexpr const char* operations[] = {
      "add", "mul", "fma", "div", "sqrt", "min_max", "estimate", "dot", "transcendental"};
  std::string text = kinds[static_cast<std::size_t>(i.kind)];
  if (i.kind == Kind::flop) {
    text += std::string(" ") + precisions[static_cast<std::size_t>(i.precision)] + " " +
            std::to_string(i.width_bits) + " " + operations[static_cast<std::size_t>(i.operation)] +
            " " + std::to_string(i.flop);
  }
  if (i.nontemporal_store) text += " nontemporal";
  return text;
}

}  // namespace x86_tests
