// The opcodes that matter, as data: Intel SDM volume 2 (2A-2D) and AMD APM volumes 4-6 (FMA4).
#pragma once
#include <cstdint>

#include "collectors/emulated/x86/decode.hpp"

namespace roofmark::x86::opcodes {

// Which mandatory prefixes a row is for.
inline constexpr std::uint8_t np = 1, p66 = 2, pf3 = 4, pf2 = 8, any = 15;
// Which encodings.
inline constexpr std::uint8_t sse = 1, vex = 2, evex = 4, sse_vex = sse | vex, all = 7;

// How an instruction's element type and shape follow from its encoding.
enum class Type : std::uint8_t {
  none,
  by_prefix,    // none: packed f32, 66: packed f64, F3: scalar f32, F2: scalar f64
  packed_by_w,  // W0: f32, W1: f64
  scalar_by_w,
  packed_f32,
  scalar_f32,
  packed_f64,
  scalar_f64,
  packed_bf16,     // pairs of them, in lanes of 32 bits
  half_by_prefix,  // none: packed f16, F3: scalar f16
  packed_f16,
  scalar_f16,
};

struct Row {
  std::uint8_t map;  // 1: 0F, 2: 0F 38, 3: 0F 3A, 5 and 6: EVEX half precision
  std::uint8_t first, last;
  std::uint8_t prefixes;
  std::uint8_t encodings;
  Kind kind;
  Type type = Type::none;
  Operation operation = Operation::add;
};

using enum Kind;
using enum Operation;

// The first row that matches counts.
inline constexpr Row rows[] = {
    // -- 0F
    {1, 0x51, 0x51, any, all, flop, Type::by_prefix, sqrt},
    {1, 0x52, 0x53, np, sse_vex, flop, Type::packed_f32, estimate},
    {1, 0x52, 0x53, pf3, sse_vex, flop, Type::scalar_f32, estimate},
    {1, 0x58, 0x58, any, all, flop, Type::by_prefix, add},
    {1, 0x59, 0x59, any, all, flop, Type::by_prefix, mul},
    {1, 0x5C, 0x5C, any, all, flop, Type::by_prefix, add},
    {1, 0x5D, 0x5D, any, all, flop, Type::by_prefix, min_max},
    {1, 0x5E, 0x5E, any, all, flop, Type::by_prefix, div},
    {1, 0x5F, 0x5F, any, all, flop, Type::by_prefix, min_max},
    {1, 0x7C, 0x7D, p66, sse_vex, flop, Type::packed_f64, add},  // hadd, hsub
    {1, 0x7C, 0x7D, pf2, sse_vex, flop, Type::packed_f32, add},
    {1, 0xD0, 0xD0, p66, sse_vex, flop, Type::packed_f64, add},  // addsub
    {1, 0xD0, 0xD0, pf2, sse_vex, flop, Type::packed_f32, add},
    {1, 0x2A, 0x2A, any, all, convert},
    {1, 0x2C, 0x2D, any, all, convert},
    {1, 0x5A, 0x5B, any, all, convert},
    {1, 0xE6, 0xE6, p66 | pf3 | pf2, all, convert},
    {1, 0x78, 0x7B, any, evex, convert},  // from and to unsigned
    {1, 0x2E, 0x2F, np | p66, all, compare},
    {1, 0xC2, 0xC2, any, all, compare},
    {1, 0x60, 0x6D, np | p66, all, integer_simd},
    {1, 0x70, 0x76, any, all, integer_simd},
    {1, 0xD1, 0xD5, np | p66, all, integer_simd},
    {1, 0xD7, 0xD7, np | p66, sse_vex, integer_simd},  // pmovmskb
    {1, 0xD8, 0xE5, np | p66, all, integer_simd},
    {1, 0xE8, 0xEF, np | p66, all, integer_simd},
    {1, 0xF1, 0xF6, np | p66, all, integer_simd},
    {1, 0xF8, 0xFE, np | p66, all, integer_simd},
    {1, 0xC4, 0xC5, np | p66, all, integer_simd},   // pinsrw, pextrw
    {1, 0x78, 0x79, p66 | pf2, sse, integer_simd},  // extrq, insertq (SSE4a)
    {1, 0x80, 0x8F, any, sse, branch},
    {1, 0xA3, 0xA5, any, sse, integer},  // bt, shld
    {1, 0xAB, 0xAD, any, sse, integer},  // bts, shrd
    {1, 0xAF, 0xB1, any, sse, integer},  // imul, cmpxchg
    {1, 0xB3, 0xB3, any, sse, integer},
    {1, 0xB8, 0xB8, pf3, sse, integer},  // popcnt
    {1, 0xBA, 0xBD, any, sse, integer},
    {1, 0xC0, 0xC1, any, sse, integer},  // xadd
    {1, 0xC8, 0xCF, any, sse, integer},  // bswap
    // -- 0F 38
    {2, 0x13, 0x13, p66, vex | evex, convert},        // vcvtph2ps
    {2, 0x72, 0x72, pf3 | pf2, vex | evex, convert},  // vcvtneps2bf16, vcvtne2ps2bf16
    {2, 0xB0, 0xB1, any, vex, convert},               // AVX-NE-CONVERT
    {2, 0x4C, 0x4C, p66, evex, flop, Type::packed_by_w, estimate},
    {2, 0x4D, 0x4D, p66, evex, flop, Type::scalar_by_w, estimate},
    {2, 0x4E, 0x4E, p66, evex, flop, Type::packed_by_w, estimate},
    {2, 0x4F, 0x4F, p66, evex, flop, Type::scalar_by_w, estimate},
    {2, 0x52, 0x52, pf3, evex, flop, Type::packed_bf16, dot},  // vdpbf16ps
    {2, 0x49, 0x49, any, vex, matrix},
    {2, 0x4B, 0x4B, any, vex, matrix},
    {2, 0x5C, 0x5E, any, vex, matrix},
    {2, 0x6C, 0x6C, any, vex, matrix},
    {2, 0x00, 0x0B, np | p66, all, integer_simd},
    {2, 0x10, 0x12, p66, evex, integer_simd},     // word shifts
    {2, 0x10, 0x15, pf3, evex, integer_simd},     // narrowing moves
    {2, 0x17, 0x17, p66, sse_vex, integer_simd},  // ptest
    {2, 0x1C, 0x1F, np | p66, all, integer_simd},
    {2, 0x10, 0x10, p66, sse, integer_simd},  // pblendvb
    {2, 0x20, 0x25, p66 | pf3, all, integer_simd},
    {2, 0x26, 0x27, p66 | pf3, evex, integer_simd},
    {2, 0x28, 0x29, p66, all, integer_simd},
    {2, 0x2B, 0x2B, p66, all, integer_simd},
    {2, 0x30, 0x35, p66 | pf3, all, integer_simd},
    {2, 0x36, 0x36, p66, vex | evex, integer_simd},  // vpermd
    {2, 0x37, 0x41, p66, all, integer_simd},
    {2, 0x44, 0x44, p66, evex, integer_simd},
    {2, 0x45, 0x47, p66, vex | evex, integer_simd},
    {2, 0x50, 0x53, any, vex | evex, integer_simd},  // VNNI
    {2, 0x54, 0x55, p66, evex, integer_simd},
    {2, 0x70, 0x73, p66, evex, integer_simd},
    {2, 0xB4, 0xB5, p66, vex | evex, integer_simd},
    {2, 0xC8, 0xCD, np, sse, integer_simd},  // SHA
    {2, 0xCF, 0xCF, p66, all, integer_simd},
    {2, 0xD2, 0xD3, any, vex, integer_simd},
    {2, 0xDB, 0xDF, p66, all, integer_simd},  // AES
    {2, 0x96, 0x98, p66, vex | evex, flop, Type::packed_by_w, fma},
    {2, 0xA6, 0xA8, p66, vex | evex, flop, Type::packed_by_w, fma},
    {2, 0xB6, 0xB8, p66, vex | evex, flop, Type::packed_by_w, fma},
    {2, 0xF0, 0xF1, any, sse, integer},  // movbe, crc32
    {2, 0xF2, 0xF3, np, vex, integer},   // BMI1
    {2, 0xF5, 0xF5, np | pf3 | pf2, vex, integer},
    {2, 0xF6, 0xF6, any, sse_vex, integer},  // adcx, adox, mulx
    {2, 0xF7, 0xF7, any, vex, integer},
    // -- 0F 3A
    {3, 0x40, 0x40, p66, sse_vex, flop, Type::packed_f32, dot},
    {3, 0x41, 0x41, p66, sse_vex, flop, Type::packed_f64, dot},
    {3, 0x50, 0x50, p66, evex, flop, Type::packed_by_w, min_max},  // vrange
    {3, 0x51, 0x51, p66, evex, flop, Type::scalar_by_w, min_max},
    {3, 0x1D, 0x1D, p66, vex | evex, convert},  // vcvtps2ph
    {3, 0x02, 0x02, p66, vex, integer_simd},    // vpblendd
    {3, 0x0E, 0x0F, np | p66, all, integer_simd},
    {3, 0x14, 0x16, p66, all, integer_simd},  // pextr
    {3, 0x20, 0x20, p66, all, integer_simd},  // pinsrb
    {3, 0x22, 0x22, p66, all, integer_simd},
    {3, 0x03, 0x03, p66, evex, integer_simd},
    {3, 0x1E, 0x1F, p66, evex, integer_simd},
    {3, 0x25, 0x25, p66, evex, integer_simd},
    {3, 0x3E, 0x3F, p66, evex, integer_simd},
    {3, 0x42, 0x42, p66, all, integer_simd},
    {3, 0x44, 0x44, p66, all, integer_simd},
    {3, 0x46, 0x46, p66, vex, integer_simd},  // vperm2i128
    {3, 0x4C, 0x4C, p66, vex, integer_simd},  // vpblendvb
    {3, 0x60, 0x63, p66, sse_vex, integer_simd},
    {3, 0x70, 0x73, p66, evex, integer_simd},
    {3, 0xCC, 0xCC, np, sse, integer_simd},
    {3, 0xCE, 0xCF, p66, all, integer_simd},
    {3, 0xDF, 0xDF, p66, all, integer_simd},
    {3, 0xC2, 0xC2, np | pf3, evex, compare},  // vcmpph, vcmpsh
    {3, 0xF0, 0xF0, pf2, vex, integer},        // rorx
    // -- half precision
    {5, 0x51, 0x51, np | pf3, evex, flop, Type::half_by_prefix, sqrt},
    {5, 0x58, 0x58, np | pf3, evex, flop, Type::half_by_prefix, add},
    {5, 0x59, 0x59, np | pf3, evex, flop, Type::half_by_prefix, mul},
    {5, 0x5C, 0x5C, np | pf3, evex, flop, Type::half_by_prefix, add},
    {5, 0x5D, 0x5D, np | pf3, evex, flop, Type::half_by_prefix, min_max},
    {5, 0x5E, 0x5E, np | pf3, evex, flop, Type::half_by_prefix, div},
    {5, 0x5F, 0x5F, np | pf3, evex, flop, Type::half_by_prefix, min_max},
    {5, 0x2E, 0x2F, np, evex, compare},
    {5, 0x1D, 0x1D, any, evex, convert},
    {5, 0x2A, 0x2D, pf3, evex, convert},
    {5, 0x5A, 0x5B, any, evex, convert},
    {5, 0x78, 0x7D, any, evex, convert},
    {6, 0x4C, 0x4C, p66, evex, flop, Type::packed_f16, estimate},
    {6, 0x4D, 0x4D, p66, evex, flop, Type::scalar_f16, estimate},
    {6, 0x4E, 0x4E, p66, evex, flop, Type::packed_f16, estimate},
    {6, 0x4F, 0x4F, p66, evex, flop, Type::scalar_f16, estimate},
    {6, 0x96, 0x98, p66, evex, flop, Type::packed_f16, fma},
    {6, 0xA6, 0xA8, p66, evex, flop, Type::packed_f16, fma},
    {6, 0xB6, 0xB8, p66, evex, flop, Type::packed_f16, fma},
    {6, 0x13, 0x13, any, evex, convert},
};

// Fused multiply-add has a packed form at even and a scalar form at odd opcodes, four operations
// apart by 10h.
constexpr bool is_paired_fma(std::uint8_t opcode) {
  return opcode >= 0x98 && opcode <= 0xBF && (opcode & 0xF) >= 8;
}
// AMD's four-operand form: 5C-5F, 68-6F, 78-7F of map 3. Bit 0: f64. In 68-7F bit 1: scalar.
constexpr bool is_fma4(std::uint8_t opcode) {
  return (opcode >= 0x5C && opcode <= 0x5F) || (opcode >= 0x68 && opcode <= 0x6F) ||
         (opcode >= 0x78 && opcode <= 0x7F);
}
constexpr bool fma4_is_scalar(std::uint8_t opcode) {
  return opcode >= 0x68 && (opcode & 2) != 0;
}

// One-byte opcodes: ranges of integer work and of branches. The ModRM groups F6/F7 are all integer;
// FE and FF are looked at apart.
struct ByteRange {
  std::uint8_t first, last;
  Kind kind;
};
inline constexpr ByteRange one_byte[] = {
    {0x63, 0x63, integer},  // movsxd
    {0x69, 0x69, integer}, {0x6B, 0x6B, integer}, {0x70, 0x7F, branch},  {0x80, 0x85, integer},
    {0x8D, 0x8D, integer}, {0x98, 0x99, integer}, {0xA8, 0xA9, integer}, {0xC0, 0xC1, integer},
    {0xC2, 0xC3, branch},  {0xD0, 0xD3, integer}, {0xE0, 0xE3, branch},  {0xE8, 0xE9, branch},
    {0xEB, 0xEB, branch},  {0xF6, 0xF7, integer},
};

// -- x87, opcodes D8 to DF: what /reg of a memory operand does, and of a register operand.
enum class X87 : std::uint8_t { move, add, mul, div, compare, convert, by_byte };
inline constexpr X87 x87_memory[8][8] = {
    {X87::add, X87::mul, X87::compare, X87::compare, X87::add, X87::add, X87::div,
     X87::div},  // m32
    {},          // fld, fst, environment
    {X87::add, X87::mul, X87::compare, X87::compare, X87::add, X87::add, X87::div,
     X87::div},  // int 32
    {X87::convert, X87::convert, X87::convert, X87::convert, X87::move, X87::move, X87::move,
     X87::move},
    {X87::add, X87::mul, X87::compare, X87::compare, X87::add, X87::add, X87::div,
     X87::div},  // m64
    {X87::move, X87::convert, X87::move, X87::move, X87::move, X87::move, X87::move, X87::move},
    {X87::add, X87::mul, X87::compare, X87::compare, X87::add, X87::add, X87::div,
     X87::div},  // int 16
    {X87::convert, X87::convert, X87::convert, X87::convert, X87::convert, X87::convert,
     X87::convert, X87::convert},
};
inline constexpr X87 x87_register[8][8] = {
    {X87::add, X87::mul, X87::compare, X87::compare, X87::add, X87::add, X87::div, X87::div},
    {X87::move, X87::move, X87::move, X87::move, X87::by_byte, X87::move, X87::by_byte,
     X87::by_byte},
    {X87::move, X87::move, X87::move, X87::move, X87::move, X87::compare, X87::move, X87::move},
    {X87::move, X87::move, X87::move, X87::move, X87::move, X87::compare, X87::compare, X87::move},
    {X87::add, X87::mul, X87::compare, X87::compare, X87::add, X87::add, X87::div, X87::div},
    {X87::move, X87::move, X87::move, X87::move, X87::compare, X87::compare, X87::move, X87::move},
    {X87::add, X87::mul, X87::compare, X87::compare, X87::add, X87::add, X87::div, X87::div},
    {X87::move, X87::move, X87::move, X87::move, X87::move, X87::compare, X87::compare, X87::move},
};

// D9 with a register operand: the ModRM bytes that compute. fsincos has two results.
struct X87Byte {
  std::uint8_t modrm;
  Kind kind;
  Operation operation;
  std::uint8_t flop;
};
inline constexpr X87Byte x87_d9[] = {
    {0xE4, compare, add, 0},         {0xE5, compare, add, 0},          // ftst, fxam
    {0xF0, flop, transcendental, 1}, {0xF1, flop, transcendental, 1},  // f2xm1, fyl2x
    {0xF2, flop, transcendental, 1}, {0xF3, flop, transcendental, 1},  // fptan, fpatan
    {0xF5, flop, transcendental, 1}, {0xF8, flop, transcendental, 1},  // fprem1, fprem
    {0xF9, flop, transcendental, 1}, {0xFA, flop, sqrt, 1},            // fyl2xp1, fsqrt
    {0xFB, flop, transcendental, 2}, {0xFE, flop, transcendental, 1},  // fsincos, fsin
    {0xFF, flop, transcendental, 1},                                   // fcos
};

}  // namespace roofmark::x86::opcodes
