#include "collectors/emulated/x86/decode.hpp"

#include "decode.hpp"

namespace roofmark::emulator {
namespace {

Precision precision_from(x86::Precision p) {
  switch (p) {
    case x86::Precision::f32:
      return Precision::f32;
    case x86::Precision::f64:
      return Precision::f64;
    case x86::Precision::x87:
      return Precision::x87;
    default:
      return Precision::f16;
  }
}

Width width_from(UInt bits) {
  return bits == 0     ? Width::scalar
         : bits <= 128 ? Width::w128
         : bits == 256 ? Width::w256
                       : Width::w512;
}

void add_flop(Work& work, const x86::Instruction& in) {
  const Precision p = precision_from(in.precision);
  const Width w = width_from(in.width_bits);
  const UInt n = in.flop;
  switch (in.operation) {
    case x86::Operation::add:
      work.add(flop_class(p, w, Operation::add), n);
      break;
    case x86::Operation::mul:
      work.add(flop_class(p, w, Operation::mul), n);
      break;
    case x86::Operation::fma:
      work.add(flop_class(p, w, Operation::fma), n);
      break;
    case x86::Operation::div:
      work.add(flop_class(p, w, Operation::div), n);
      work.add(divide, n);
      break;
    case x86::Operation::sqrt:
      work.add(flop_class(p, w, Operation::sqrt), n);
      work.add(square_root, n);
      break;
    case x86::Operation::dot:
      work.add(flop_class(p, w, Operation::mul), n / 2);
      work.add(flop_class(p, w, Operation::add), n - n / 2);
      break;
    default:
      work.add(flop_class(p, w, Operation::other), n);
      break;
  }
  work.fma = in.operation == x86::Operation::fma;
}

void set_memory(Work& work, const x86::Instruction& in) {
  work.gathers = in.memory == x86::Memory::gathered;
  work.one_operand = !work.gathers && in.memory != x86::Memory::two_reads;
  work.writes = in.memory != x86::Memory::untouched;
  work.reads = work.writes && in.memory != x86::Memory::written_alone;
  work.rewrites = in.rewrites_memory;
  work.operand_bytes = in.operand_bytes;
  work.element_bytes = in.string == x86::RepeatedString::none ? 0 : in.element_bytes;
  work.fills = in.string == x86::RepeatedString::fill;
  work.flat_addresses = in.flat_addresses;
}

}  // namespace

Work decode_bytes(const UChar* bytes, UInt length) {
  const x86::Instruction in = x86::decode(bytes, length);
  Work work;
  work.nontemporal = in.nontemporal_store;
  work.width = width_from(in.width_bits);
  work.vector = in.vector && in.encoding != x86::Encoding::x87;
  set_memory(work, in);
  switch (in.kind) {
    case x86::Kind::flop:
      add_flop(work, in);
      break;
    case x86::Kind::compare:
      work.add(compare, 1);
      break;
    case x86::Kind::convert:
      work.add(convert, 1);
      break;
    case x86::Kind::integer_simd:
      work.add(integer_simd, 1);
      break;
    case x86::Kind::integer:
      work.add(integer, 1);
      break;
    case x86::Kind::branch:
      work.add(branch, 1);
      break;
    default:
      work.queries_isa = length == 2 && bytes[0] == 0x0F && bytes[1] == 0xA2;
      break;
  }
  return work;
}

}  // namespace roofmark::emulator
