// Opcode maps of the Intel 64 manual (volume 2, appendix A), read for lengths alone.
#include <analysis/functions/x86_jumps.hpp>
#include <cstddef>

namespace roofmark::functions {
namespace {

/// What follows an opcode.
struct Form {
  bool valid = true;
  bool operand = false;    ///< a ModRM byte and what it asks for
  unsigned immediate = 0;  ///< bytes
  bool jump = false;       ///< the immediate is the distance of a jump
};

constexpr Form no_operand{};
constexpr Form bad{false, false, 0, false};
constexpr Form operand{true, true, 0, false};
constexpr Form operand_and_byte{true, true, 1, false};
constexpr Form immediate(unsigned bytes) {
  return {true, false, bytes, false};
}
constexpr Form jump(unsigned bytes) {
  return {true, false, bytes, true};
}

bool between(unsigned x, unsigned first, unsigned last) {
  return x >= first && x <= last;
}

/// `word`: bytes of an immediate of the operand's size.
Form one_byte(unsigned op, unsigned word, bool wide, bool short_address) {
  if (op < 0x40) {
    const unsigned low = op & 7;
    return low < 4 ? operand : low == 4 ? immediate(1) : low == 5 ? immediate(word) : bad;
  }
  if (between(op, 0x50, 0x5F)) return no_operand;
  if (op == 0x63 || between(op, 0x84, 0x8F) || between(op, 0xD0, 0xD3) || op >= 0xFE ||
      between(op, 0xD8, 0xDF))
    return operand;
  if (op == 0x68 || op == 0xA9) return immediate(word);
  if (op == 0x69 || op == 0x81 || op == 0xC7) return {true, true, word, false};
  if (op == 0x6A || op == 0xA8 || op == 0xCD || between(op, 0xB0, 0xB7) || between(op, 0xE4, 0xE7))
    return immediate(1);
  if (op == 0x6B || op == 0x80 || op == 0x83 || op == 0xC0 || op == 0xC1 || op == 0xC6)
    return operand_and_byte;
  if (between(op, 0x70, 0x7F) || between(op, 0xE0, 0xE3) || op == 0xEB) return jump(1);
  if (op == 0xE9) return jump(4);
  if (op == 0xE8) return immediate(4);
  if (between(op, 0xA0, 0xA3)) return immediate(short_address ? 4 : 8);
  if (between(op, 0xB8, 0xBF)) return immediate(wide ? 8 : word);
  if (op == 0xC2 || op == 0xCA) return immediate(2);
  if (op == 0xC8) return immediate(3);
  if (op == 0x82 || op == 0x9A || between(op, 0xD4, 0xD6) || op == 0xEA || op == 0xCE ||
      between(op, 0x60, 0x62))
    return bad;
  return no_operand;  // F6 and F7 are the caller's
}

/// Map 0F of legacy instructions, and map 1 of VEX and EVEX.
Form two_bytes(unsigned op) {
  if (between(op, 0x80, 0x8F)) return jump(4);
  if (between(op, 0x70, 0x73) || op == 0xA4 || op == 0xAC || op == 0xBA || op == 0xC2 ||
      between(op, 0xC4, 0xC6) || op == 0x0F)
    return operand_and_byte;
  if (between(op, 0x05, 0x0B) || op == 0x0E || between(op, 0x30, 0x37) || op == 0x77 ||
      between(op, 0xA0, 0xA2) || between(op, 0xA8, 0xAA) || between(op, 0xC8, 0xCF))
    return no_operand;
  return op == 0x04 || op == 0x0C || between(op, 0x24, 0x27) ? bad : operand;
}

class Decoder {
 public:
  explicit Decoder(std::span<const std::uint8_t> code)
      : code_(code.first(std::min<std::size_t>(code.size(), longest))) {}

  std::optional<X86Step> step() {
    take_prefixes();
    const Form form = take_opcode();
    if (!form.valid) return std::nullopt;
    if (form.operand && !take_operand()) return std::nullopt;
    X86Step step;
    if (form.jump) {
      if (at_ + form.immediate > code_.size()) return std::nullopt;
      std::uint32_t bits = 0;
      for (unsigned i = 0; i < form.immediate; ++i)
        bits |= std::uint32_t{code_[at_ + i]} << (8 * i);
      step.jump =
          form.immediate == 1 ? static_cast<std::int8_t>(bits) : static_cast<std::int32_t>(bits);
    }
    at_ += form.immediate;
    if (at_ > code_.size()) return std::nullopt;
    step.bytes = static_cast<unsigned>(at_);
    return step;
  }

 private:
  static constexpr std::size_t longest = 15;

  unsigned peek(std::size_t ahead = 0) const {
    return at_ + ahead < code_.size() ? code_[at_ + ahead] : 0x100U;
  }

  void take_prefixes() {
    for (;; ++at_) {
      const unsigned byte = peek();
      if (byte == 0x66)
        short_operand_ = true;
      else if (byte == 0x67)
        short_address_ = true;
      else if (byte != 0xF0 && byte != 0xF2 && byte != 0xF3 && byte != 0x2E && byte != 0x36 &&
               byte != 0x3E && byte != 0x26 && byte != 0x64 && byte != 0x65)
        break;
    }
    if (between(peek(), 0x40, 0x4F)) wide_ = (peek() & 8) != 0, ++at_;
  }

  Form take_opcode() {
    const unsigned op = peek();
    if (op > 0xFF) return bad;
    if (op == 0xC5) return vector_form(1, 2);
    if (op == 0xC4) return vector_form(peek(1) & 0x1F, 3);
    if (op == 0x62) return vector_form(peek(1) & 7, 4);
    if (op == 0x8F && peek(1) <= 0xFF && (peek(1) & 0x1F) >= 8)
      return vector_form(peek(1) & 0x1F, 3);
    ++at_;
    const unsigned word = short_operand_ && !wide_ ? 2 : 4;
    if (op == 0x0F) {
      const unsigned second = peek();
      if (second > 0xFF) return bad;
      ++at_;
      if (second == 0x38 || second == 0x3A) {
        if (peek() > 0xFF) return bad;
        ++at_;
        return second == 0x38 ? operand : operand_and_byte;
      }
      return two_bytes(second);
    }
    if (op == 0xF6 || op == 0xF7) {
      const bool tests = peek() <= 0xFF && (peek() & 0x30) == 0;  // `test` has an immediate
      return {true, true, !tests ? 0 : op == 0xF6 ? 1 : word, false};
    }
    return one_byte(op, word, wide_, short_address_);
  }

  /// VEX, EVEX and XOP: `prefix` bytes, then the opcode.
  Form vector_form(unsigned map, unsigned prefix) {
    at_ += prefix;
    const unsigned op = peek();
    if (op > 0xFF) return bad;
    ++at_;
    switch (map) {
      case 1:
        return two_bytes(op).jump             ? bad
               : op == 0x77                   ? no_operand
               : two_bytes(op).immediate != 0 ? operand_and_byte
                                              : operand;
      case 2:
      case 5:
      case 6:
      case 9:
        return operand;
      case 3:
      case 8:
        return operand_and_byte;
      case 10:
        return {true, true, 4, false};
      default:
        return bad;
    }
  }

  bool take_operand() {
    const unsigned modrm = peek();
    if (modrm > 0xFF) return false;
    ++at_;
    const unsigned mode = modrm >> 6, base = modrm & 7;
    if (mode == 3) return true;
    unsigned displacement = mode == 1 ? 1 : mode == 2 ? 4 : 0;
    if (base == 4) {
      const unsigned sib = peek();
      if (sib > 0xFF) return false;
      ++at_;
      if (mode == 0 && (sib & 7) == 5) displacement = 4;
    } else if (mode == 0 && base == 5) {
      displacement = 4;
    }
    at_ += displacement;
    return true;
  }

  std::span<const std::uint8_t> code_;
  std::size_t at_ = 0;
  bool short_operand_ = false, short_address_ = false, wide_ = false;
};

}  // namespace

std::optional<X86Step> x86_step(std::span<const std::uint8_t> code) {
  return Decoder(code).step();
}

}  // namespace roofmark::functions
