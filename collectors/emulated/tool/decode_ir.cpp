// VEX's operations as work. Portable, but not exact on x86: VEX splits and drops operations before
// a tool sees them, so there the bytes of the instruction decide and this is the cross-check.
#include "decode.hpp"

namespace roofmark::emulator {
namespace {

UInt lanes(Precision p, Width w) {
  if (w == Width::scalar) return 1;
  const UInt element = p == Precision::f64 ? 64 : p == Precision::f16 ? 16 : 32;
  return bits_of(w) / element;
}

struct Meaning {
  Precision precision;
  Width width;
  CostClass other;  ///< 0: a FLOP
  Operation operation;
};

using enum Precision;
using enum Width;

constexpr Meaning flop(Precision p, Width w, Operation o) {
  return {p, w, 0, o};
}
constexpr Meaning counted(Precision p, Width w, CostClass c) {
  return {p, w, c, Operation::other};
}

bool meaning_of(IROp op, Meaning& m) {
  switch (op) {
#define ROOFMARK_ARITHMETIC(NAME, OPERATION)     \
  case Iop_##NAME##64F0x2:                       \
    m = flop(f64, scalar, Operation::OPERATION); \
    return true;                                 \
  case Iop_##NAME##32F0x4:                       \
    m = flop(f32, scalar, Operation::OPERATION); \
    return true;                                 \
  case Iop_##NAME##64Fx2:                        \
    m = flop(f64, w128, Operation::OPERATION);   \
    return true;                                 \
  case Iop_##NAME##32Fx4:                        \
    m = flop(f32, w128, Operation::OPERATION);   \
    return true;                                 \
  case Iop_##NAME##64Fx4:                        \
    m = flop(f64, w256, Operation::OPERATION);   \
    return true;                                 \
  case Iop_##NAME##32Fx8:                        \
    m = flop(f32, w256, Operation::OPERATION);   \
    return true;
    ROOFMARK_ARITHMETIC(Add, add)
    ROOFMARK_ARITHMETIC(Sub, add)
    ROOFMARK_ARITHMETIC(Mul, mul)
    ROOFMARK_ARITHMETIC(Div, div)
    ROOFMARK_ARITHMETIC(Sqrt, sqrt)
    ROOFMARK_ARITHMETIC(Max, other)
    ROOFMARK_ARITHMETIC(Min, other)
#undef ROOFMARK_ARITHMETIC
    case Iop_RecipEst32F0x4:
    case Iop_RSqrtEst32F0x4:
      m = flop(f32, scalar, Operation::other);
      return true;
    case Iop_RecipEst32Fx4:
    case Iop_RSqrtEst32Fx4:
      m = flop(f32, w128, Operation::other);
      return true;
    case Iop_RecipEst32Fx8:
    case Iop_RSqrtEst32Fx8:
      m = flop(f32, w256, Operation::other);
      return true;
    case Iop_MAddF64:
    case Iop_MSubF64:
      m = flop(f64, scalar, Operation::fma);
      return true;
    case Iop_MAddF32:
    case Iop_MSubF32:
      m = flop(f32, scalar, Operation::fma);
      return true;
#if defined(VGA_amd64) || defined(VGA_x86)
      // On x86 only the x87 unit uses these.
#define ROOFMARK_PLAIN_F64 x87
#else
#define ROOFMARK_PLAIN_F64 f64
#endif
    case Iop_AddF64:
    case Iop_SubF64:
      m = flop(ROOFMARK_PLAIN_F64, scalar, Operation::add);
      return true;
    case Iop_MulF64:
      m = flop(ROOFMARK_PLAIN_F64, scalar, Operation::mul);
      return true;
    case Iop_DivF64:
      m = flop(ROOFMARK_PLAIN_F64, scalar, Operation::div);
      return true;
    case Iop_SqrtF64:
      m = flop(ROOFMARK_PLAIN_F64, scalar, Operation::sqrt);
      return true;
    case Iop_AtanF64:
    case Iop_Yl2xF64:
    case Iop_Yl2xp1F64:
    case Iop_PRemF64:
    case Iop_PRem1F64:
    case Iop_ScaleF64:
    case Iop_SinF64:
    case Iop_CosF64:
    case Iop_TanF64:
    case Iop_2xm1F64:
      m = flop(ROOFMARK_PLAIN_F64, scalar, Operation::other);
      return true;
    case Iop_AddF32:
    case Iop_SubF32:
      m = flop(f32, scalar, Operation::add);
      return true;
    case Iop_MulF32:
      m = flop(f32, scalar, Operation::mul);
      return true;
    case Iop_DivF32:
      m = flop(f32, scalar, Operation::div);
      return true;
    case Iop_SqrtF32:
      m = flop(f32, scalar, Operation::sqrt);
      return true;
    case Iop_CmpF64:
    case Iop_CmpEQ64F0x2:
    case Iop_CmpLT64F0x2:
    case Iop_CmpLE64F0x2:
    case Iop_CmpUN64F0x2:
      m = counted(f64, scalar, compare);
      return true;
    case Iop_CmpF32:
    case Iop_CmpEQ32F0x4:
    case Iop_CmpLT32F0x4:
    case Iop_CmpLE32F0x4:
    case Iop_CmpUN32F0x4:
      m = counted(f32, scalar, compare);
      return true;
    case Iop_CmpEQ64Fx2:
    case Iop_CmpLT64Fx2:
    case Iop_CmpLE64Fx2:
    case Iop_CmpUN64Fx2:
      m = counted(f64, w128, compare);
      return true;
    case Iop_CmpEQ32Fx4:
    case Iop_CmpLT32Fx4:
    case Iop_CmpLE32Fx4:
    case Iop_CmpUN32Fx4:
      m = counted(f32, w128, compare);
      return true;
    case Iop_F64toI32S:
    case Iop_F64toI64S:
    case Iop_I32StoF64:
    case Iop_I64StoF64:
    case Iop_F64toI16S:
    case Iop_RoundF64toInt:
    case Iop_F64toF32:
      m = counted(f64, scalar, convert);
      return true;
    case Iop_F32toI32S:
    case Iop_F32toI64S:
    case Iop_I32StoF32:
    case Iop_I64StoF32:
    case Iop_RoundF32toInt:
    case Iop_F32toF64:
      m = counted(f32, scalar, convert);
      return true;
    case Iop_I32StoF32x4:
    case Iop_F32toI32Sx4:
      m = counted(f32, w128, convert);
      return true;
    case Iop_I32StoF32x8:
    case Iop_F32toI32Sx8:
      m = counted(f32, w256, convert);
      return true;
    case Iop_F16toF32x4:
    case Iop_F32toF16x4:
      m = counted(f32, w128, convert);
      return true;
    case Iop_F16toF32x8:
    case Iop_F32toF16x8:
      m = counted(f32, w256, convert);
      return true;
    default:
      return false;
  }
}

IROp operation_of_expression(const IRExpr* e) {
  switch (e->tag) {
    case Iex_Unop:
      return e->Iex.Unop.op;
    case Iex_Binop:
      return e->Iex.Binop.op;
    case Iex_Triop:
      return e->Iex.Triop.details->op;
    case Iex_Qop:
      return e->Iex.Qop.details->op;
    default:
      return Iop_INVALID;
  }
}

}  // namespace

Work decode_ir(const IRExpr* e) {
  Work work;
  Meaning m{};
  if (!meaning_of(operation_of_expression(e), m)) return work;
  const UInt n = lanes(m.precision, m.width);
  work.width = m.width;
  work.vector = m.precision != x87;
  if (m.other != 0) {
    work.add(m.other, 1);
    return work;
  }
  work.add(flop_class(m.precision, m.width, m.operation),
           m.operation == Operation::fma ? 2 * n : n);
  if (m.operation == Operation::div) work.add(divide, n);
  if (m.operation == Operation::sqrt) work.add(square_root, n);
  work.fma = m.operation == Operation::fma;
  return work;
}

UInt flop_of(const Work& work) {
  UInt sum = 0;
  for (UInt i = 0; i < work.count; ++i)
    if (work.parts[i].cost_class < flop_classes) sum += work.parts[i].amount;
  return sum;
}

}  // namespace roofmark::emulator
