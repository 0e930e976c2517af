#include "classes.hpp"

namespace roofmark::emulator {
namespace {

constexpr const HChar* precision_names[precisions] = {"f32", "f64", "x87", "f16"};
constexpr const HChar* operation_names[operations] = {"fma", "add", "mul", "div", "sqrt", "other"};
constexpr UInt width_bits[widths] = {0, 128, 256, 512};
constexpr const HChar* other_names[cost_classes - flop_classes] = {
    "instructions", "loads",  "stores", "load_bytes", "store_bytes",  "nt_store_bytes", "compare",
    "convert",      "divide", "sqrt",   "integer",    "integer_simd", "branch"};

}  // namespace

const HChar* name_of(Precision p) {
  return precision_names[static_cast<UInt>(p)];
}
const HChar* name_of(Operation o) {
  return operation_names[static_cast<UInt>(o)];
}
UInt bits_of(Width w) {
  return width_bits[static_cast<UInt>(w)];
}
const HChar* name_of_other(CostClass c) {
  return other_names[c - flop_classes];
}

}  // namespace roofmark::emulator
