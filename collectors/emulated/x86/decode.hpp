// What an x86-64 instruction computes, read from its bytes. An emulator's intermediate code is no
// safe source: it splits dot products, drops results that nobody reads and merges repeated
// conversions before a tool can see them. Freestanding: shared by the Valgrind tool and host code.
#pragma once
#include <cstddef>
#include <cstdint>

namespace roofmark::x86 {

enum class Encoding : std::uint8_t { legacy, x87, vex, xop, evex };

enum class Kind : std::uint8_t {
  other,         // moves, shuffles of floats, logic on floats, rounding, sign changes, system
  flop,          // `precision`, `width_bits`, `operation` and `flop` hold
  compare,       // of floating-point values
  convert,       // from or to a floating-point format
  integer_simd,  // arithmetic, logic, compare, shift and shuffle of integers in vector registers
  integer,       // the same in general registers, with lea
  branch,        // jumps, calls, returns
  matrix,        // AMX tiles
};

enum class Precision : std::uint8_t { f32, f64, x87, f16, bf16 };

enum class Operation : std::uint8_t {
  add,  // subtract, horizontal and alternating forms too
  mul,
  fma,
  div,
  sqrt,
  min_max,
  estimate,        // of a reciprocal or a reciprocal square root
  dot,             // half of its FLOPs are multiplications, half additions
  transcendental,  // x87, and its remainders
};

// Which places of memory it asks for. A translation into simple loads and stores may split an
// operand into lanes, read what is only written, or go through memory between registers.
enum class Memory : std::uint8_t {
  one_operand,    // at most one place that is read and one that is written
  two_reads,      // compares of strings
  gathered,       // one place for each lane
  written_alone,  // stores of masked bytes: nothing is read
  untouched,      // bit tests of registers
};

// A copy or a fill that is repeated (rep movs, rep stos). Hardware moves its elements many at a
// time: the instruction asks for one place to read and one to write, as long as all of them.
enum class RepeatedString : std::uint8_t { none, copy, fill };

struct Instruction {
  Encoding encoding = Encoding::legacy;
  Kind kind = Kind::other;
  Precision precision = Precision::f64;
  Operation operation = Operation::add;
  std::uint16_t width_bits = 0;  // 0: scalar; 128, 256, 512
  // 1 per lane and operation, 2 per lane of a fused multiply-add, 2 per multiplied pair of a dot
  // product. Lanes that a mask switches off count, as they do in hardware.
  std::uint16_t flop = 0;
  bool vector = false;             // works on MMX, XMM, YMM or ZMM registers
  bool nontemporal_store = false;  // its stores bypass the caches
  Memory memory = Memory::one_operand;
  std::uint8_t operand_bytes = 0;  // of the one in memory, where a part of it does; 0: as accessed
  bool rewrites_memory = false;  // what it stores there it has read before, even where it need not
  RepeatedString string = RepeatedString::none;
  std::uint8_t element_bytes = 0;  // of the string
  bool flat_addresses = true;      // of the string: 64 bits, without a segment's base
};

inline constexpr std::size_t max_instruction_bytes = 15;

// Never reads past `length`; bytes that are no instruction give Kind::other.
Instruction decode(const std::uint8_t* bytes, std::size_t length);

}  // namespace roofmark::x86
