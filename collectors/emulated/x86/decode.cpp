#include "collectors/emulated/x86/decode.hpp"

#include "collectors/emulated/x86/opcodes.hpp"

namespace roofmark::x86 {
namespace {

// Reads forward, and zeros past the end.
class Cursor {
 public:
  Cursor(const std::uint8_t* bytes, std::size_t length) : next_(bytes), left_(length) {
    if (left_ > max_instruction_bytes) left_ = max_instruction_bytes;
  }
  bool empty() const { return left_ == 0; }
  std::uint8_t peek(std::size_t ahead = 0) const {
    return ahead < left_ ? next_[ahead] : std::uint8_t{0};
  }
  std::uint8_t take() {
    if (left_ == 0) return 0;
    --left_;
    return *next_++;
  }
  bool has(std::size_t bytes) const { return left_ >= bytes; }
  void skip(std::size_t bytes) {
    for (; bytes != 0; --bytes) take();
  }

 private:
  const std::uint8_t* next_;
  std::size_t left_;
};

struct Prefixes {
  bool operand_size = false;  // 66
  std::uint8_t repeat = 0;    // F2 or F3, the last one
  bool address_size = false;  // 67
  bool segment_base = false;  // 64, 65: fs and gs, which have one
};

// What an opcode is looked up by, whatever the encoding.
struct Opcode {
  Encoding encoding = Encoding::legacy;
  std::uint8_t map = 0;  // 0: one byte
  std::uint8_t opcode = 0;
  std::uint8_t prefix = opcodes::np;
  bool w = false;
  std::uint16_t vector_bits = 128;
  bool rounding_or_broadcast = false;  // EVEX.b
};

Prefixes take_prefixes(Cursor& in) {
  Prefixes p;
  for (;; in.take()) {
    switch (in.peek()) {
      case 0x66:
        p.operand_size = true;
        break;
      case 0x67:
        p.address_size = true;
        break;
      case 0xF2:
      case 0xF3:
        p.repeat = in.peek();
        break;
      case 0xF0:
      case 0x26:
      case 0x2E:
      case 0x36:
      case 0x3E:
        break;
      case 0x64:
      case 0x65:
        p.segment_base = true;
        break;
      default:
        return p;
    }
    if (in.empty()) return p;
  }
}

std::uint8_t mandatory(const Prefixes& p) {
  if (p.repeat == 0xF3) return opcodes::pf3;
  if (p.repeat == 0xF2) return opcodes::pf2;
  return p.operand_size ? opcodes::p66 : opcodes::np;
}

constexpr std::uint8_t prefix_of_pp[4] = {opcodes::np, opcodes::p66, opcodes::pf3, opcodes::pf2};

Opcode take_vex2(Cursor& in) {
  in.skip(1);
  const std::uint8_t p = in.take();
  Opcode o{Encoding::vex, 1, in.take(), prefix_of_pp[p & 3], false, 128, false};
  if ((p & 4) != 0) o.vector_bits = 256;
  return o;
}

// VEX with three bytes, and XOP, which has the same layout and maps from 8 on.
Opcode take_vex3(Cursor& in, Encoding encoding) {
  in.skip(1);
  const std::uint8_t p0 = in.take();
  const std::uint8_t p1 = in.take();
  Opcode o{encoding,
           static_cast<std::uint8_t>(p0 & 31),
           in.take(),
           prefix_of_pp[p1 & 3],
           (p1 & 0x80) != 0,
           128,
           false};
  if ((p1 & 4) != 0) o.vector_bits = 256;
  return o;
}

Opcode take_evex(Cursor& in) {
  in.skip(1);
  const std::uint8_t p0 = in.take();
  const std::uint8_t p1 = in.take();
  const std::uint8_t p2 = in.take();
  Opcode o{Encoding::evex,   static_cast<std::uint8_t>(p0 & 7),
           in.take(),        prefix_of_pp[p1 & 3],
           (p1 & 0x80) != 0, 128,
           (p2 & 0x10) != 0};
  const unsigned length = p2 >> 5 & 3;
  // With a register operand EVEX.b means rounding control, and the length bits then hold the mode:
  // 512 bits.
  const bool registers = in.peek() >= 0xC0;
  o.vector_bits = static_cast<std::uint16_t>(
      (o.rounding_or_broadcast && registers) || length >= 2 ? 512 : 128 << length);
  return o;
}

Opcode take_legacy(Cursor& in, const Prefixes& p) {
  Opcode o;
  o.prefix = mandatory(p);
  if ((in.peek() & 0xF0) == 0x40) o.w = (in.take() & 8) != 0;
  o.opcode = in.take();
  if (o.opcode != 0x0F) return o;
  o.map = 1;
  o.opcode = in.take();
  if (o.opcode == 0x38 || o.opcode == 0x3A) {
    o.map = o.opcode == 0x38 ? 2 : 3;
    o.opcode = in.take();
  }
  return o;
}

// The bytes that follow the ModRM byte and belong to the address.
std::size_t address_bytes(const Cursor& in) {
  const std::uint8_t modrm = in.peek();
  const unsigned mode = modrm >> 6;
  const unsigned base = modrm & 7;
  if (mode == 3) return 0;
  std::size_t bytes = mode == 1 ? 1 : mode == 2 ? 4 : 0;
  if (base == 4) {
    if (mode == 0 && (in.peek(1) & 7) == 5) bytes += 4;
    ++bytes;
  } else if (mode == 0 && base == 5) {
    bytes += 4;
  }
  return bytes;
}

std::uint8_t immediate_after_operand(Cursor in) {
  const std::size_t address = address_bytes(in);
  in.skip(1 + address);
  return in.peek();
}

struct Shape {
  Precision precision;
  bool scalar;
};

Shape shape_of(opcodes::Type type, const Opcode& o) {
  using opcodes::Type;
  const bool f64_by_prefix = o.prefix == opcodes::p66 || o.prefix == opcodes::pf2;
  const bool scalar_by_prefix = o.prefix == opcodes::pf3 || o.prefix == opcodes::pf2;
  const Precision by_w = o.w ? Precision::f64 : Precision::f32;
  switch (type) {
    case Type::by_prefix:
      return {f64_by_prefix ? Precision::f64 : Precision::f32, scalar_by_prefix};
    case Type::packed_by_w:
      return {by_w, false};
    case Type::scalar_by_w:
      return {by_w, true};
    case Type::packed_f32:
      return {Precision::f32, false};
    case Type::scalar_f32:
      return {Precision::f32, true};
    case Type::scalar_f64:
      return {Precision::f64, true};
    case Type::packed_bf16:
      return {Precision::bf16, false};
    case Type::half_by_prefix:
      return {Precision::f16, scalar_by_prefix};
    case Type::packed_f16:
      return {Precision::f16, false};
    case Type::scalar_f16:
      return {Precision::f16, true};
    case Type::packed_f64:
    case Type::none:
      break;
  }
  return {Precision::f64, false};
}

constexpr unsigned bits_of(Precision p) {
  return p == Precision::f64 ? 64 : p == Precision::f32 ? 32 : 16;
}

unsigned ones(unsigned x) {
  unsigned n = 0;
  for (; x != 0; x &= x - 1) ++n;
  return n;
}

void set_flop(Instruction& i, const Opcode& o, Shape shape, Operation operation,
              const Cursor& operands) {
  i.kind = Kind::flop;
  i.precision = shape.precision;
  i.operation = operation;
  i.width_bits = shape.scalar ? std::uint16_t{0} : o.vector_bits;
  unsigned flop = shape.scalar ? 1 : o.vector_bits / bits_of(shape.precision);
  if (operation == Operation::fma) flop *= 2;
  if (operation == Operation::dot) {
    if (shape.precision == Precision::bf16) {
      flop *= 2;
    } else {  // the immediate's upper half says which pairs of each 128 bits are multiplied
      const unsigned lanes = 128 / bits_of(shape.precision);
      const unsigned mask = (1U << lanes) - 1;
      const unsigned pairs = ones(immediate_after_operand(operands) >> 4 & mask);
      flop = 2 * pairs * (o.vector_bits / 128);
    }
  }
  i.flop = static_cast<std::uint16_t>(flop);
}

// movntps/pd (and SSE4a's scalar ones), movntdq, movntq, movnti, maskmov, movdiri, movdir64b.
bool stores_past_caches(const Opcode& o, bool memory) {
  if (o.map == 1) {
    if (o.opcode == 0x2B)
      return memory && (o.encoding == Encoding::legacy || o.prefix < opcodes::pf3);
    if (o.opcode == 0xE7) return memory && o.prefix <= opcodes::p66;
    if (o.opcode == 0xC3)
      return memory && o.encoding == Encoding::legacy && o.prefix == opcodes::np;
    if (o.opcode == 0xF7) return !memory && o.prefix <= opcodes::p66;
  }
  if (o.map == 2 && o.encoding == Encoding::legacy && memory) {
    return (o.opcode == 0xF9 && o.prefix == opcodes::np) ||
           (o.opcode == 0xF8 && o.prefix == opcodes::p66);
  }
  return false;
}

// Legacy opcodes of the 0F maps that touch no vector register; everything VEX or EVEX but BMI and
// the mask registers does.
bool uses_vectors(const Opcode& o, Kind kind) {
  if (kind == Kind::integer || kind == Kind::branch || kind == Kind::matrix) return false;
  if (o.encoding != Encoding::legacy) {
    if (o.encoding == Encoding::xop) return o.map != 10;
    const bool mask = o.map == 1 && (o.opcode < 0x10 || (o.opcode >= 0x41 && o.opcode <= 0x4B) ||
                                     (o.opcode >= 0x90 && o.opcode <= 0x99));
    return !mask && !(o.map == 2 && o.opcode >= 0xF2) && !(o.map == 3 && (o.opcode & 0xF0) == 0xF0);
  }
  if (o.map == 1) {
    const std::uint8_t c = o.opcode;
    return (c >= 0x10 && c <= 0x17) || (c >= 0x28 && c <= 0x2F) || (c >= 0x50 && c <= 0x77) ||
           (c >= 0x7C && c <= 0x7F) || c == 0xC2 || (c >= 0xC4 && c <= 0xC6) ||
           (c >= 0xD0 && c != 0xFF) || ((c == 0x78 || c == 0x79) && kind == Kind::integer_simd);
  }
  return o.map == 2 ? o.opcode < 0xF0 && !(o.opcode >= 0x80 && o.opcode <= 0x82) : o.map == 3;
}

std::uint8_t encoding_bit(Encoding e) {
  return e == Encoding::legacy ? opcodes::sse : e == Encoding::vex ? opcodes::vex : opcodes::evex;
}

const opcodes::Row* find_row(const Opcode& o) {
  for (const opcodes::Row& row : opcodes::rows) {
    if (row.map == o.map && o.opcode >= row.first && o.opcode <= row.last &&
        (row.prefixes & o.prefix) != 0 && (row.encodings & encoding_bit(o.encoding)) != 0) {
      return &row;
    }
  }
  return nullptr;
}

void classify(Instruction& i, const Opcode& o, const Cursor& operands) {
  i.encoding = o.encoding;
  // Only emms, vzeroupper and bswap stand without a ModRM byte.
  const bool alone = o.map == 1 && (o.opcode == 0x77 || (o.opcode >= 0xC8 && o.opcode <= 0xCF));
  if (!alone && !operands.has(1)) return;
  const bool fused_map = o.map == 2 || (o.map == 6 && o.encoding == Encoding::evex);
  if (o.encoding == Encoding::xop) {
    i.kind = o.map == 10                                          ? Kind::integer
             : o.map == 9 && o.opcode >= 0x80 && o.opcode <= 0x83 ? Kind::other
             : o.map == 9 && o.opcode <= 2                        ? Kind::integer
                                                                  : Kind::integer_simd;
  } else if (o.encoding != Encoding::legacy && fused_map && o.prefix == opcodes::p66 &&
             opcodes::is_paired_fma(o.opcode)) {
    const Precision p = o.map == 6 ? Precision::f16 : o.w ? Precision::f64 : Precision::f32;
    set_flop(i, o, {p, (o.opcode & 1) != 0}, Operation::fma, operands);
  } else if (o.encoding == Encoding::vex && o.map == 3 && o.prefix == opcodes::p66 &&
             opcodes::is_fma4(o.opcode)) {
    const Precision p = (o.opcode & 1) != 0 ? Precision::f64 : Precision::f32;
    set_flop(i, o, {p, opcodes::fma4_is_scalar(o.opcode)}, Operation::fma, operands);
  } else if (const opcodes::Row* row = find_row(o); row != nullptr) {
    i.kind = row->kind;
    if (row->kind == Kind::flop) set_flop(i, o, shape_of(row->type, o), row->operation, operands);
  }
  i.vector = uses_vectors(o, i.kind);
  i.nontemporal_store = stores_past_caches(o, operands.peek() < 0xC0);
  if (i.kind != Kind::flop && i.vector && o.encoding != Encoding::legacy)
    i.width_bits = o.vector_bits;
}

// bt, bts, btr and btc, whose bit a register names.
bool tests_bits(const Opcode& o) {
  return o.encoding == Encoding::legacy && o.map == 1 &&
         (o.opcode == 0xA3 || o.opcode == 0xAB || o.opcode == 0xB3 || o.opcode == 0xBB);
}

// psrl, psra and psll by a number in memory, of which 8 bytes matter.
bool shifts_by_memory(const Opcode& o) {
  const unsigned row = o.opcode >> 4;
  const unsigned column = o.opcode & 15U;
  return o.map == 1 && o.prefix == opcodes::p66 && (row == 0xD || row == 0xE || row == 0xF) &&
         column >= 1 && column <= (row == 0xE ? 2 : 3);
}

/// Arithmetic on an operand in memory: `and $0` reads it as any other.
bool rewrites(const Opcode& o, std::uint8_t modrm) {
  if (o.encoding != Encoding::legacy || o.map != 0 || modrm >= 0xC0) return false;
  const unsigned which = modrm >> 3 & 7;
  if (o.opcode < 0x38) return (o.opcode & 7) < 2;               // add, or, ... xor to memory
  if (o.opcode >= 0x80 && o.opcode <= 0x83) return which != 7;  // with an immediate; not cmp
  if (o.opcode == 0xC0 || o.opcode == 0xC1) return true;        // shifts
  if (o.opcode >= 0xD0 && o.opcode <= 0xD3) return true;
  if (o.opcode == 0xF6 || o.opcode == 0xF7) return which == 2 || which == 3;  // not, neg
  if (o.opcode == 0xFE || o.opcode == 0xFF) return which < 2;                 // inc, dec
  return false;
}

void set_string(Instruction& i, const Opcode& o, const Prefixes& prefixes) {
  if (o.map != 0 || o.encoding != Encoding::legacy || prefixes.repeat == 0) return;
  if ((o.opcode | 1) == 0xA5)
    i.string = RepeatedString::copy;
  else if ((o.opcode | 1) == 0xAB)
    i.string = RepeatedString::fill;
  else
    return;
  const bool bytes = (o.opcode & 1) == 0;
  i.element_bytes = bytes ? 1 : o.w ? 8 : prefixes.operand_size ? 2 : 4;
  i.flat_addresses = !prefixes.address_size && !prefixes.segment_base;
}

void set_memory(Instruction& i, const Opcode& o, const Prefixes& prefixes, bool registers) {
  const bool legacy = o.encoding == Encoding::legacy;
  if (tests_bits(o)) {
    // One byte holds the bit; the instruction asks for as many as the register has.
    if (registers)
      i.memory = Memory::untouched;
    else
      i.operand_bytes = o.w ? 8 : prefixes.operand_size ? 2 : 4;
  } else if (o.map == 0 && legacy && (o.opcode == 0xA6 || o.opcode == 0xA7)) {
    i.memory = Memory::two_reads;
  } else if (o.encoding == Encoding::vex && o.map == 2 && o.opcode >= 0x90 && o.opcode <= 0x93) {
    i.memory = Memory::gathered;
  } else if (o.map == 1 && o.opcode == 0xF7 && registers) {
    i.memory = Memory::written_alone;
  } else if (o.encoding == Encoding::vex && o.map == 1 && o.opcode == 0x12 &&
             o.prefix == opcodes::pf2 && o.vector_bits == 256) {
    i.operand_bytes = 32;  // vmovddup, which uses half of them
  } else if (o.encoding == Encoding::vex && o.map == 3 && (o.opcode == 0x06 || o.opcode == 0x46)) {
    i.operand_bytes = 32;  // vperm2f128 and vperm2i128, too
  } else if (shifts_by_memory(o)) {
    i.operand_bytes = 16;
  }
}

void classify_x87(Instruction& i, std::uint8_t opcode, const Cursor& operands) {
  i.encoding = Encoding::x87;
  if (!operands.has(1)) return;
  const std::uint8_t modrm = operands.peek();
  const unsigned reg = modrm >> 3 & 7;
  const unsigned row = opcode & 7U;
  const auto computes = [&](Operation operation, std::uint16_t flop) {
    i.kind = Kind::flop;
    i.precision = Precision::x87;
    i.operation = operation;
    i.flop = flop;
  };
  switch (modrm < 0xC0 ? opcodes::x87_memory[row][reg] : opcodes::x87_register[row][reg]) {
    case opcodes::X87::move:
      return;
    case opcodes::X87::add:
      return computes(Operation::add, 1);
    case opcodes::X87::mul:
      return computes(Operation::mul, 1);
    case opcodes::X87::div:
      return computes(Operation::div, 1);
    case opcodes::X87::compare:
      i.kind = Kind::compare;
      return;
    case opcodes::X87::convert:
      i.kind = Kind::convert;
      return;
    case opcodes::X87::by_byte:
      break;
  }
  for (const opcodes::X87Byte& b : opcodes::x87_d9) {
    if (b.modrm != modrm) continue;
    if (b.kind == Kind::flop) return computes(b.operation, b.flop);
    i.kind = b.kind;
  }
}

void classify_one_byte(Instruction& i, std::uint8_t opcode, const Cursor& operands) {
  if (opcode < 0x40) {
    if ((opcode & 7) < 6) i.kind = Kind::integer;
    return;
  }
  if (opcode == 0xFE || opcode == 0xFF) {
    const unsigned reg = operands.peek() >> 3 & 7;
    if (reg < 2) i.kind = Kind::integer;
    if (opcode == 0xFF && reg >= 2 && reg <= 5) i.kind = Kind::branch;
    return;
  }
  for (const opcodes::ByteRange& range : opcodes::one_byte) {
    if (opcode >= range.first && opcode <= range.last) i.kind = range.kind;
  }
}

}  // namespace

Instruction decode(const std::uint8_t* bytes, std::size_t length) {
  Cursor in(bytes, length);
  Instruction i;
  const Prefixes prefixes = take_prefixes(in);
  if (in.empty()) return i;
  Opcode o;
  switch (in.peek()) {
    case 0xC5:
      o = take_vex2(in);
      break;
    case 0xC4:
      o = take_vex3(in, Encoding::vex);
      break;
    case 0x62:
      o = take_evex(in);
      break;
    case 0x8F:  // pop, unless its ModRM /reg is not 0: XOP maps 8 to 10
      o = (in.peek(1) & 0x1F) >= 8 ? take_vex3(in, Encoding::xop) : take_legacy(in, prefixes);
      break;
    default:
      o = take_legacy(in, prefixes);
      break;
  }
  set_memory(i, o, prefixes, in.peek() >= 0xC0);
  i.rewrites_memory = rewrites(o, in.peek());
  set_string(i, o, prefixes);
  if (o.map != 0) {
    classify(i, o, in);
  } else if (o.encoding == Encoding::legacy) {
    if (o.opcode >= 0xD8 && o.opcode <= 0xDF) {
      classify_x87(i, o.opcode, in);
    } else {
      classify_one_byte(i, o.opcode, in);
    }
  } else {
    i.encoding = o.encoding;
  }
  return i;
}

}  // namespace roofmark::x86
