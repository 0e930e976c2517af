// What is counted: one small number per class of work. A FLOP class counts FLOPs, the others count
// what their name says.
#pragma once

#include "valgrind.hpp"

namespace roofmark::emulator {

enum class Precision : UChar { f32, f64, x87, f16 };
enum class Width : UChar { scalar, w128, w256, w512 };
enum class Operation : UChar { fma, add, mul, div, sqrt, other };

inline constexpr UInt precisions = 4;
inline constexpr UInt widths = 4;
inline constexpr UInt operations = 6;

using CostClass = UShort;
inline constexpr CostClass flop_classes = precisions * widths * operations;

enum Other : CostClass {
  instructions = flop_classes,
  loads,
  stores,
  load_bytes,
  store_bytes,
  nt_store_bytes,
  compare,
  convert,
  divide,
  square_root,
  integer,
  integer_simd,
  branch,
  cost_classes
};

constexpr CostClass flop_class(Precision p, Width w, Operation o) {
  return static_cast<CostClass>(
      (static_cast<UInt>(p) * widths + static_cast<UInt>(w)) * operations + static_cast<UInt>(o));
}
constexpr Precision precision_of(CostClass c) {
  return static_cast<Precision>(c / operations / widths);
}
constexpr Width width_of(CostClass c) {
  return static_cast<Width>(c / operations % widths);
}
constexpr Operation operation_of(CostClass c) {
  return static_cast<Operation>(c % operations);
}

/// As they are spelt in roofmark-counts/1.
const HChar* name_of(Precision);
const HChar* name_of(Operation);
UInt bits_of(Width);
/// Name of a class that is no FLOP class, e.g. "loads".
const HChar* name_of_other(CostClass);

/// `amount` units of one class, done by the instruction at `address`.
struct Cost {
  Addr address;
  UInt amount;
  CostClass cost_class;
};

}  // namespace roofmark::emulator
